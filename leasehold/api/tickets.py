"""Tickets: drafts, edits, approvals, starts and decisions."""

from collections.abc import Callable
from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import Serializer

from leasehold import selectors
from leasehold.actions import sessions, tickets
from leasehold.api.base import fields, filters
from leasehold.api.base.endpoint import Endpoint, Transition
from leasehold.api.base.pagination import cursor_page
from leasehold.api.base.schema import PAGING, page_of, query
from leasehold.api.representations import ledger as show
from leasehold.api.serializers import ledger as shapes
from leasehold.models import Session, Ticket


class Tickets(Endpoint):
    @extend_schema(
        operation_id="tickets_list",
        parameters=[
            filters.PROJECT,
            query("status", "Its state.", enum=Ticket.Status.values),
            query("mine", "`true`: only those that I wrote.", enum=filters.TRUE_OR_FALSE),
            *PAGING,
        ],
        responses=page_of(shapes.TicketShape),
    )
    def get(self, request: Request) -> Response:
        """The tickets of my projects, the newest first."""
        rows = selectors.tickets_for(self.actor).prefetch_related("scope")
        rows = filters.by_project(request, rows)
        if status := fields.choice_of(request, "status", Ticket.Status.values):
            rows = rows.filter(status=status)
        rows = filters.if_mine(request, rows, created_by=self.actor.user)
        page = cursor_page(request, rows, order=("-id",), render=lambda row: row)
        return Response(page | {"results": show.tickets(page["results"])})

    @extend_schema(request=shapes.NewTicket, responses={201: shapes.TicketDetailShape})
    def post(self, request: Request) -> Response:
        """Draft a ticket; editors, people and agents."""
        ticket = tickets.create_ticket(actor=self.actor, **self.validated(shapes.NewTicket))
        return Response(show.whole_ticket(self.actor, ticket.pk), status=201)


class TicketDetail(Endpoint):
    @extend_schema(responses=shapes.TicketDetailShape)
    def get(self, request: Request, pk: int) -> Response:
        """One ticket: its scope and who holds it, its sessions, failures, and what was committed under it."""
        return Response(show.whole_ticket(self.actor, pk))

    @extend_schema(request=shapes.TicketChange, responses=shapes.TicketDetailShape)
    def patch(self, request: Request, pk: int) -> Response:
        """Change a ticket that is not started; its author or an operator. Another scope takes the approval back."""
        tickets.edit_ticket(actor=self.actor, ticket_id=pk, **self.validated(shapes.TicketChange))
        return Response(show.whole_ticket(self.actor, pk))


@extend_schema(responses=shapes.TicketDetailShape)
class TicketTransition(Transition):
    id_name = "ticket_id"
    serializer_class = shapes.DecisionBody

    def row_as_json(self, pk: int) -> dict[str, Any]:
        return show.whole_ticket(self.actor, pk)


class TicketApprove(TicketTransition):
    """Approve a draft; operators, people only."""

    verb = staticmethod(tickets.approve)


class TicketAccept(TicketTransition):
    """The work is done; the reservation is freed. Operators."""

    verb = staticmethod(tickets.accept)


class TicketSendBack(TicketTransition):
    """To be started anew; the reservation is freed. Operators."""

    serializer_class = shapes.ReasonedBody
    verb = staticmethod(tickets.send_back)


class TicketCancel(TicketTransition):
    """For good. Operators; the author before it was started."""

    serializer_class = shapes.ReasonedBody
    verb = staticmethod(tickets.cancel)


class SessionOpening(Endpoint):
    """A POST that calls `verb` on a ticket and returns the new session. Like a `Transition` otherwise."""

    verb: Callable[..., Session]
    serializer_class: type[Serializer[Any]]

    @extend_schema(responses={201: shapes.SessionDetailShape})
    def post(self, request: Request, pk: int) -> Response:
        session = self.verb(actor=self.actor, ticket_id=pk, **self.validated(self.serializer_class))
        return Response(show.whole_session(self.actor, session.pk), status=201)


class TicketStart(SessionOpening):
    """Take an approved ticket: its whole scope is reserved, or nothing.

    409 `scope_reserved` names every ticket in the way, `scope_in_use` the check-outs of others below the keys.
    """

    serializer_class = shapes.StartBody
    verb = staticmethod(sessions.start)


class TicketResume(SessionOpening):
    """Let a blocked ticket go on, with its reservation; operators."""

    serializer_class = shapes.ResumeBody
    verb = staticmethod(sessions.resume)
