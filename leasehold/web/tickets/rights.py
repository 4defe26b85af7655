"""The facts that decide what the reader may do with a ticket. Read without locks; the actions check again."""

from leasehold.actions.tickets import demand_role_in_named_projects
from leasehold.actors import Actor
from leasehold.exceptions import Forbidden
from leasehold.models import Role, Ticket
from leasehold.rules import TicketFacts, includes
from leasehold.web.tickets.runs import Run


def ticket_facts(actor: Actor, ticket: Ticket, run: Run | None) -> TicketFacts:
    """Return the facts that decide which verbs the page offers.

    `ticket` comes from `tickets_for`, with the reader's role; `run` is its newest session.
    """
    role = actor.effective(ticket.role)
    status, is_live = ticket.status, run is not None and run.is_live
    if status == Ticket.Status.IN_PROGRESS and not is_live:
        status = Ticket.Status.BLOCKED  # the next action on the ticket stores this first
    is_draft_of_operator = status == Ticket.Status.DRAFT and includes(role, Role.OPERATOR)
    return TicketFacts(
        status=status,
        role=role,
        is_person=not actor.user.is_agent,
        is_author=ticket.created_by_id == actor.user.pk,
        two_person=ticket.project.two_person,
        may_approve_scope=is_draft_of_operator and is_operator_of_scope(actor, ticket),
        is_at_work=is_live,
        is_own_work=run is not None and is_live and run.session.worker_id == actor.user.pk,
    )


def is_operator_of_scope(actor: Actor, ticket: Ticket) -> bool:
    """Is the actor an operator of every project in which the ticket's keys lie?"""
    try:
        demand_role_in_named_projects(actor, ticket.scope.values_list("place", flat=True), Role.OPERATOR)
    except Forbidden:
        return False
    return True
