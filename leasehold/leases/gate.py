"""The gate: whoever changes what covers what, and whoever relies on it, wait for each other; nobody else does."""

from collections.abc import Iterable
from hashlib import blake2b

from django.db import connection, transaction


def gate(places: Iterable[str], *, exclusive: bool = False) -> None:
    """Wait until nobody changes what covers what below the first segments of `places`; before any lease row.

    Shared for whoever relies on the cover, exclusive for whoever changes it. What is judged behind the gate must be
    read in a later statement: one snapshot with it would predate the lock. SQLite's IMMEDIATE serialises by itself.
    """
    demand_transaction()
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


def demand_transaction() -> None:
    if not connection.in_atomic_block:
        raise transaction.TransactionManagementError("Leases are taken and given back inside a transaction.")


def _gate_id(segment: str) -> int:
    return int.from_bytes(blake2b(f"scope:{segment}".encode(), digest_size=8).digest(), signed=True)
