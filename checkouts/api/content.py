"""What the endpoints that answer with bytes share."""

from typing import Any

from drf_spectacular.types import OpenApiTypes
from rest_framework.negotiation import BaseContentNegotiation
from rest_framework.request import Request

from leasehold.api.doors import Door

#: for the schema
CONTENT = {
    (200, "application/octet-stream"): OpenApiTypes.BINARY,
    (206, "application/octet-stream"): OpenApiTypes.BINARY,
    304: None,
}


class AsItIs(BaseContentNegotiation):
    """Bytes go out as they are, whatever `Accept` says; a refusal is JSON."""

    def select_parser(self, request: Request, parsers: Any) -> Any:
        return parsers[0]

    def select_renderer(self, request: Request, renderers: Any, format_suffix: str | None = None) -> tuple[Any, str]:
        return renderers[0], renderers[0].media_type


class ContentDoor(Door):
    content_negotiation_class = AsItIs
