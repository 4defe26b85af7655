"""Reading leases: the live ones, and the expressions by which other queries join them."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any, TypeVar

from django.db.models import Exists, OuterRef, Q, QuerySet, Subquery, TextField, Value
from django.db.models.functions import Cast, Concat, JSONObject

from leasehold.database import clock
from leasehold.database.sets import Listed
from leasehold.leases.held_lease import FIELDS, HeldLease, held_from
from leasehold.models.lease import Lease

T = TypeVar("T")


def read(resources: Iterable[str], at: datetime | None = None) -> list[HeldLease]:
    """The live leases on these resources, ordered by resource. With `at`, judged at that time of the database's."""
    return matching(Q(resource__in=Listed(set(resources))), at)


def all_held() -> QuerySet[Lease]:
    """Every row that somebody holds, live or lapsed, with the database's time as `at`. Read by `as_held`."""
    return Lease.objects.exclude(holder="").annotate(at=clock.DatabaseNow())


def as_held(row: Any) -> HeldLease:
    """One row of `all_held`."""
    return held_from([getattr(row, field) for field in FIELDS], row.at)


def matching(condition: Q, at: datetime | None = None) -> list[HeldLease]:
    """The live leases that match, ordered by resource."""
    rows = (
        Lease.objects.filter(condition)
        .exclude(holder="")
        .order_by("resource")
        .annotate(at=clock.DatabaseNow())
        .values_list(*FIELDS, "at")
    )
    return [held for row in rows if not (held := held_from(row, at)).is_lapsed]


def standing(row: Lease, at: datetime) -> HeldLease | None:
    """The live lease that a row says at `at`, if any."""
    held = held_from([getattr(row, field) for field in FIELDS], at) if row.holder else None
    return held if held and not held.is_lapsed else None


def still_held(resource: str, *, holder: str, fence: int) -> Q:
    """The condition that the write which a lease protects puts in its own WHERE."""
    mine = Lease.objects.filter(resource=resource, holder=holder, fence=fence).filter(is_live())
    return Q(Exists(mine))


def is_live() -> Q:
    """Held and not lapsed, at the database's time when the statement runs."""
    return ~Q(holder="") & (Q(expires_at=None) | Q(expires_at__gt=clock.DatabaseNow()))


def is_lapsed() -> Q:
    """Held and past its time when the statement began: what has lapsed stays lapsed, unless its row is written."""
    return ~Q(holder="") & Q(expires_at__lte=clock.StatementNow())


def resource_of(kind: str, key: str = "pk") -> Any:
    """The expression that names a row's resource, for joining leases to other tables: `artifact:` and its id."""
    return Concat(Value(f"{kind}:"), Cast(OuterRef(key), TextField()), output_field=TextField())


def lease_of(kind: str, key: str = "pk") -> Any:
    """An annotation: the held lease on each row's resource, live or lapsed, as JSON for `held_from_json`, or none."""
    held = Lease.objects.filter(resource=resource_of(kind, key)).exclude(holder="")
    return Subquery(held.values(as_json=JSONObject(**{field: field for field in FIELDS})))


def held_from_json(fields: dict[str, Any] | None, at: datetime) -> HeldLease | None:
    return held_from([fields[name] for name in FIELDS], at) if fields else None


def sql_now() -> str:
    return clock.sql().replace("%", "%%")


def sql_after(expression: str, ttl: int) -> str:
    """As `sql_until`, from a time that an SQL expression names."""
    return clock.after(expression, ttl).replace("%", "%%") if ttl else "CAST(NULL AS timestamp with time zone)"


def sql_until(ttl: int) -> str:
    """`ttl` was validated by `seconds`: a NaN or a negative would make NULL, which means never."""
    return clock.sql(ttl).replace("%", "%%") if ttl else "NULL"


def batches(items: Sequence[T], size: int = 250) -> Iterable[Sequence[T]]:
    """SQLite takes a limited number of parameters in one statement."""
    return (items[start : start + size] for start in range(0, len(items), size))
