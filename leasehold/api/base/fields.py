"""Strict serializer fields for JSON bodies, and functions that read query parameters."""

from datetime import UTC, datetime
from typing import Any

from django.utils.dateparse import parse_datetime
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request

from leasehold import leases, names
from leasehold.database.ids import id_in
from leasehold.exceptions import Invalid

EXPECTED_TIME = "Expected a time like 2030-01-31T12:00:00Z."


class Text(serializers.CharField):
    """A string of at most `limit` characters. REST framework's `CharField` also accepts numbers."""

    def __init__(self, limit: int, **options: Any) -> None:
        super().__init__(max_length=limit, **options)

    def to_internal_value(self, data: Any) -> str:
        if not isinstance(data, str):
            self.fail("invalid")
        return super().to_internal_value(data)


class Ttl(serializers.IntegerField):
    """Whole seconds from `least` to `most` (30 days). Refuses `"900"`, true and 0.5."""

    def __init__(self, least: int = 1, most: int = leases.MAX_TTL, **options: Any) -> None:
        super().__init__(min_value=least, max_value=most, **options)
        self.least, self.most = least, most

    def to_internal_value(self, data: Any) -> int:
        try:
            return leases.checked_ttl(data, least=self.least, most=self.most)
        except Invalid as refusal:
            raise serializers.ValidationError([error["detail"] for error in refusal.errors]) from refusal


class Whole(serializers.IntegerField):
    """A whole number from `least` to `most`. Refuses `"7"`, true and 7.0."""

    def __init__(self, least: int, most: int, **options: Any) -> None:
        super().__init__(min_value=least, max_value=most, **options)

    def to_internal_value(self, data: Any) -> int:
        if isinstance(data, bool) or not isinstance(data, int):
            self.fail("invalid")
        return super().to_internal_value(data)


class Id(serializers.IntegerField):
    """A 64-bit id as a number. Refuses `"7"`, true and 7.0."""

    def __init__(self, **options: Any) -> None:
        super().__init__(min_value=1, max_value=2**63 - 1, **options)

    def to_internal_value(self, data: Any) -> int:
        if isinstance(data, bool) or not isinstance(data, int):
            self.fail("invalid")
        return super().to_internal_value(data)


@extend_schema_field(OpenApiTypes.DATETIME)
class Timestamp(serializers.Field):
    """An ISO 8601 time, in the format of the API's responses."""

    def to_internal_value(self, data: Any) -> datetime:
        try:
            return time_from_text(data if isinstance(data, str) else "")
        except ValueError as error:
            raise serializers.ValidationError(EXPECTED_TIME) from error


class Flag(serializers.BooleanField):
    """true or false. REST framework's `BooleanField` also accepts `"yes"` and 1."""

    def to_internal_value(self, data: Any) -> bool:
        if not isinstance(data, bool):
            self.fail("invalid", input=data)
        return data


@extend_schema_field({"type": "array", "items": {"type": "integer", "format": "int64"}})
class Ids(serializers.Field):
    """A list of 64-bit ids."""

    def to_internal_value(self, data: Any) -> list[int]:
        if not isinstance(data, list) or not all(type(item) is int and 0 < item < 2**63 for item in data):
            raise serializers.ValidationError("Expected a list of ids.")
        return data

    def to_representation(self, value: list[int]) -> list[int]:
        return value


def text_of(request: Request, name: str, limit: int = 1_024) -> str:
    """Return a query parameter; empty if it is missing. Raises `Invalid` for text that no database compares."""
    return names.checked_text(request.query_params.get(name), name, limit)


def texts_of(request: Request, name: str, limit: int = 1_024, most: int = 100) -> list[str]:
    """Return the values of a query parameter that may occur several times; empty ones are left out."""
    values = request.query_params.getlist(name)
    if len(values) > most:
        raise Invalid.of(name, f"At most {most} of them.")
    return [text for value in values if (text := names.checked_text(value, name, limit))]


def choice_of(request: Request, name: str, choices: Any) -> str:
    """Return a query parameter that is one of `choices`; empty if it is missing. Raises `Invalid`."""
    if (value := text_of(request, name)) and value not in choices:
        raise Invalid.of(name, f"Expected one of {', '.join(sorted(choices))}.")
    return value


def flag_of(request: Request, name: str) -> bool | None:
    """Return a query parameter that is `true` or `false`; None if it is missing. Raises `Invalid`."""
    value = choice_of(request, name, ("true", "false", "1", "0"))
    return value in ("true", "1") if value else None


def id_of(request: Request, name: str) -> int | None:
    """Return a query parameter that is a 64-bit id; None if it is missing. Raises `Invalid`."""
    value = text_of(request, name)
    if not value:
        return None
    if (number := id_in(value)) is None:
        raise Invalid.of(name, "Expected an id.")
    return number


def ids_of(request: Request, name: str) -> list[int]:
    """Return the ids of a query parameter like `1,2,3`: one or more. Raises `Invalid`."""
    ids = [id_in(part) for part in text_of(request, name, 8_000).split(",")]
    if None in ids:
        raise Invalid.of(name, "Expected ids: 1,2,3.")
    return [pk for pk in ids if pk]


def time_of(request: Request, name: str) -> datetime | None:
    """Return a query parameter that is an ISO 8601 time, UTC by default; None if it is missing. Raises `Invalid`."""
    value = text_of(request, name)
    if not value:
        return None
    try:
        return time_from_text(
            value.replace(" ", "+") if "T" in value else value
        )  # an unescaped + in a query is a space
    except ValueError as error:
        raise Invalid.of(name, EXPECTED_TIME) from error


def time_from_text(text: str) -> datetime:
    """Return an ISO 8601 time, UTC by default. Raises `ValueError`."""
    try:
        if (at := parse_datetime(text)) is None:
            raise ValueError(text)
        return at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)
    except OverflowError as error:
        raise ValueError(text) from error
