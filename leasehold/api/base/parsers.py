"""A strict JSON parser. It refuses bodies that two parsers could read differently."""

import json
from collections.abc import Mapping
from math import isinf
from typing import IO, Any

from rest_framework.exceptions import ParseError, UnsupportedMediaType
from rest_framework.parsers import BaseParser

from leasehold.exceptions import BodyTooLarge

MAX_BODY = 1024 * 1024  # bytes


class StrictJSONParser(BaseParser):
    """A JSON object in UTF-8 of at most 1 MB; an empty body is an empty object."""

    media_type = "application/json"

    def parse(
        self, stream: IO[bytes], media_type: str | None = None, parser_context: Mapping[str, Any] | None = None
    ) -> dict[str, Any]:
        request = (parser_context or {})["request"]
        if request.headers.get("Content-Encoding", "identity").lower() != "identity":
            raise UnsupportedMediaType(str(media_type), "Send the body as it is, without a content encoding.")
        declared = int(request.META.get("CONTENT_LENGTH") or 0)
        if declared > MAX_BODY:
            raise BodyTooLarge(limit=MAX_BODY)
        raw = stream.read(MAX_BODY + 1)
        if len(raw) > MAX_BODY:
            raise BodyTooLarge(limit=MAX_BODY)
        if len(raw) < declared:
            raise ParseError("The body is shorter than its Content-Length.")
        return strict_object(raw)


def strict_object(raw: bytes) -> dict[str, Any]:
    """Return `raw` as a JSON object; empty bytes give an empty one.

    Raises `ParseError` for NaN, infinite numbers, a name twice in an object, too deep nesting, and other encodings.
    """
    if not raw.strip():
        return {}
    try:
        value = json.loads(
            raw.decode("utf-8"),
            object_pairs_hook=_without_twins,
            parse_constant=_no_constant,
            parse_float=_finite,
        )
    except UnicodeDecodeError as error:
        raise ParseError("The body is not UTF-8.") from error
    except RecursionError as error:
        raise ParseError("The body is nested too deeply.") from error
    except ValueError as error:
        raise ParseError(f"The body is not JSON: {error}") from error
    if not isinstance(value, dict):
        raise ParseError("Expected a JSON object.")
    return value


def _without_twins(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a name occurs twice in one object")
    return found


def _no_constant(text: str) -> float:
    raise ValueError(f"{text} is not a JSON number")


def _finite(text: str) -> float:
    if isinf(number := float(text)):
        raise ValueError("a number is too large")
    return number
