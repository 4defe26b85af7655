"""The OpenAPI document: what views declare, and what is added to every operation."""

from typing import Any

from drf_spectacular.extensions import OpenApiAuthenticationExtension
from drf_spectacular.utils import OpenApiParameter, inline_serializer
from rest_framework import serializers

PROBLEM_SCHEMA = {
    "type": "object",
    "description": "RFC 9457, with the facts of the refusal beside it.",
    "required": ["type", "title", "status", "code", "detail", "request_id"],
    "properties": {
        "type": {"type": "string"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "code": {"type": "string", "description": "Stable; what programs look at."},
        "detail": {"type": "string"},
        "request_id": {"type": "string"},
        "errors": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"field": {"type": "string"}, "detail": {"type": "string"}},
            },
        },
    },
    "additionalProperties": True,
}

IDEMPOTENCY_KEY = {
    "name": "Idempotency-Key",
    "in": "header",
    "schema": {"type": "string", "maxLength": 255},
    "description": "The same key and body within 24 hours give the first answer again, with `Idempotency-Replayed: "
    "true`; another body is 422 `idempotency_mismatch`, and while the first is under way it is 409 `in_progress`.",
}


class BearerScheme(OpenApiAuthenticationExtension):
    target_class = "leasehold.api.base.authentication.BearerToken"
    name = "token"

    def get_security_definition(self, auto_schema: Any) -> dict[str, str]:
        return {"type": "http", "scheme": "bearer", "description": "A token: manage.py create_token NAME."}


class SessionScheme(OpenApiAuthenticationExtension):
    target_class = "leasehold.api.base.authentication.BrowserSession"
    name = "browser"

    def get_security_definition(self, auto_schema: Any) -> dict[str, str]:
        return {"type": "apiKey", "in": "cookie", "name": "sessionid", "description": "Signed in, with X-CSRFToken."}


def page_of(shape: type[serializers.Serializer[Any]]) -> Any:
    """Return the serializer of a page of `shape` rows, as `pagination.cursor_page` gives it."""
    return inline_serializer(
        f"{shape.__name__.removesuffix('Shape')}Page",
        {
            "next": serializers.URLField(allow_null=True),
            "previous": serializers.URLField(allow_null=True),
            "results": shape(many=True),
        },
    )


def query(name: str, description: str, **options: Any) -> OpenApiParameter:
    return OpenApiParameter(name, str, OpenApiParameter.QUERY, description=description, **options)


#: the parameters of every list
PAGING = [
    OpenApiParameter("limit", int, OpenApiParameter.QUERY, description="Rows on a page: 1 to 200, 50 by default."),
    query("cursor", "Taken from `next` or `previous`."),
]


def with_keys(result: dict[str, Any], **_: Any) -> dict[str, Any]:
    """Add `Idempotency-Key` to every POST of JSON or without a body, except for tokens, whose text is not stored."""
    for path, operations in result.get("paths", {}).items():
        post = operations.get("post")
        content = post.get("requestBody", {}).get("content", {}) if post else {}
        if post and not path.endswith("/tokens/") and set(content) <= {"application/json"}:
            post.setdefault("parameters", []).append(IDEMPOTENCY_KEY)
    return result


def with_problems(result: dict[str, Any], **_: Any) -> dict[str, Any]:
    """Add the problem document to every operation as its default response."""
    result.setdefault("components", {}).setdefault("schemas", {})["Problem"] = PROBLEM_SCHEMA
    answer = {
        "description": "A refusal.",
        "content": {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}},
    }
    for operations in result.get("paths", {}).values():
        for operation in operations.values():
            operation.setdefault("responses", {}).setdefault("default", answer)
    return result
