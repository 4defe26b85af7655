"""Write down what time alone has already decided. Nothing depends on it: readers derive what has lapsed.

Sessions past their lease block their tickets; every mutating action sees to them first. The lapses of other leases are
written down by the command alone: a lapsed row is free to whoever asks, whether or not anything swept.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from django.db import connection
from django.db.models import F, QuerySet, TextField, Value
from django.db.models.functions import Cast, Concat

from leasehold import journal, leases
from leasehold.database import clock
from leasehold.database.clock import IsoText, StatementNow
from leasehold.database.sets import Listed, insert_from
from leasehold.database.transactions import transactional
from leasehold.models import Failure, Lease, Project, Session, Ticket
from leasehold.selectors import participant_of

BATCH = 500


@dataclass(frozen=True, slots=True)
class Expiry:
    """A session that ran out, whose ticket is blocked now."""

    session: int
    ticket: int
    worker: str
    lease_until: str


@dataclass(frozen=True, slots=True)
class Lapse:
    """One lease that has run out: what it was on, and who had it."""

    resource: str
    holder: str
    participant: str
    expired_at: str


@dataclass(frozen=True, slots=True)
class Reconciled:
    expired: list[Expiry] = field(default_factory=list)
    lapsed: list[Lapse] = field(default_factory=list)


def due() -> Reconciled:
    """What `reconcile` would write down now. Changes nothing."""
    sessions = _due_sessions().select_related("worker")
    lapsed = _lapsed_leases()
    return Reconciled([_expiry(session) for session in sessions], [_lapse(lease) for lease in lapsed])


def reconcile() -> Reconciled:
    """Write it all down, in short transactions of a batch each. Two that run at once write each thing once."""
    done = Reconciled(expired=expire_sessions())
    while batch := write_down_lapses(limit=BATCH):
        done.lapsed.extend(batch)
    return done


def expire_sessions() -> list[Expiry]:
    """Expire what is due; with nothing due, one index look-up and no transaction."""
    expired: list[Expiry] = []
    while _is_one_due() and (batch := expire_batch(limit=BATCH)):
        expired += batch
    return expired


def _is_one_due() -> bool:
    """The first entry of the partial index of active sessions, and whether its time is over.

    The comparison stands outside the WHERE: the clock is volatile to PostgreSQL, so as a condition it would be asked
    of every active session. Without the order, the planner scans the table. Written out, since every command pays it.
    """
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT lease_until <= {clock.sql()} FROM leasehold_session WHERE status = 'active' "
            "ORDER BY lease_until LIMIT 1"
        )
        first = cursor.fetchone()
    return first is not None and bool(first[0])


@transactional
def expire_batch(*, limit: int) -> list[Expiry]:
    """Up to `limit` active sessions past their lease → expired, their tickets → BLOCKED, the reservation kept.

    A ticket that somebody has locked is skipped: they are deciding on it. Whatever the number of sessions it is a
    statement for each table, and no row passes through Python but to be told of.
    """
    due = Listed(_due_sessions().values_list("ticket", flat=True)[:limit])
    mine = Ticket.objects.select_for_update(skip_locked=True, no_key=True).filter(pk__in=due).order_by("pk")
    tickets = list(mine.values_list("pk", flat=True))
    at = clock.now()
    ended = _end(tickets, at)
    if not ended:
        return []
    blocked = Ticket.objects.filter(pk__in=Listed(ended.values()), status=Ticket.Status.IN_PROGRESS)
    blocked.update(status=Ticket.Status.BLOCKED, state_since=at)
    expired = Session.objects.filter(pk__in=Listed(ended)).order_by("pk")
    worker, lease_until = participant_of("worker"), IsoText("lease_until")
    insert_from(
        expired,
        Failure,
        ticket=F("ticket"),
        session=F("pk"),
        kind=Value(Failure.Kind.LEASE_EXPIRED),
        detail=Concat(worker, Value(" gave no sign of life until "), lease_until, output_field=TextField()),
        at=Value(at),
    )
    journal.write_from(
        expired,
        "session_expired",
        at=at,
        subject=Concat(Value("ticket:"), Cast("ticket", TextField()), output_field=TextField()),
        project=F("ticket__project"),
        session=F("pk"),
        worker=worker,
        lease_until=lease_until,
    )
    return [Expiry(*row) for row in expired.values_list("pk", "ticket", worker, lease_until)]


def _end(tickets: Sequence[int], at: datetime) -> dict[int, int]:
    """End the sessions on these tickets, which are locked, that have run out by `at`: session → ticket.

    The condition is the update's own: what a checkpoint has renewed since the look stays active.
    """
    there, written = Listed(tickets), connection.ops.adapt_datetimefield_value(at)
    with connection.cursor() as cursor:
        cursor.execute(
            f"UPDATE leasehold_session SET status = 'expired', ended_at = %s WHERE ticket_id IN ({there.sql}) "
            "AND status = 'active' AND lease_until <= %s RETURNING id, ticket_id",
            [written, *there.params, written],
        )
        return dict(cursor.fetchall())


@transactional
def write_down_lapses(*, limit: int) -> list[Lapse]:
    """Free up to `limit` lapsed leases, one `lease_lapsed` entry each; records of check-outs stay as they are.

    A row that somebody else has locked is being taken or renewed just now: it is skipped.
    """
    due = list(_lapsed_leases().select_for_update(skip_locked=True, no_key=True)[:limit])
    if not due:
        return []
    at = clock.now()
    projects = dict(Project.objects.filter(slug__in={_slug(lease) for lease in due}).values_list("slug", "pk"))
    leases.free(Lease.objects.filter(pk__in=[lease.pk for lease in due]))
    journal.write_many(
        [
            {
                "kind": "lease_lapsed",
                "at": at,
                "subject": lease.resource,
                "project_id": projects.get(_slug(lease)),
                "holder": lease.holder,
                "held_by": lease.participant,
                "expired_at": lease.expires_at.isoformat(),
            }
            for lease in due
        ]
    )
    return [_lapse(lease) for lease in due]


def _due_sessions() -> QuerySet[Session]:
    """By the time at which the statement began: as one value it bounds the walk of the index."""
    return Session.objects.filter(status=Session.Status.ACTIVE, lease_until__lte=StatementNow()).order_by("lease_until")


def _lapsed_leases() -> QuerySet[Lease]:
    return Lease.objects.filter(leases.is_lapsed()).order_by("expires_at", "resource")


def _slug(lease: Lease) -> str:
    return lease.place.partition("/")[0]


def _expiry(session: Session) -> Expiry:
    return Expiry(session.pk, session.ticket_id, session.worker.participant, session.lease_until.isoformat())


def _lapse(lease: Lease) -> Lapse:
    return Lapse(lease.resource, lease.holder, lease.participant, lease.expires_at.isoformat())
