"""The lease engine: the exclusive right to a named resource, one row for each resource, decided by the database.

Every function that writes runs inside the caller's transaction, in one lock order: gate (sorted), then leases by
resource, then whatever the caller protects. A holder names one attempt (`checkout:17:user:alice`), never a bare user,
so two tabs of one person are two holders. The fence grows by one whenever a resource's holder changes, never on
renewal, and it never restarts.

The usual order is: `gate`, then `acquire_one` or `acquire`, then read again what the decision rests on, then write,
then `release`.

    held_lease.py     `HeldLease`: the facts of a lease; how long a lease may last
    gate.py           locks between those who change a cover and those who rely on it
    acquisition.py    acquire_one, acquire, lock
    renewal.py        renew, release, free, move
    queries.py        read leases, and expressions that join them to other tables
"""

from leasehold.leases.acquisition import acquire, acquire_one, lock, lock_one
from leasehold.leases.gate import gate
from leasehold.leases.held_lease import MAX_TTL, HeldLease, Want, checked_ttl
from leasehold.leases.queries import (
    all_held,
    as_held,
    batches,
    held_from_json,
    is_lapsed,
    is_live,
    lease_of,
    live_lease,
    read,
    read_where,
    resource_of,
    still_held,
)
from leasehold.leases.renewal import free, move, release, renew

__all__ = [
    "MAX_TTL",
    "HeldLease",
    "Want",
    "acquire",
    "acquire_one",
    "all_held",
    "as_held",
    "batches",
    "checked_ttl",
    "free",
    "gate",
    "held_from_json",
    "is_lapsed",
    "is_live",
    "lease_of",
    "live_lease",
    "lock",
    "lock_one",
    "move",
    "read",
    "read_where",
    "release",
    "renew",
    "resource_of",
    "still_held",
]
