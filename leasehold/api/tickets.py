"""Tickets: drafts, edits, approvals, starts and decisions."""

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from leasehold import selectors
from leasehold.actions import sessions, tickets
from leasehold.api.base import fields
from leasehold.api.base.endpoint import Endpoint
from leasehold.api.base.pagination import cursor_page
from leasehold.api.base.schema import PAGING, page_of, query
from leasehold.api.representations import ledger as show
from leasehold.api.serializers import ledger as shapes
from leasehold.models import Ticket


class Tickets(Endpoint):
    @extend_schema(
        operation_id="tickets_list",
        parameters=[
            query("project", "The slug."),
            query("status", "Its state.", enum=Ticket.Status.values),
            query("mine", "`true`: only those that I wrote.", enum=("true", "false")),
            *PAGING,
        ],
        responses=page_of(shapes.TicketShape),
    )
    def get(self, request: Request) -> Response:
        """The tickets of my projects, the newest first."""
        rows = selectors.tickets_for(self.actor).prefetch_related("scope")
        if slug := fields.text_of(request, "project"):
            rows = rows.filter(project__slug=slug)
        if status := fields.choice_of(request, "status", Ticket.Status.values):
            rows = rows.filter(status=status)
        if fields.flag_of(request, "mine"):
            rows = rows.filter(created_by=self.actor.user)
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


class TicketApprove(Endpoint):
    @extend_schema(request=shapes.DecisionBody, responses=shapes.TicketDetailShape)
    def post(self, request: Request, pk: int) -> Response:
        """Approve a draft; operators, people only."""
        tickets.approve(actor=self.actor, ticket_id=pk, **self.validated(shapes.DecisionBody))
        return Response(show.whole_ticket(self.actor, pk))


class TicketStart(Endpoint):
    @extend_schema(request=shapes.StartBody, responses={201: shapes.SessionDetailShape})
    def post(self, request: Request, pk: int) -> Response:
        """Take an approved ticket: its whole scope is reserved, or nothing.

        409 `scope_reserved` names every ticket in the way, `scope_in_use` the check-outs of others below the keys.
        """
        session = sessions.start(actor=self.actor, ticket_id=pk, **self.validated(shapes.StartBody))
        return Response(show.whole_session(self.actor, session.pk), status=201)


class TicketResume(Endpoint):
    @extend_schema(request=shapes.ResumeBody, responses={201: shapes.SessionDetailShape})
    def post(self, request: Request, pk: int) -> Response:
        """Let a blocked ticket go on, with its reservation; operators."""
        session = sessions.resume(actor=self.actor, ticket_id=pk, **self.validated(shapes.ResumeBody))
        return Response(show.whole_session(self.actor, session.pk), status=201)


class TicketAccept(Endpoint):
    @extend_schema(request=shapes.DecisionBody, responses=shapes.TicketDetailShape)
    def post(self, request: Request, pk: int) -> Response:
        """The work is done; the reservation is freed. Operators."""
        tickets.accept(actor=self.actor, ticket_id=pk, **self.validated(shapes.DecisionBody))
        return Response(show.whole_ticket(self.actor, pk))


class TicketSendBack(Endpoint):
    @extend_schema(request=shapes.ReasonedBody, responses=shapes.TicketDetailShape)
    def post(self, request: Request, pk: int) -> Response:
        """To be started anew; the reservation is freed. Operators."""
        tickets.send_back(actor=self.actor, ticket_id=pk, **self.validated(shapes.ReasonedBody))
        return Response(show.whole_ticket(self.actor, pk))


class TicketCancel(Endpoint):
    @extend_schema(request=shapes.ReasonedBody, responses=shapes.TicketDetailShape)
    def post(self, request: Request, pk: int) -> Response:
        """For good. Operators; the author before it was started."""
        tickets.cancel(actor=self.actor, ticket_id=pk, **self.validated(shapes.ReasonedBody))
        return Response(show.whole_ticket(self.actor, pk))
