"""A small picture of a version or a proposal, for pages to show; where there is none, a drawing that says so.

And a smaller one for the rows of a list, where a blank leaves the type's icon to be seen.
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
NONE = (
    '<svg xmlns="http://www.w3.org/2000/svg" width="320" height="240" viewBox="0 0 320 240" role="img">'
    '<title>No preview</title><text x="160" y="120" text-anchor="middle" fill="#808892" '
    'font-family="system-ui, sans-serif" font-size="15">No preview</text></svg>'
)


#: what is seen through; the script asks again for the wider one
BLANK = '<svg xmlns="http://www.w3.org/2000/svg" width="{}" height="1"></svg>'
NO_PICTURE, NOT_YET = BLANK.format(1), BLANK.format(2)


@signed_in
@require_safe
def of_version(request: HttpRequest, artifact_id: int, number: int) -> HttpResponse:
    version, name = version_seen(request, artifact_id, number)
    return shown(request, version.blob.key, name)


@signed_in
@require_safe
def thumbnail(request: HttpRequest, artifact_id: int, number: int) -> HttpResponse:
    """Kept by the browser for good: its address names the digest, and `Vary: Cookie` parts one person from the next."""
    version, name = version_seen(request, artifact_id, number)
    small = row_thumbnail(version.blob.key, name)
    if small is None:
        return picture_of(NOT_YET.encode(), SVG, "no-store")
    if not small:
        return picture_of(NO_PICTURE.encode(), SVG, f"private, max-age={DAY}")  # a newer decoder may know better
    return picture_of(small, KIND, f"private, max-age={365 * DAY}, immutable")


def version_seen(request: HttpRequest, artifact_id: int, number: int) -> tuple[Version, str]:
    """The version and its file's name."""
    artifact = artifact_for(actor_of(request), artifact_id).artifact
    version = versions_of(artifact).filter(number=number).first() if number <= BIGGEST_ID else None
    if version is None:
        raise NotFound
    return version, artifact.name


@signed_in
@require_safe
def of_proposal(request: HttpRequest, proposal_id: int) -> HttpResponse:
    proposal = proposal_for(actor_of(request), proposal_id)
    return shown(request, proposal.blob.key, proposal.artifact.name)


def shown(request: HttpRequest, key: uuid.UUID, name: str) -> HttpResponse:
    etag = f'"preview-{key}"'
    if is_etag_match(request.headers.get("If-None-Match", ""), etag):
        answer: HttpResponse = HttpResponseNotModified()
    else:
        picture = preview(key, name)
        answer = HttpResponse(picture, content_type=KIND) if picture else HttpResponse(NONE, content_type=SVG)
        if picture is None:
            etag = ""  # it may only have taken too long
    if etag:
        answer["ETag"] = etag
    # kept, and asked about each time: one may have lost one's access
    return guarded(answer, "private, no-cache")


def picture_of(content: bytes, kind: str, caching: str) -> HttpResponse:
    return guarded(HttpResponse(content, content_type=kind), caching)


def guarded(answer: HttpResponse, caching: str) -> HttpResponse:
    answer["Cache-Control"] = caching
    answer["Content-Security-Policy"] = POLICY
    answer["X-Content-Type-Options"] = "nosniff"
    return answer
