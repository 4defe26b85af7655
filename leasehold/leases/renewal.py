"""Renew, release and move leases, by conditional updates whose row count says whether they applied."""

from django.db import connection
from django.db.models import QuerySet

from leasehold.leases.gate import demand_transaction
from leasehold.leases.held_lease import FIELDS, TABLE, HeldLease, held_from
from leasehold.leases.queries import sql_now, sql_until
from leasehold.models.lease import Lease


def renew(resource: str, *, holder: str, fence: int, ttl: int) -> HeldLease | None:
    """Renew a lease, live or lapsed, for `ttl` seconds from now (0 = never expires) and return it.

    Returns None and changes nothing if the resource has another holder or fence by now.
    """
    demand_transaction()
    with connection.cursor() as cursor:
        cursor.execute(
            f"UPDATE {TABLE} SET expires_at = {sql_until(ttl)} WHERE resource = %s AND holder = %s AND fence = %s "
            f"RETURNING {', '.join(FIELDS)}, {sql_now()}",
            [resource, holder, fence],
        )
        row = cursor.fetchone()
    return held_from(row) if row else None


def release(resource: str, *, holder: str, fence: int | None = None) -> bool:
    """Free the resource if this holder still has it, and return whether it did.

    Otherwise nothing changes and nothing is raised: a stale token never touches a new holder.
    """
    demand_transaction()
    mine = Lease.objects.filter(resource=resource, holder=holder)
    if fence is not None:
        mine = mine.filter(fence=fence)
    return free(mine) > 0


def free(leases: QuerySet[Lease]) -> int:
    """Free the rows of a queryset and return their number. The fence stays.

    If there are several rows, the caller must have locked them in order before.
    """
    demand_transaction()
    return int(leases.exclude(holder="").update(holder="", participant="", purpose="", expires_at=None))


def move(resource: str, place: str) -> None:
    """Write a resource's new place in the namespace of scope keys."""
    demand_transaction()
    Lease.objects.filter(resource=resource).exclude(place=place).update(place=place)
