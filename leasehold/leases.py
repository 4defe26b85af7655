"""The lease engine: the exclusive right to a named resource, one row for each, decided by the database.

Every verb runs inside the caller's transaction, in one lock order: gate (sorted), then leases by resource, then
whatever the caller protects. A holder names one attempt (`checkout:17:user:alice`), never a bare user: two tabs are two
holders. The fence grows by one whenever a resource's holder changes, never on renewal, and never restarts.

The walk: `gate` → `take` or `acquire` → read again what the decision rests on → write → `release`.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import blake2b
from math import ceil
from typing import Any, TypeVar

from django.db import connection, transaction
from django.db.models import Exists, OuterRef, Q, Subquery, TextField, Value
from django.db.models.functions import Cast, Concat, JSONObject

from leasehold import clock
from leasehold.exceptions import Busy, Invalid
from leasehold.models.lease import Lease

MAX_TTL = 30 * 24 * 3600  # seconds
FIELDS = ("resource", "place", "holder", "participant", "fence", "acquired_at", "expires_at", "purpose")
TABLE = Lease._meta.db_table

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class HeldLease:
    """A lease as read at the database's time `at`. `expires_at` none = never."""

    resource: str
    place: str
    holder: str
    participant: str
    fence: int
    acquired_at: datetime
    expires_at: datetime | None
    purpose: str
    at: datetime

    @property
    def kind(self) -> str:
        """What kind of holder: checkout, edit, ticket, pass or op."""
        return self.holder.partition(":")[0]

    @property
    def is_lapsed(self) -> bool:
        return self.expires_at is not None and self.expires_at <= self.at

    @property
    def expires_in(self) -> int | None:
        """Whole seconds left, rounded up; 0 once lapsed; none = never."""
        return None if self.expires_at is None else max(0, ceil((self.expires_at - self.at).total_seconds()))

    def as_facts(self) -> dict[str, Any]:
        """The shape in which every door shows a lease (section 10 of the design)."""
        return {
            "resource": self.resource,
            "holder": self.holder,
            "kind": self.kind,
            "participant": self.participant,
            "purpose": self.purpose,
            "acquired_at": self.acquired_at,
            "expires_at": self.expires_at,
            "expires_in": self.expires_in,
            "fence": self.fence,
        }


@dataclass(frozen=True, slots=True)
class Want:
    """One resource of a set: who shall hold it, and where in the namespace of scope keys it lies."""

    resource: str
    holder: str
    place: str = ""


def seconds(ttl: object, *, least: int = 1, field: str = "ttl") -> int:
    """`ttl` as a finite whole number of seconds, `least`…30 days, or `Invalid`. A bool, a text and 0.5 are refused."""
    if isinstance(ttl, bool) or not isinstance(ttl, int):
        raise Invalid.of(field, "Expected a whole number of seconds.")
    if not least <= ttl <= MAX_TTL:
        raise Invalid.of(field, f"Expected {least} to {MAX_TTL} seconds.")
    return ttl


def gate(places: Iterable[str], *, exclusive: bool = False) -> None:
    """Wait until nobody changes what covers what below the first segments of `places`; before any lease row.

    Shared for whoever relies on the cover, exclusive for whoever changes it. What is judged behind the gate must be
    read in a later statement: one snapshot with it would predate the lock. SQLite's IMMEDIATE serialises by itself.
    """
    _demand_transaction()
    if connection.vendor != "postgresql":
        return
    ids = sorted({_gate_id(place.partition("/")[0]) for place in places})
    lock = "pg_advisory_xact_lock" if exclusive else "pg_advisory_xact_lock_shared"
    with connection.cursor() as cursor:
        if len(ids) == 1:
            cursor.execute(f"SELECT {lock}(%s)", ids)
        elif ids:
            # A sub-query with an order and OFFSET 0 keeps the planner from taking the locks in another order.
            cursor.execute(
                f"SELECT {lock}(id) FROM (SELECT id FROM unnest(%s::bigint[]) AS id ORDER BY id OFFSET 0) AS gates",
                [ids],
            )


def take(resource: str, *, holder: str, participant: str, ttl: int, purpose: str = "", place: str = "") -> HeldLease:
    """Acquire one resource, or renew it for the same holder; `ttl` seconds, 0 = never. Raises `Busy` with the holder.

    One statement decides: of callers that race, the database lets one row change through. Callers look first (`read`)
    and refuse by what they see, since a refusal that has not tried to write costs no disk sync.
    """
    _demand_transaction()
    now, until = _sql_now(), _sql_until(ttl)
    with connection.cursor() as cursor:
        cursor.execute(
            f"""
            INSERT INTO {TABLE} AS lease (resource, place, holder, participant, fence, acquired_at, expires_at, purpose)
            VALUES (%s, %s, %s, %s, 1, {now}, {until}, %s)
            ON CONFLICT (resource) DO UPDATE SET
                place = excluded.place, holder = excluded.holder, participant = excluded.participant,
                purpose = excluded.purpose, expires_at = {until},
                fence = CASE WHEN lease.holder = excluded.holder THEN lease.fence ELSE lease.fence + 1 END,
                acquired_at = CASE WHEN lease.holder = excluded.holder THEN lease.acquired_at ELSE {now} END
            WHERE lease.holder = '' OR lease.holder = excluded.holder OR lease.expires_at <= {now}
            RETURNING {", ".join(FIELDS)}, {now}
            """,
            [resource, place, holder, participant, purpose],
        )
        if row := cursor.fetchone():
            return _held(row)
    # The race was lost between the read and the write. The winner may have let go since: then nobody is named.
    raise Busy(leases=[lease for lease in read([resource]) if lease.holder != holder])


def acquire(wants: Iterable[Want], *, participant: str, ttl: int, purpose: str = "") -> list[HeldLease]:
    """Acquire a set, all or nothing; raises `Busy` with every lease that stands in the way. Same contract as `take`.

    Rows are inserted and locked in sorted order, so two sets that overlap cannot deadlock.
    """
    _demand_transaction()
    wanted = sorted(wants, key=lambda want: want.resource)
    holders = {want.resource: want.holder for want in wanted}
    if not wanted:
        return []

    def busy(leases: Iterable[HeldLease]) -> list[HeldLease]:
        return [lease for lease in leases if not lease.is_lapsed and lease.holder not in ("", holders[lease.resource])]

    lock(holders)
    at = clock.now()
    if conflicts := busy(read(holders, at=at)):
        raise Busy(leases=conflicts)
    for batch in _batches(wanted):
        values = ", ".join(["(%s, %s, %s)"] * len(batch))
        with connection.cursor() as cursor:
            cursor.execute(
                f"""
                WITH want (resource, holder, place) AS (VALUES {values})
                UPDATE {TABLE} SET
                    place = want.place, participant = %s, purpose = %s, expires_at = {_sql_until(ttl)},
                    fence = CASE WHEN {TABLE}.holder = want.holder THEN fence ELSE fence + 1 END,
                    acquired_at = CASE WHEN {TABLE}.holder = want.holder THEN acquired_at ELSE {_sql_now()} END,
                    holder = want.holder
                FROM want WHERE {TABLE}.resource = want.resource
                """,
                [part for want in batch for part in (want.resource, want.holder, want.place)] + [participant, purpose],
            )
    return read(holders)


def lock(resources: Iterable[str]) -> None:
    """Lock the rows of these resources in sorted order, inserting those that are missing as free."""
    _demand_transaction()
    ordered = sorted(set(resources))
    for batch in _batches(ordered):
        Lease.objects.bulk_create([Lease(resource=resource) for resource in batch], ignore_conflicts=True)
    for batch in _batches(ordered):
        # Evaluated for its locks; SQLite has none to take and needs none.
        list(
            Lease.objects.select_for_update(no_key=True)
            .filter(resource__in=batch)
            .order_by("resource")
            .values_list("pk", flat=True)
        )


def lock_one(resource: str) -> HeldLease | None:
    """Lock one resource's row and read it at a time after the lock; none if it is free. Inserts a missing row."""
    _demand_transaction()
    locked = Lease.objects.select_for_update(no_key=True).filter(resource=resource)
    if not (rows := list(locked)):
        lock([resource])
        rows = list(locked)
    return held_from(rows[0], clock.now()) if rows[0].holder else None


def renew(resource: str, *, holder: str, fence: int, ttl: int) -> HeldLease | None:
    """Extend a lease, live or lapsed, that is still this holder's; none, and nothing changed, if it is not."""
    _demand_transaction()
    with connection.cursor() as cursor:
        cursor.execute(
            f"UPDATE {TABLE} SET expires_at = {_sql_until(ttl)} WHERE resource = %s AND holder = %s AND fence = %s "
            f"RETURNING {', '.join(FIELDS)}, {_sql_now()}",
            [resource, holder, fence],
        )
        row = cursor.fetchone()
    return _held(row) if row else None


def release(resource: str, *, holder: str, fence: int | None = None) -> bool:
    """Let go. What is no longer this holder's stays as it is, quietly: a stale token never touches a new holder."""
    _demand_transaction()
    mine = Lease.objects.filter(resource=resource, holder=holder)
    if fence is not None:
        mine = mine.filter(fence=fence)
    return free(mine) > 0


def free(leases: Any) -> int:
    """Free the rows of a queryset. More than one must have been locked in order before. The fence stays."""
    _demand_transaction()
    return int(leases.exclude(holder="").update(holder="", participant="", purpose="", expires_at=None))


def read(resources: Iterable[str], at: datetime | None = None) -> list[HeldLease]:
    """The live leases on these resources, ordered by resource. With `at`, judged at that time of the database's."""
    found: list[HeldLease] = []
    for batch in _batches(sorted(set(resources))):
        rows = (
            Lease.objects.filter(resource__in=batch)
            .exclude(holder="")
            .order_by("resource")
            .annotate(at=clock.DatabaseNow())
            .values_list(*FIELDS, "at")
        )
        found += [held for row in rows if not (held := _held(row, at)).is_lapsed]
    return found


def resource_of(kind: str, key: str = "pk") -> Any:
    """The expression that names a row's resource, for joining leases to other tables: `artifact:` and its id."""
    return Concat(Value(f"{kind}:"), Cast(OuterRef(key), TextField()), output_field=TextField())


def lease_of(kind: str, key: str = "pk") -> Any:
    """An annotation: the held lease on each row's resource, live or lapsed, as JSON for `held_from_json`, or none."""
    held = Lease.objects.filter(resource=resource_of(kind, key)).exclude(holder="")
    return Subquery(held.values(as_json=JSONObject(**{field: field for field in FIELDS})))


def held_from_json(fields: dict[str, Any] | None, at: datetime) -> HeldLease | None:
    return _held([fields[name] for name in FIELDS], at) if fields else None


def still_held(resource: str, *, holder: str, fence: int) -> Q:
    """The condition that the write which a lease protects puts in its own WHERE."""
    mine = Lease.objects.filter(resource=resource, holder=holder, fence=fence).filter(is_live())
    return Q(Exists(mine))


def is_live() -> Q:
    """Held and not lapsed, at the database's time when the statement runs."""
    return ~Q(holder="") & (Q(expires_at=None) | Q(expires_at__gt=clock.DatabaseNow()))


def is_lapsed() -> Q:
    return ~Q(holder="") & Q(expires_at__lte=clock.DatabaseNow())


def move(resource: str, place: str) -> None:
    """Write where a held resource now lies in the namespace of scope keys."""
    _demand_transaction()
    Lease.objects.filter(resource=resource).exclude(place=place).update(place=place)


def held_from(lease: Lease, at: datetime) -> HeldLease:
    """A `Lease` row that was read elsewhere, as the facts that refusals and lists show."""
    return _held([getattr(lease, field) for field in FIELDS], at)


def _held(row: Sequence[Any], at: datetime | None = None) -> HeldLease:
    *fields, read_at = row if at is None else (*row[: len(FIELDS)], at)
    resource, place, holder, participant, fence, acquired_at, expires_at, purpose = fields
    return HeldLease(
        resource=resource,
        place=place,
        holder=holder,
        participant=participant,
        fence=fence,
        acquired_at=clock.moment(acquired_at),
        expires_at=None if expires_at is None else clock.moment(expires_at),
        purpose=purpose,
        at=clock.moment(read_at),
    )


def _sql_now() -> str:
    return clock.sql().replace("%", "%%")


def _sql_until(ttl: int) -> str:
    """`ttl` was validated by `seconds`: a NaN or a negative would make NULL, which means never."""
    return clock.sql(ttl).replace("%", "%%") if ttl else "NULL"


def _gate_id(segment: str) -> int:
    return int.from_bytes(blake2b(f"scope:{segment}".encode(), digest_size=8).digest(), signed=True)


def _batches(items: Sequence[T], size: int = 250) -> Iterable[Sequence[T]]:
    """SQLite takes a limited number of parameters in one statement."""
    return (items[start : start + size] for start in range(0, len(items), size))


def _demand_transaction() -> None:
    if not connection.in_atomic_block:
        raise transaction.TransactionManagementError("Leases are taken and given back inside a transaction.")
