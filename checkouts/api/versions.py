"""Endpoints of versions: list, read, restore."""

from django.http import HttpResponseBase
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from checkouts import selectors
from checkouts.actions.restore import restore
from checkouts.api.content import CONTENT, ContentEndpoint, version_response
from checkouts.api.representations import files as show
from checkouts.api.representations.proposals import proposal
from checkouts.api.serializers import files as shapes
from checkouts.api.serializers.proposals import ProposalShape
from checkouts.models import Proposal
from leasehold.api.base.endpoint import Endpoint
from leasehold.api.base.pagination import cursor_page
from leasehold.api.base.schema import PAGING, page_of


class VersionList(Endpoint):
    @extend_schema(operation_id="versions_list", parameters=PAGING, responses=page_of(shapes.VersionShape))
    def get(self, request: Request, pk: int) -> Response:
        """A file's versions, the newest first."""
        rows = selectors.versions_of(selectors.artifact_for(self.actor, pk).artifact)
        return Response(cursor_page(request, rows, order=("-number",), render=show.version))


class VersionDetail(Endpoint):
    @extend_schema(responses=shapes.VersionShape)
    def get(self, request: Request, pk: int, number: int) -> Response:
        """One version."""
        return Response(show.version(selectors.version_of(selectors.artifact_for(self.actor, pk).artifact, number)))


class VersionContent(ContentEndpoint):
    @extend_schema(responses=CONTENT)
    def get(self, request: Request, pk: int, number: int) -> HttpResponseBase:
        """A version's bytes."""
        artifact = selectors.artifact_for(self.actor, pk).artifact
        return version_response(request, selectors.version_of(artifact, number), artifact.name)


class VersionRestore(Endpoint):
    @extend_schema(
        request=shapes.RestoreBody,
        responses={
            201: OpenApiResponse(shapes.VersionShape, "The new version, with the old one's bytes."),
            202: OpenApiResponse(ProposalShape, "An agent's, where the write policy asks for a proposal."),
        },
    )
    def post(self, request: Request, pk: int, number: int) -> Response:
        """Restore an old version as a new one. 409 `artifact_busy` while anybody, oneself included, has the file."""
        result = restore(actor=self.actor, artifact_id=pk, number=number, **self.validated(shapes.RestoreBody))
        if isinstance(result, Proposal):
            return Response(proposal(result), status=202)
        return Response(show.version(result), status=201, headers={"ETag": f'"{result.digest}"'})
