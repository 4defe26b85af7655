"""What the pages list: tickets by state, their newest sessions, and counts that never run on."""

from collections.abc import Iterable
from typing import Any

from django.conf import settings
from django.core.exceptions import EmptyResultSet
from django.db import DEFAULT_DB_ALIAS, connection
from django.db.models import Exists, Max, OuterRef, Q, QuerySet, Value

from leasehold import names
from leasehold.actors import Actor
from leasehold.clock import DatabaseNow, StatementNow
from leasehold.ids import id_in
from leasehold.models import Role, ScopeKey, Session, Ticket
from leasehold.rules import EDITABLE, WAITING
from leasehold.selectors import tickets_for

COUNTED = 100  # rows; a page then says 99+
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


def last_sessions(tickets: Iterable[Ticket]) -> dict[int, Session]:
    """Ticket → its newest session, with its worker; one statement for all."""
    all_of_them = Session.objects.filter(ticket__in=[ticket.pk for ticket in tickets]).order_by()
    newest = all_of_them.values("ticket").annotate(last=Max("pk")).values("last")
    rows = Session.objects.filter(pk__in=newest).select_related("worker")
    return {row.ticket_id: row for row in rows}


def capped(**rows: QuerySet[Any]) -> dict[str, int]:
    """How many rows each has, counted no further than COUNTED: one statement, whatever grows."""
    pieces: list[str] = []
    values: list[Any] = []
    for counted in rows.values():
        try:
            some = counted.order_by().values(one=Value(1))[:COUNTED]
            sql, params = some.query.get_compiler(DEFAULT_DB_ALIAS).as_sql()
        except EmptyResultSet:
            sql, params = "SELECT 1 WHERE 1 = 0", ()
        pieces.append(f"(SELECT count(*) FROM ({sql}) AS counted)")  # noqa: S608 - the ORM's own SQL, values apart
        values += params
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {', '.join(pieces)}", values)
        return dict(zip(rows, cursor.fetchone(), strict=True))
