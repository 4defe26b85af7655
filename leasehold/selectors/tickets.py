"""Tickets that the actor may see, by id, by state and by search words."""

from typing import Any

from django.conf import settings
from django.db.models import Case, Exists, OuterRef, Q, QuerySet, Subquery, TextField, Value, When
from django.db.models.functions import Concat

from leasehold import names
from leasehold.actors import Actor
from leasehold.database.clock import DatabaseNow, StatementNow
from leasehold.database.ids import BIGGEST_ID, id_in
from leasehold.exceptions import NotFound
from leasehold.models import Membership, Role, ScopeKey, Session, Ticket, User
from leasehold.rules import EDITABLE, WAITING


def tickets_for(actor: Actor) -> QuerySet[Ticket]:
    """Return the tickets of the actor's projects, each with the actor's `role` there."""
    role = Membership.objects.filter(project=OuterRef("project"), user=actor.user).values("role")[:1]
    tickets = Ticket.objects.select_related("project", "created_by", "approved_by").annotate(role=Subquery(role))
    return tickets if actor.sees_everything else tickets.filter(project__memberships__user=actor.user)


def participant_of(account: str) -> Any:
    """Return the expression for an account as a participant, `user:alice`; `account` names the foreign key to it."""
    kind = Case(When(**{f"{account}__kind": User.Kind.AGENT}, then=Value("agent:")), default=Value("user:"))
    return Concat(kind, f"{account}__username", output_field=TextField())


def ticket_for(actor: Actor, ticket_id: int) -> Ticket:
    """Return one ticket. Raises `NotFound` if it does not exist or the actor may not see it."""
    found = tickets_for(actor).filter(pk=ticket_id).first() if 0 < ticket_id <= BIGGEST_ID else None
    if found is None:
        raise NotFound
    return found


OPEN = (*EDITABLE, Ticket.Status.IN_PROGRESS, *WAITING)


def tickets_in(tickets: QuerySet[Ticket], state: str) -> QuerySet[Ticket]:
    """Return the tickets in a state. A ticket whose session has lapsed counts as blocked, whatever its row says.

    `open` means every ticket that is neither done nor cancelled; `stale` those that wait too long for a decision.
    """
    run_out = Session.objects.filter(status=Session.Status.ACTIVE, lease_until__lte=StatementNow()).values("ticket")
    match state:
        case "open":
            return tickets.filter(status__in=OPEN)
        case "stale":
            return tickets.filter(status__in=WAITING, state_since__lte=DatabaseNow(-settings.LEASEHOLD_STALE_AFTER))
        case Ticket.Status.BLOCKED:
            return tickets.filter(Q(status=state) | Q(pk__in=run_out))
        case Ticket.Status.IN_PROGRESS:
            return tickets.filter(status=state).exclude(pk__in=run_out)
    return tickets.filter(status=state)


def tickets_to_decide(actor: Actor) -> QuerySet[Ticket]:
    """Return the tickets that wait for a decision in projects where the actor is an operator."""
    waiting = tickets_for(actor).filter(status__in=WAITING)
    return waiting if actor.user.is_superuser else waiting.filter(role=Role.OPERATOR)


def search_tickets(tickets: QuerySet[Ticket], words: str) -> QuerySet[Ticket]:
    """Return the tickets whose id is `words`, or whose title or scope keys contain `words`."""
    keys = ScopeKey.objects.filter(ticket=OuterRef("pk"), place__contains=names.comparing_form(words))
    found = Q(title__icontains=words) | Q(Exists(keys))
    if number := id_in(words):
        found |= Q(pk=number)
    return tickets.filter(found)
