"""Read leases, and build the expressions by which other queries join or filter by them."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any, TypeVar

from django.db.models import Exists, OuterRef, Q, QuerySet, Subquery, TextField, Value
from django.db.models.functions import Cast, Concat, JSONObject

from leasehold.database import clock
from leasehold.database.sets import ValueList
from leasehold.leases.held_lease import FIELDS, HeldLease, held_from
from leasehold.models.lease import Lease

T = TypeVar("T")


def read(resources: Iterable[str], at: datetime | None = None) -> list[HeldLease]:
    """Return the live leases on these resources, ordered by resource. They are live at `at`, by default now."""
    return read_where(Q(resource__in=ValueList(set(resources))), at)


def all_held() -> QuerySet[Lease]:
    """Return the rows that have a holder, live or lapsed, with the database's time as `at`. See `as_held`."""
    return Lease.objects.exclude(holder="").annotate(at=clock.DatabaseNow())


def as_held(row: Any) -> HeldLease:
    """Make a `HeldLease` of one row of `all_held`."""
    return held_from([getattr(row, field) for field in FIELDS], row.at)


def read_where(condition: Q, at: datetime | None = None) -> list[HeldLease]:
    """Return the live leases that match `condition`, ordered by resource. They are live at `at`, by default now."""
    rows = (
        Lease.objects.filter(condition)
        .exclude(holder="")
        .order_by("resource")
        .annotate(at=clock.DatabaseNow())
        .values_list(*FIELDS, "at")
    )
    return [held for row in rows if not (held := held_from(row, at)).is_lapsed]


def live_lease(row: Lease, at: datetime) -> HeldLease | None:
    """Return the lease in `row` if it is live at `at`, else None."""
    held = held_from([getattr(row, field) for field in FIELDS], at) if row.holder else None
    return held if held and not held.is_lapsed else None


def still_held(resource: str, *, holder: str, fence: int) -> Q:
    """Return the condition that this lease is still live and this holder's.

    A write that the lease protects puts it in its own WHERE.
    """
    mine = Lease.objects.filter(resource=resource, holder=holder, fence=fence).filter(is_live())
    return Q(Exists(mine))


def is_live() -> Q:
    """Return the condition for a live lease: held, and not lapsed at the database's time when the row is read."""
    return ~Q(holder="") & (Q(expires_at=None) | Q(expires_at__gt=clock.DatabaseNow()))


def is_lapsed() -> Q:
    """Return the condition for a lapsed lease: held, and expired when the statement began.

    The earlier time is safe here: a lapsed lease stays lapsed until its row is written.
    """
    return ~Q(holder="") & Q(expires_at__lte=clock.StatementNow())


def resource_of(kind: str, key: str = "pk") -> Any:
    """Return the expression for a row's resource, `artifact:12`, by which leases are joined to other tables."""
    return Concat(Value(f"{kind}:"), Cast(OuterRef(key), TextField()), output_field=TextField())


def lease_of(kind: str, key: str = "pk") -> Any:
    """Return an annotation: the held lease on each row's resource, live or lapsed, as JSON for `held_from_json`."""
    held = Lease.objects.filter(resource=resource_of(kind, key)).exclude(holder="")
    return Subquery(held.values(as_json=JSONObject(**{field: field for field in FIELDS})))


def held_from_json(fields: dict[str, Any] | None, at: datetime) -> HeldLease | None:
    """Make a lease of what `lease_of` annotates; None stays None."""
    return held_from([fields[name] for name in FIELDS], at) if fields else None


def sql_now() -> str:
    """Return the SQL for now, escaped for a statement with parameters."""
    return clock.sql().replace("%", "%%")


def sql_after(expression: str, ttl: int) -> str:
    """Return the SQL for `ttl` seconds after the time of an SQL expression; NULL, which means never, for 0."""
    return clock.after(expression, ttl).replace("%", "%%") if ttl else "CAST(NULL AS timestamp with time zone)"


def sql_until(ttl: int) -> str:
    """Return the SQL for `ttl` seconds from now; NULL, which means never, for 0.

    `ttl` must be validated by `checked_ttl` before: a NaN or a negative number would make NULL too.
    """
    return clock.sql(ttl).replace("%", "%%") if ttl else "NULL"


def batches(items: Sequence[T], size: int = 250) -> Iterable[Sequence[T]]:
    """Cut `items` into pieces, since SQLite takes a limited number of parameters in one statement."""
    return (items[start : start + size] for start in range(0, len(items), size))
