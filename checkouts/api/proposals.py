"""Endpoints of proposals: list, download, decide."""

from typing import Any

from django.http import HttpResponseBase
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from checkouts import selectors
from checkouts.actions import proposals as actions
from checkouts.api.content import CONTENT, ContentEndpoint
from checkouts.api.representations import files
from checkouts.api.representations import proposals as show
from checkouts.api.serializers import proposals as shapes
from checkouts.api.serializers.files import NothingBody, VersionShape
from checkouts.http.downloads import download
from checkouts.models import Proposal
from leasehold.api.base import fields, filters
from leasehold.api.base.endpoint import Endpoint, Transition
from leasehold.api.base.pagination import cursor_page
from leasehold.api.base.schema import PAGING, page_of, query


class Proposals(Endpoint):
    @extend_schema(
        operation_id="proposals_list",
        parameters=[
            query("state", "What became of it.", enum=Proposal.State.values),
            filters.PROJECT,
            *PAGING,
        ],
        responses=page_of(shapes.ProposalShape),
    )
    def get(self, request: Request) -> Response:
        """Proposals in my projects, the newest first, and my own for good."""
        rows = selectors.proposals_for(self.actor)
        if state := fields.choice_of(request, "state", Proposal.State.values):
            rows = rows.filter(state=state)
        rows = filters.by_project(request, rows, "artifact__project")
        return Response(cursor_page(request, rows, order=("-id",), render=show.proposal))


class ProposalDetail(Endpoint):
    @extend_schema(responses=shapes.ProposalShape)
    def get(self, request: Request, pk: int) -> Response:
        """One proposal."""
        return Response(show.proposal(selectors.proposal_for(self.actor, pk)))


class ProposalContent(ContentEndpoint):
    @extend_schema(responses=CONTENT)
    def get(self, request: Request, pk: int) -> HttpResponseBase:
        """Its bytes, as they were checked in."""
        proposal = selectors.proposal_for(self.actor, pk)
        blob = proposal.blob
        return download(request, key=blob.key, name=proposal.artifact.name, digest=blob.digest, size=blob.size)


class ProposalAccept(Endpoint):
    @extend_schema(request=shapes.AcceptBody, responses={201: VersionShape})
    def post(self, request: Request, pk: int) -> Response:
        """An operator makes it the next version; its author stays the author. 409 `stale_proposal` if the file has
        moved on since it was kept, `artifact_busy` while anybody has the file."""
        version = actions.accept(actor=self.actor, proposal_id=pk, **self.validated(shapes.AcceptBody))
        return Response(files.version(version), status=201, headers={"ETag": f'"{version.digest}"'})


@extend_schema(responses=shapes.ProposalShape)
class ProposalTransition(Transition):
    id_name = "proposal_id"

    def row_as_json(self, pk: int) -> dict[str, Any]:
        return show.proposal(selectors.proposal_for(self.actor, pk))


class ProposalReject(ProposalTransition):
    """An operator's no, with a reason. Its bytes can still be downloaded."""

    serializer_class = shapes.RejectBody
    verb = staticmethod(actions.reject)


class ProposalWithdraw(ProposalTransition):
    """Its author takes it back. Its bytes can still be downloaded."""

    serializer_class = NothingBody
    verb = staticmethod(actions.withdraw)


class ProposalRebuild(Endpoint):
    @extend_schema(request=NothingBody, responses={201: shapes.ProposalShape})
    def post(self, request: Request, pk: int) -> Response:
        """An operator has looked: the same bytes by the same author as a new proposal against the head of now. This one
        is superseded."""
        self.validated(NothingBody)
        rebuilt = actions.rebuild(actor=self.actor, proposal_id=pk)
        return Response(show.proposal(selectors.proposal_for(self.actor, rebuilt.pk)), status=201)
