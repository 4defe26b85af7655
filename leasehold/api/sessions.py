"""Sessions: list, checkpoint, submit, block, stop."""

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from leasehold import selectors
from leasehold.actions import sessions
from leasehold.api.base import fields
from leasehold.api.base.endpoint import Endpoint
from leasehold.api.base.pagination import cursor_page
from leasehold.api.base.schema import PAGING, page_of, query
from leasehold.api.representations import ledger as show
from leasehold.api.serializers import ledger as shapes
from leasehold.models import Session

STATES = (*Session.Status.values, "lapsed")


class Sessions(Endpoint):
    @extend_schema(
        operation_id="sessions_list",
        parameters=[
            query("ticket", "The ticket's id."),
            query("status", "`active` is what still runs; `lapsed` what has run out unwritten.", enum=STATES),
            query("mine", "`true`: only my own.", enum=("true", "false")),
            query("project", "The slug."),
            *PAGING,
        ],
        responses=page_of(shapes.SessionShape),
    )
    def get(self, request: Request) -> Response:
        """The sessions of my projects and my own, the newest first."""
        rows = selectors.sessions_for(self.actor)
        if ticket := fields.id_of(request, "ticket"):
            rows = rows.filter(ticket=ticket)
        if status := fields.choice_of(request, "status", STATES):
            rows = selectors.sessions_in(rows, status)
        if fields.flag_of(request, "mine"):
            rows = rows.filter(worker=self.actor.user)
        if slug := fields.text_of(request, "project"):
            rows = rows.filter(ticket__project__slug=slug)
        return Response(cursor_page(request, rows, order=("-id",), render=show.session))


class SessionDetail(Endpoint):
    @extend_schema(responses=shapes.SessionDetailShape)
    def get(self, request: Request, pk: int) -> Response:
        """One session, with its checkpoints and open check-outs."""
        return Response(show.whole_session(self.actor, pk))


class SessionCheckpoint(Endpoint):
    @extend_schema(request=shapes.CheckpointBody, responses=shapes.SessionDetailShape)
    def post(self, request: Request, pk: int) -> Response:
        """A sign of life: the lease is renewed. `stop_requested` says whether an operator asks to stop."""
        sessions.checkpoint(actor=self.actor, session_id=pk, **self.validated(shapes.CheckpointBody))
        return Response(show.whole_session(self.actor, pk))


class SessionSubmit(Endpoint):
    @extend_schema(request=shapes.SubmitBody, responses=shapes.SessionDetailShape)
    def post(self, request: Request, pk: int) -> Response:
        """Ready for review. 409 `checkouts_open` while the session has files checked out."""
        sessions.submit(actor=self.actor, session_id=pk, **self.validated(shapes.SubmitBody))
        return Response(show.whole_session(self.actor, pk))


class SessionBlock(Endpoint):
    @extend_schema(request=shapes.ReasonBody, responses=shapes.SessionDetailShape)
    def post(self, request: Request, pk: int) -> Response:
        """The worker cannot go on. The reservation stays until an operator decides."""
        sessions.block(actor=self.actor, session_id=pk, **self.validated(shapes.ReasonBody))
        return Response(show.whole_session(self.actor, pk))


class SessionStop(Endpoint):
    @extend_schema(request=shapes.ReasonBody, responses=shapes.SessionDetailShape)
    def post(self, request: Request, pk: int) -> Response:
        """Ask the worker to stop; the next checkpoint says so. Operators."""
        sessions.stop(actor=self.actor, session_id=pk, **self.validated(shapes.ReasonBody))
        return Response(show.whole_session(self.actor, pk))
