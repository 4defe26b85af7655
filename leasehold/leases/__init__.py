"""The lease engine: the exclusive right to a named resource, one row for each, decided by the database.

Every verb runs inside the caller's transaction, in one lock order: gate (sorted), then leases by resource, then
whatever the caller protects. A holder names one attempt (`checkout:17:user:alice`), never a bare user: two tabs are two
holders. The fence grows by one whenever a resource's holder changes, never on renewal, and never restarts.

The walk: `gate` → `take` or `acquire` → read again what the decision rests on → write → `release`.

    held.py     what a lease is: its facts, its shape, how long it may last
    gate.py     who waits for whom when it changes what covers what
    taking.py   take, acquire, lock
    giving.py   renew, release, free, move
    reading.py  read, and the expressions by which queries join leases
"""

from leasehold.leases.acquisition import acquire, lock, lock_one, take
from leasehold.leases.gate import gate
from leasehold.leases.held_lease import MAX_TTL, HeldLease, Want, seconds
from leasehold.leases.queries import (
    all_held,
    as_held,
    batches,
    held_from_json,
    is_lapsed,
    is_live,
    lease_of,
    matching,
    read,
    resource_of,
    standing,
    still_held,
)
from leasehold.leases.renewal import free, move, release, renew

__all__ = [
    "MAX_TTL",
    "HeldLease",
    "Want",
    "acquire",
    "all_held",
    "as_held",
    "batches",
    "free",
    "gate",
    "held_from_json",
    "is_lapsed",
    "is_live",
    "lease_of",
    "lock",
    "lock_one",
    "matching",
    "move",
    "read",
    "release",
    "renew",
    "resource_of",
    "seconds",
    "standing",
    "still_held",
    "take",
]
