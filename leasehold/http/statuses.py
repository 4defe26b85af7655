"""The HTTP status of each refusal: one table for the API, the pages and the admin.

The floor above adds its own refusals when Django starts (`checkouts/http/statuses.py`).
"""

from collections.abc import Mapping
from typing import TypeVar

from leasehold import exceptions as ground
from leasehold.exceptions import Refusal
from leasehold.registry import Registry

V = TypeVar("V")

STATUSES: Registry[type[Refusal], int] = Registry(
    {
        ground.BodyTooLarge: 413,
        ground.Busy: 409,
        ground.CheckoutsOpen: 409,
        ground.Forbidden: 403,
        ground.IdempotencyMismatch: 422,
        ground.InProgress: 409,
        ground.Invalid: 400,
        ground.LeaseLost: 409,
        ground.NotFound: 404,
        ground.PreconditionFailed: 412,
        ground.RoleContextBusy: 409,
        ground.ScopeInUse: 409,
        ground.ScopeReserved: 409,
        ground.Throttled: 429,
        ground.TicketBusy: 409,
        ground.TryAgain: 503,
        ground.Unauthenticated: 401,
        ground.WrongState: 409,
    }
)


def status_of(refusal: Refusal) -> int:
    return nearest(STATUSES, type(refusal), 409)


def nearest(table: Mapping[type[Refusal], V], kind: type[Refusal], default: V) -> V:
    """Return the value of `kind`, or of the nearest of its base classes that has one."""
    return next((table[base] for base in kind.__mro__ if base in table), default)
