"""The gate: a lock between transactions that change which scope keys cover which places, and those that rely on it."""

from collections.abc import Iterable
from hashlib import blake2b

from django.db import connection, transaction


def gate(places: Iterable[str], *, exclusive: bool = False) -> None:
    """Lock the first segments of `places` until the transaction ends. Call this before locking any lease row.

    A transaction that relies on the covers of a place takes the gate shared; one that changes them takes it exclusive.
    Read what you judge in a later statement: a statement that also took the lock would see a snapshot from before it.
    SQLite needs no gate, since its IMMEDIATE transactions run one after the other.
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
            # OFFSET 0 keeps the planner from flattening the sub-query and taking the locks in another order.
            cursor.execute(
                f"SELECT {lock}(id) FROM (SELECT id FROM unnest(%s::bigint[]) AS id ORDER BY id OFFSET 0) AS gates",
                [ids],
            )


def demand_transaction() -> None:
    """Raise `TransactionManagementError` outside a transaction."""
    if not connection.in_atomic_block:
        raise transaction.TransactionManagementError("Leases are taken and given back inside a transaction.")


def _gate_id(segment: str) -> int:
    return int.from_bytes(blake2b(f"scope:{segment}".encode(), digest_size=8).digest(), signed=True)
