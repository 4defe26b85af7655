"""What the endpoints that return bytes share."""

from typing import Any

from django.http import HttpResponseBase
from drf_spectacular.types import OpenApiTypes
from rest_framework.negotiation import BaseContentNegotiation
from rest_framework.request import Request

from checkouts.http.downloads import download
from checkouts.models import Version
from leasehold.api.base.endpoint import Endpoint

#: for the schema
CONTENT = {
    (200, "application/octet-stream"): OpenApiTypes.BINARY,
    (206, "application/octet-stream"): OpenApiTypes.BINARY,
    304: None,
}


class AsItIs(BaseContentNegotiation):
    """Ignore `Accept`: bytes are sent unchanged, and refusals are JSON."""

    def select_parser(self, request: Request, parsers: Any) -> Any:
        return parsers[0]

    def select_renderer(self, request: Request, renderers: Any, format_suffix: str | None = None) -> tuple[Any, str]:
        return renderers[0], renderers[0].media_type


class ContentEndpoint(Endpoint):
    content_negotiation_class = AsItIs


def version_response(request: Request, version: Version, name: str) -> HttpResponseBase:
    """Return a version's bytes as a download. Needs its `blob` loaded."""
    return download(request, key=version.blob.key, name=name, digest=version.digest, size=version.size)
