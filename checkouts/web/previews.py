"""A small picture of a version or a proposal, for pages to show; where there is none, a drawing that says so."""

import uuid

from django.http import HttpRequest, HttpResponse, HttpResponseNotModified
from django.views.decorators.http import require_safe

from checkouts.downloads import POLICY, matches
from checkouts.previews import KIND, preview
from checkouts.selectors import artifact_for, proposal_for, versions_of
from checkouts.web.shown import signed_in
from leasehold.exceptions import NotFound
from leasehold.selectors import BIGGEST_ID
from leasehold.web.reader import actor_of

NONE = (
    '<svg xmlns="http://www.w3.org/2000/svg" width="320" height="240" viewBox="0 0 320 240" role="img">'
    '<title>No preview</title><text x="160" y="120" text-anchor="middle" fill="#808892" '
    'font-family="system-ui, sans-serif" font-size="15">No preview</text></svg>'
)


@signed_in
@require_safe
def of_version(request: HttpRequest, artifact_id: int, number: int) -> HttpResponse:
    artifact = artifact_for(actor_of(request), artifact_id).artifact
    version = versions_of(artifact).filter(number=number).first() if number <= BIGGEST_ID else None
    if version is None:
        raise NotFound
    return shown(request, version.blob.key, artifact.name)


@signed_in
@require_safe
def of_proposal(request: HttpRequest, proposal_id: int) -> HttpResponse:
    proposal = proposal_for(actor_of(request), proposal_id)
    return shown(request, proposal.blob.key, proposal.artifact.name)


def shown(request: HttpRequest, key: uuid.UUID, name: str) -> HttpResponse:
    etag = f'"preview-{key}"'
    if matches(request.headers.get("If-None-Match", ""), etag):
        answer: HttpResponse = HttpResponseNotModified()
    else:
        picture = preview(key, name)
        answer = (
            HttpResponse(picture, content_type=KIND) if picture else HttpResponse(NONE, content_type="image/svg+xml")
        )
        if picture is None:
            etag = ""  # it may only have taken too long
    if etag:
        answer["ETag"] = etag
    answer["Cache-Control"] = "private, no-cache"  # kept, and asked about each time: one may have lost one's access
    answer["Content-Security-Policy"] = POLICY
    answer["X-Content-Type-Options"] = "nosniff"
    return answer
