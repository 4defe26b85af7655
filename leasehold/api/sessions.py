"""Sessions: list, checkpoint, submit, block, stop."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from leasehold import selectors
from leasehold.actions import sessions
from leasehold.api.base import fields, filters
from leasehold.api.base.endpoint import Endpoint, Transition
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
            query("mine", "`true`: only my own.", enum=filters.TRUE_OR_FALSE),
            filters.PROJECT,
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
        rows = filters.if_mine(request, rows, worker=self.actor.user)
        rows = filters.by_project(request, rows, "ticket__project")
        return Response(cursor_page(request, rows, order=("-id",), render=show.session))


class SessionDetail(Endpoint):
    @extend_schema(responses=shapes.SessionDetailShape)
    def get(self, request: Request, pk: int) -> Response:
        """One session, with its checkpoints and open check-outs."""
        return Response(show.whole_session(self.actor, pk))


@extend_schema(responses=shapes.SessionDetailShape)
class SessionTransition(Transition):
    id_name = "session_id"

    def row_as_json(self, pk: int) -> dict[str, Any]:
        return show.whole_session(self.actor, pk)


class SessionCheckpoint(SessionTransition):
    """A sign of life: the lease is renewed. `stop_requested` says whether an operator asks to stop."""

    serializer_class = shapes.CheckpointBody
    verb = staticmethod(sessions.checkpoint)


class SessionSubmit(SessionTransition):
    """Ready for review. 409 `checkouts_open` while the session has files checked out."""

    serializer_class = shapes.SubmitBody
    verb = staticmethod(sessions.submit)


class SessionBlock(SessionTransition):
    """The worker cannot go on. The reservation stays until an operator decides."""

    serializer_class = shapes.ReasonBody
    verb = staticmethod(sessions.block)


class SessionStop(SessionTransition):
    """Ask the worker to stop; the next checkpoint says so. Operators."""

    serializer_class = shapes.ReasonBody
    verb = staticmethod(sessions.stop)
