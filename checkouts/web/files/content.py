"""Downloads: the bytes of a file, a version or a proposal."""

from django.http import HttpRequest, HttpResponseBase
from django.views.decorators.http import require_safe

from checkouts.http.downloads import download
from checkouts.models import Artifact, Version
from checkouts.selectors import (
    artifact_for,
    proposal_for,
    versions_of,
)
from checkouts.web.views import signed_in
from leasehold.database.ids import BIGGEST_ID
from leasehold.exceptions import NotFound
from leasehold.web.reader import actor_of


@signed_in
@require_safe
def content(request: HttpRequest, artifact_id: int) -> HttpResponseBase:
    """Return the newest version's bytes."""
    artifact = artifact_for(actor_of(request), artifact_id).artifact
    return version_response(request, versions_of(artifact).first(), artifact)


@signed_in
@require_safe
def version_content(request: HttpRequest, artifact_id: int, number: int) -> HttpResponseBase:
    artifact = artifact_for(actor_of(request), artifact_id).artifact
    found = versions_of(artifact).filter(number=number).first() if number <= BIGGEST_ID else None
    return version_response(request, found, artifact)


@signed_in
@require_safe
def proposal_content(request: HttpRequest, proposal_id: int) -> HttpResponseBase:
    proposal = proposal_for(actor_of(request), proposal_id)
    blob = proposal.blob
    return download(request, key=blob.key, name=proposal.artifact.name, digest=blob.digest, size=blob.size)


def version_response(request: HttpRequest, version: Version | None, artifact: Artifact) -> HttpResponseBase:
    if version is None:
        raise NotFound
    return download(request, key=version.blob.key, name=artifact.name, digest=version.digest, size=version.size)
