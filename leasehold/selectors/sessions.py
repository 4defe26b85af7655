"""Sessions that the actor may see."""

from collections.abc import Iterable

from django.db.models import Exists, Max, OuterRef, Q, QuerySet

from leasehold.actors import Actor
from leasehold.database.clock import DatabaseNow
from leasehold.database.ids import BIGGEST_ID
from leasehold.exceptions import Invalid, NotFound
from leasehold.models import Membership, Session, Ticket


def sessions_for(actor: Actor) -> QuerySet[Session]:
    """Return the sessions on the tickets of the actor's projects, and the actor's own; each with `at`, `is_lapsed`."""
    sessions = Session.objects.select_related("ticket__project", "worker", "stop_requested_by").annotate(
        at=DatabaseNow(), is_lapsed=Q(status=Session.Status.ACTIVE, lease_until__lte=DatabaseNow())
    )
    if actor.sees_everything:
        return sessions
    memberships = Membership.objects.filter(project=OuterRef("ticket__project"), user=actor.user)
    return sessions.filter(Q(worker=actor.user) | Exists(memberships))


def sessions_in(sessions: QuerySet[Session], status: str) -> QuerySet[Session]:
    """Return the sessions of a status. `active` leaves out lapsed ones; `lapsed` are those not yet marked expired."""
    if status == "lapsed":
        return sessions.filter(is_lapsed=True)
    if status == Session.Status.ACTIVE:
        return sessions.filter(status=status, is_lapsed=False)
    return sessions.filter(status=status)


def session_for(actor: Actor, session_id: int) -> Session:
    """Return one session. Raises `NotFound` if it does not exist or the actor may not see it."""
    found = sessions_for(actor).filter(pk=session_id).first() if 0 < session_id <= BIGGEST_ID else None
    if found is None:
        raise NotFound
    return found


def is_own_session(actor: Actor, session_id: int) -> bool:
    """Return whether this is a live session of the actor's."""
    mine = Session.objects.filter(worker=actor.user, status=Session.Status.ACTIVE, lease_until__gt=DatabaseNow())
    return 0 < session_id <= BIGGEST_ID and mine.filter(pk=session_id).exists()


def demand_own_session(actor: Actor, session_id: int) -> int:
    """Return the id if it is a live session of the actor's. Raises `Invalid` on `session` otherwise."""
    if not is_own_session(actor, session_id):
        raise Invalid.of("session", "Not an active session of yours.")
    return session_id


def last_sessions(tickets: Iterable[Ticket]) -> dict[int, Session]:
    """Return the newest session of each ticket, with its worker, by the ticket's id; one statement for all."""
    sessions = Session.objects.filter(ticket__in=[ticket.pk for ticket in tickets]).order_by()
    newest = sessions.values("ticket").annotate(last=Max("pk")).values("last")
    rows = Session.objects.filter(pk__in=newest).select_related("worker")
    return {row.ticket_id: row for row in rows}
