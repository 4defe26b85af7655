"""What was checked in and could not be committed: kept, listed, downloadable."""

from django.http import HttpResponseBase
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from checkouts import selectors
from checkouts.api import representations as show
from checkouts.api import shapes
from checkouts.api.content import CONTENT, ContentDoor
from checkouts.downloads import download
from checkouts.models import Proposal
from leasehold.api import fields
from leasehold.api.doors import Door
from leasehold.api.pages import page
from leasehold.api.schema import PAGING, page_of, query


class Proposals(Door):
    @extend_schema(
        operation_id="proposals_list",
        parameters=[
            query("state", "What became of it.", enum=Proposal.State.values),
            query("project", "The slug."),
            *PAGING,
        ],
        responses=page_of(shapes.ProposalShape),
    )
    def get(self, request: Request) -> Response:
        """Proposals in my projects, the newest first, and my own for good."""
        rows = selectors.proposals_for(self.actor)
        if state := fields.choice_of(request, "state", Proposal.State.values):
            rows = rows.filter(state=state)
        if slug := fields.text_of(request, "project"):
            rows = rows.filter(artifact__project__slug=slug)
        return Response(page(request, rows, order=("-id",), render=show.proposal))


class ProposalDetail(Door):
    @extend_schema(responses=shapes.ProposalShape)
    def get(self, request: Request, pk: int) -> Response:
        """One proposal."""
        return Response(show.proposal(selectors.proposal_for(self.actor, pk)))


class ProposalContent(ContentDoor):
    @extend_schema(responses=CONTENT)
    def get(self, request: Request, pk: int) -> HttpResponseBase:
        """Its bytes, as they were checked in."""
        kept = selectors.proposal_for(self.actor, pk)
        blob = kept.blob
        return download(request, key=blob.key, name=kept.artifact.name, digest=blob.digest, size=blob.size)
