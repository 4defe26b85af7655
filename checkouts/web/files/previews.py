"""Previews of versions and proposals, with a placeholder if there is none, and thumbnails for the rows of a list.

A row without a thumbnail gets a transparent image, so that the type's icon stays visible.
"""

import uuid

from django.http import HttpRequest, HttpResponse, HttpResponseNotModified
from django.views.decorators.http import require_safe

from checkouts.http.downloads import POLICY, is_etag_match
from checkouts.models import Version
from checkouts.previews.images import KIND, preview, row_thumbnail
from checkouts.selectors import artifact_for, proposal_for, versions_of
from checkouts.web.views import signed_in
from leasehold.database.ids import BIGGEST_ID
from leasehold.exceptions import NotFound
from leasehold.web.reader import actor_of

SVG, DAY = "image/svg+xml", 86_400
NO_PREVIEW = (
    '<svg xmlns="http://www.w3.org/2000/svg" width="320" height="240" viewBox="0 0 320 240" role="img">'
    '<title>No preview</title><text x="160" y="120" text-anchor="middle" fill="#808892" '
    'font-family="system-ui, sans-serif" font-size="15">No preview</text></svg>'
)
#: transparent images; the script requests the wider one again
BLANK = '<svg xmlns="http://www.w3.org/2000/svg" width="{}" height="1"></svg>'
NO_THUMBNAIL, NOT_YET = BLANK.format(1), BLANK.format(2)


@signed_in
@require_safe
def of_version(request: HttpRequest, artifact_id: int, number: int) -> HttpResponse:
    version, name = version_and_name(request, artifact_id, number)
    return preview_response(request, version.blob.key, name)


@signed_in
@require_safe
def thumbnail(request: HttpRequest, artifact_id: int, number: int) -> HttpResponse:
    """The browser caches it for good: its URL contains the digest, and `Vary: Cookie` separates accounts."""
    version, name = version_and_name(request, artifact_id, number)
    content = row_thumbnail(version.blob.key, name)
    if content is None:
        return image_response(NOT_YET.encode(), SVG, "no-store")
    if not content:
        return image_response(NO_THUMBNAIL.encode(), SVG, f"private, max-age={DAY}")  # a newer decoder may succeed
    return image_response(content, KIND, f"private, max-age={365 * DAY}, immutable")


def version_and_name(request: HttpRequest, artifact_id: int, number: int) -> tuple[Version, str]:
    """Return the version and its file's name. Raises `NotFound`."""
    artifact = artifact_for(actor_of(request), artifact_id).artifact
    version = versions_of(artifact).filter(number=number).first() if number <= BIGGEST_ID else None
    if version is None:
        raise NotFound
    return version, artifact.name


@signed_in
@require_safe
def of_proposal(request: HttpRequest, proposal_id: int) -> HttpResponse:
    proposal = proposal_for(actor_of(request), proposal_id)
    return preview_response(request, proposal.blob.key, proposal.artifact.name)


def preview_response(request: HttpRequest, key: uuid.UUID, name: str) -> HttpResponse:
    etag = f'"preview-{key}"'
    if is_etag_match(request.headers.get("If-None-Match", ""), etag):
        response: HttpResponse = HttpResponseNotModified()
    else:
        picture = preview(key, name)
        response = HttpResponse(picture, content_type=KIND) if picture else HttpResponse(NO_PREVIEW, content_type=SVG)
        if picture is None:
            etag = ""  # the decoder may only have been busy
    if etag:
        response["ETag"] = etag
    # cached, but revalidated: the reader may have lost access
    return with_safe_headers(response, "private, no-cache")


def image_response(content: bytes, kind: str, caching: str) -> HttpResponse:
    return with_safe_headers(HttpResponse(content, content_type=kind), caching)


def with_safe_headers(response: HttpResponse, caching: str) -> HttpResponse:
    response["Cache-Control"] = caching
    response["Content-Security-Policy"] = POLICY
    response["X-Content-Type-Options"] = "nosniff"
    return response
