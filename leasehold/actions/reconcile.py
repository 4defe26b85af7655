"""Write down what has lapsed. Nothing depends on this being done soon: readers derive from the clock what has lapsed.

Lapsed sessions expire and block their tickets; every action does this first. The lapses of other leases are written
down only by the command `reconcile`: anybody may take a lapsed lease, whether or not it was written down.
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
from leasehold.database.sets import ValueList, insert_from
from leasehold.database.transactions import transactional
from leasehold.models import Failure, Lease, Project, Session, Ticket
from leasehold.selectors import participant_of

BATCH = 500


@dataclass(frozen=True, slots=True)
class Expiry:
    """A session that has expired; its ticket is now blocked."""

    session: int
    ticket: int
    worker: str
    lease_until: str


@dataclass(frozen=True, slots=True)
class Lapse:
    """A lease that has lapsed: its resource, and who held it."""

    resource: str
    holder: str
    participant: str
    expired_at: str


@dataclass(frozen=True, slots=True)
class Reconciled:
    """What has lapsed: sessions that expired, and leases."""

    expired: list[Expiry] = field(default_factory=list)
    lapsed: list[Lapse] = field(default_factory=list)


def find_due() -> Reconciled:
    """Return what `reconcile` would write down now, without changing anything."""
    sessions = _due_sessions().select_related("worker")
    lapsed = _lapsed_leases()
    return Reconciled([_expiry(session) for session in sessions], [_lapse(lease) for lease in lapsed])


def reconcile() -> Reconciled:
    """Write down everything that has lapsed, and return it.

    Each batch is a short transaction. If two processes do this at once, each lapse is still written once.
    """
    done = Reconciled(expired=expire_sessions())
    while batch := write_down_lapses(limit=BATCH):
        done.lapsed.extend(batch)
    return done


def expire_sessions() -> list[Expiry]:
    """Expire all lapsed sessions and return them. If none has lapsed, this is one index look-up, no transaction."""
    expired: list[Expiry] = []
    while _is_any_due() and (batch := expire_batch(limit=BATCH)):
        expired += batch
    return expired


def _is_any_due() -> bool:
    """Return whether the active session that ends first has lapsed: one read of the index of active sessions.

    The comparison is not in the WHERE, because PostgreSQL's clock is volatile and would be read for every active
    session. Without ORDER BY, the planner scans the table. It is raw SQL because every action runs it.
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
    """Expire up to `limit` lapsed sessions, block their tickets, and return the sessions. Reservations stay.

    A ticket that another transaction has locked is skipped, since that transaction is about to decide on it. There is
    one statement for each table, however many sessions there are; Python reads only the ids and the returned rows.
    """
    due = ValueList(_due_sessions().values_list("ticket", flat=True)[:limit])
    mine = Ticket.objects.select_for_update(skip_locked=True, no_key=True).filter(pk__in=due).order_by("pk")
    tickets = list(mine.values_list("pk", flat=True))
    at = clock.now()
    ended = _expire_locked(tickets, at)
    if not ended:
        return []
    blocked = Ticket.objects.filter(pk__in=ValueList(ended.values()), status=Ticket.Status.IN_PROGRESS)
    blocked.update(status=Ticket.Status.BLOCKED, state_since=at)
    expired = Session.objects.filter(pk__in=ValueList(ended)).order_by("pk")
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


def _expire_locked(tickets: Sequence[int], at: datetime) -> dict[int, int]:
    """Expire the sessions on these locked tickets that have lapsed at `at`, and return session id → ticket id.

    The update itself has the condition, so a session that a checkpoint has renewed since the look-up stays active.
    """
    locked, time = ValueList(tickets), connection.ops.adapt_datetimefield_value(at)
    with connection.cursor() as cursor:
        cursor.execute(
            f"UPDATE leasehold_session SET status = 'expired', ended_at = %s WHERE ticket_id IN ({locked.sql}) "
            "AND status = 'active' AND lease_until <= %s RETURNING id, ticket_id",
            [time, *locked.params, time],
        )
        return dict(cursor.fetchall())


@transactional
def write_down_lapses(*, limit: int) -> list[Lapse]:
    """Free up to `limit` lapsed leases, write one `lease_lapsed` entry for each, and return them.

    The rows of check-outs stay as they are. A lease that another transaction has locked is skipped, since it is being
    acquired or renewed.
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
    """Return the sessions that had lapsed when the statement began; that is one value, so the index bounds the scan."""
    return Session.objects.filter(status=Session.Status.ACTIVE, lease_until__lte=StatementNow()).order_by("lease_until")


def _lapsed_leases() -> QuerySet[Lease]:
    return Lease.objects.filter(leases.is_lapsed()).order_by("expires_at", "resource")


def _slug(lease: Lease) -> str:
    return lease.place.partition("/")[0]


def _expiry(session: Session) -> Expiry:
    return Expiry(session.pk, session.ticket_id, session.worker.participant, session.lease_until.isoformat())


def _lapse(lease: Lease) -> Lapse:
    return Lapse(lease.resource, lease.holder, lease.participant, lease.expires_at.isoformat())
