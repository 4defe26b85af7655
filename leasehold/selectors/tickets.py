"""Tickets of the actor's projects, by state, by number and by words."""

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
    """The tickets of the actor's projects, each with the actor's `role` there."""
    role = Membership.objects.filter(project=OuterRef("project"), user=actor.user).values("role")[:1]
    tickets = Ticket.objects.select_related("project", "created_by", "approved_by").annotate(role=Subquery(role))
    return tickets if actor.sees_everything else tickets.filter(project__memberships__user=actor.user)


def participant_of(account: str) -> Any:
    """The expression for an account's name as a participant, `user:alice`, by the name of its foreign key."""
    kind = Case(When(**{f"{account}__kind": User.Kind.AGENT}, then=Value("agent:")), default=Value("user:"))
    return Concat(kind, f"{account}__username", output_field=TextField())


def ticket_for(actor: Actor, ticket_id: int) -> Ticket:
    """One ticket; `NotFound` if it is unknown or foreign."""
    found = tickets_for(actor).filter(pk=ticket_id).first() if 0 < ticket_id <= BIGGEST_ID else None
    if found is None:
        raise NotFound
    return found


OPEN = (*EDITABLE, Ticket.Status.IN_PROGRESS, *WAITING)


def tickets_in(tickets: QuerySet[Ticket], state: str) -> QuerySet[Ticket]:
    """Those of `tickets_for` in a state; one whose session has lapsed counts as blocked, though nothing says so yet.

    `open` is all that is not over; `stale` is what waits too long for a decision.
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


def to_decide(actor: Actor) -> QuerySet[Ticket]:
    """Tickets that wait for a decision where the actor is an operator."""
    waiting = tickets_for(actor).filter(status__in=WAITING)
    return waiting if actor.user.is_superuser else waiting.filter(role=Role.OPERATOR)


def finding(tickets: QuerySet[Ticket], words: str) -> QuerySet[Ticket]:
    """Those with this number, with these words in the title, or with a scope key that contains them."""
    keys = ScopeKey.objects.filter(ticket=OuterRef("pk"), place__contains=names.comparing(words))
    found = Q(title__icontains=words) | Q(Exists(keys))
    if number := id_in(words):
        found |= Q(pk=number)
    return tickets.filter(found)
