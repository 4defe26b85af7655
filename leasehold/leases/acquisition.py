"""Acquire leases: one resource by a single statement, a set of resources under row locks in sorted order."""

from collections.abc import Iterable
from dataclasses import asdict
from datetime import datetime, timedelta

from django.db import connection

from leasehold.database import clock
from leasehold.database.sets import ValueList, table
from leasehold.exceptions import Busy
from leasehold.leases.gate import demand_transaction
from leasehold.leases.held_lease import FIELDS, TABLE, HeldLease, Want, held_from
from leasehold.leases.queries import live_lease, read, sql_after, sql_now
from leasehold.models.lease import Lease


def acquire_one(
    resource: str, *, holder: str, participant: str, ttl: int, purpose: str = "", place: str = ""
) -> HeldLease:
    """Acquire one resource, or renew it for the same holder, and return the lease.

    `ttl`: seconds; 0 means that the lease never expires. Raises `Busy` with the lease of the other holder.

    One statement decides: when several callers race, the database lets only one of them change the row. Callers call
    `read` first and refuse by its result, since a refusal that has not tried to write costs no disk sync.
    """
    demand_transaction()
    # Both times come from one reading of the clock, so that a lease lasts exactly `ttl` seconds. The update reads the
    # clock again, because this caller may have waited for another one by then.
    now, until = sql_now(), sql_after("clock.at", ttl)
    with connection.cursor() as cursor:
        cursor.execute(
            f"""
            INSERT INTO {TABLE} AS lease (resource, place, holder, participant, fence, acquired_at, expires_at, purpose)
            SELECT %s, %s, %s, %s, 1, clock.at, {until}, %s FROM (SELECT {now} AS at) AS clock WHERE true
            ON CONFLICT (resource) DO UPDATE SET
                place = excluded.place, holder = excluded.holder, participant = excluded.participant,
                purpose = excluded.purpose,
                fence = CASE WHEN lease.holder = excluded.holder THEN lease.fence ELSE lease.fence + 1 END,
                (acquired_at, expires_at) = (
                    SELECT CASE WHEN lease.holder = excluded.holder THEN lease.acquired_at ELSE clock.at END, {until}
                    FROM (SELECT {now} AS at) AS clock
                )
            WHERE lease.holder = '' OR lease.holder = excluded.holder OR lease.expires_at <= {now}
            RETURNING {", ".join(FIELDS)}, {now}
            """,
            [resource, place, holder, participant, purpose],
        )
        if row := cursor.fetchone():
            return held_from(row)
    # Another caller won between the read and the write. It may have released since; then `leases` is empty.
    raise Busy(leases=[lease for lease in read([resource]) if lease.holder != holder])


def acquire(
    wants: Iterable[Want], *, participant: str, ttl: int, purpose: str = "", at: datetime | None = None
) -> list[HeldLease]:
    """Acquire a set of resources, all or nothing, and return their leases ordered by resource.

    The other parameters mean what they mean in `acquire_one`. `at`: the clock as the caller read it, if the caller has
    locked the rows before. Raises `Busy` with every conflicting lease. Rows are inserted and locked in sorted order, so
    two sets that overlap cannot deadlock.
    """
    demand_transaction()
    wanted = list(wants)
    holders = {want.resource: want.holder for want in wanted}
    if clash := next((want.resource for want in wanted if want.holder != holders[want.resource]), None):
        raise ValueError(f"two holders for {clash} in one set")
    if not wanted:
        return []
    rows = lock(holders)
    at = at or clock.now()
    held = filter(None, (live_lease(row, at) for row in rows))
    if conflicts := [lease for lease in held if lease.holder != holders[lease.resource]]:
        raise Busy(leases=conflicts)
    texts = dict.fromkeys(("resource", "holder", "place"), "text")
    want, given = table("want", texts, [asdict(want) for want in wanted])
    now, until = map(connection.ops.adapt_datetimefield_value, (at, at + timedelta(seconds=ttl) if ttl else None))
    with connection.cursor() as cursor:
        cursor.execute(
            f"""
            UPDATE {TABLE} SET
                place = want.place, participant = %s, purpose = %s, expires_at = %s,
                fence = CASE WHEN {TABLE}.holder = want.holder THEN fence ELSE fence + 1 END,
                acquired_at = CASE WHEN {TABLE}.holder = want.holder THEN acquired_at ELSE %s END,
                holder = want.holder
            FROM {want} WHERE {TABLE}.resource = want.resource
            RETURNING {", ".join(f"{TABLE}.{field}" for field in FIELDS)}
            """,
            [participant, purpose, until, now, given],
        )
        return sorted((held_from(row, at) for row in cursor.fetchall()), key=lambda lease: lease.resource)


def lock(resources: Iterable[str]) -> list[Lease]:
    """Lock the rows of these resources in sorted order and return them. Missing rows are inserted as free."""
    demand_transaction()
    ordered = sorted(set(resources))
    missing = ValueList(ordered)
    with connection.cursor() as cursor:
        cursor.execute(
            f"INSERT INTO {TABLE} (resource, place, holder, participant, fence, purpose) "
            f"SELECT value, '', '', '', 0, '' FROM ({missing.sql}) AS missing WHERE true "
            "ON CONFLICT (resource) DO NOTHING",
            missing.params,
        )
    return list(
        Lease.objects.select_for_update(no_key=True).filter(resource__in=ValueList(ordered)).order_by("resource")
    )


def lock_one(resource: str) -> Lease:
    """Lock one resource's row and return it; a missing row is inserted as free.

    Pass it to `live_lease` with a time that was read after this lock.
    """
    demand_transaction()
    rows = Lease.objects.select_for_update(no_key=True).filter(resource=resource)
    if (row := rows.first()) is None:
        lock([resource])
        row = rows.get()
    return row
