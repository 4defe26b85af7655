"""What bodies and queries may hold: strict fields for serializers, and readers of query parameters."""

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

EXPECTED_MOMENT = "Expected a time like 2030-01-31T12:00:00Z."


class Line(serializers.CharField):
    """Text and nothing else: REST framework's own takes a number for text."""

    def __init__(self, limit: int, **options: Any) -> None:
        super().__init__(max_length=limit, **options)

    def to_internal_value(self, data: Any) -> str:
        if not isinstance(data, str):
            self.fail("invalid")
        return super().to_internal_value(data)


class Ttl(serializers.IntegerField):
    """Whole seconds, `least`…`most` (30 days); `"900"`, true and 0.5 are refused."""

    def __init__(self, least: int = 1, most: int = leases.MAX_TTL, **options: Any) -> None:
        super().__init__(min_value=least, max_value=most, **options)
        self.least, self.most = least, most

    def to_internal_value(self, data: Any) -> int:
        try:
            return leases.seconds(data, least=self.least, most=self.most)
        except Invalid as refusal:
            raise serializers.ValidationError([error["detail"] for error in refusal.errors]) from refusal


class Whole(serializers.IntegerField):
    """A whole number within bounds; `"7"`, true and 7.0 are refused."""

    def __init__(self, least: int, most: int, **options: Any) -> None:
        super().__init__(min_value=least, max_value=most, **options)

    def to_internal_value(self, data: Any) -> int:
        if isinstance(data, bool) or not isinstance(data, int):
            self.fail("invalid")
        return super().to_internal_value(data)


class Id(serializers.IntegerField):
    """A 64-bit id as a number; `"7"`, true and 7.0 are refused."""

    def __init__(self, **options: Any) -> None:
        super().__init__(min_value=1, max_value=2**63 - 1, **options)

    def to_internal_value(self, data: Any) -> int:
        if isinstance(data, bool) or not isinstance(data, int):
            self.fail("invalid")
        return super().to_internal_value(data)


@extend_schema_field(OpenApiTypes.DATETIME)
class Moment(serializers.Field):
    """An ISO 8601 time, as answers give it: what was read can be sent back as it is."""

    def to_internal_value(self, data: Any) -> datetime:
        try:
            return moment_from(data if isinstance(data, str) else "")
        except ValueError as error:
            raise serializers.ValidationError(EXPECTED_MOMENT) from error


class Flag(serializers.BooleanField):
    """true or false; REST framework's own takes `"yes"` and 1 too."""

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
    """A query parameter; empty when it is missing. `Invalid` for what a database could not compare."""
    return names.text(request.query_params.get(name), name, limit)


def texts_of(request: Request, name: str, limit: int = 1_024, most: int = 100) -> list[str]:
    """A query parameter that may be given several times; what is empty does not count."""
    values = request.query_params.getlist(name)
    if len(values) > most:
        raise Invalid.of(name, f"At most {most} of them.")
    return [text for value in values if (text := names.text(value, name, limit))]


def choice_of(request: Request, name: str, choices: Any) -> str:
    if (value := text_of(request, name)) and value not in choices:
        raise Invalid.of(name, f"Expected one of {', '.join(sorted(choices))}.")
    return value


def flag_of(request: Request, name: str) -> bool | None:
    """`true` or `false`; none when it is missing."""
    value = choice_of(request, name, ("true", "false", "1", "0"))
    return value in ("true", "1") if value else None


def id_of(request: Request, name: str) -> int | None:
    """A 64-bit id; none when it is missing."""
    value = text_of(request, name)
    if not value:
        return None
    if (number := id_in(value)) is None:
        raise Invalid.of(name, "Expected an id.")
    return number


def ids_of(request: Request, name: str) -> list[int]:
    """`1,2,3`: one id or more."""
    ids = [id_in(one) for one in text_of(request, name, 8_000).split(",")]
    if None in ids:
        raise Invalid.of(name, "Expected ids: 1,2,3.")
    return [one for one in ids if one]


def moment_of(request: Request, name: str) -> datetime | None:
    """An ISO 8601 time, in UTC unless it says otherwise; none when it is missing."""
    value = text_of(request, name)
    if not value:
        return None
    try:
        return moment_from(value.replace(" ", "+") if "T" in value else value)  # a bare + in a query is a space
    except ValueError as error:
        raise Invalid.of(name, EXPECTED_MOMENT) from error


def moment_from(text: str) -> datetime:
    """In UTC unless it says otherwise. Raises `ValueError`."""
    try:
        if (at := parse_datetime(text)) is None:
            raise ValueError(text)
        return at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)
    except OverflowError as error:
        raise ValueError(text) from error
