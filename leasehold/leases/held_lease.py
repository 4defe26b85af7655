"""`HeldLease`, the value that the engine returns, and the limits of a lease's duration."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from math import ceil
from typing import Any

from leasehold.database import clock
from leasehold.exceptions import Invalid
from leasehold.models.lease import Lease

MAX_TTL = 30 * 24 * 3600  # seconds
TABLE = Lease._meta.db_table
FIELDS = ("resource", "place", "holder", "participant", "fence", "acquired_at", "expires_at", "purpose")


@dataclass(frozen=True, slots=True)
class HeldLease:
    """A lease as read at the database's time `at`. `expires_at` None means that it never expires."""

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
        """The kind of the holder: checkout, edit, ticket, pass or op."""
        return self.holder.partition(":")[0]

    @property
    def ends_at(self) -> datetime:
        """`expires_at` of a lease that ends by itself, as every lease on a file does. ValueError for one that lasts."""
        if self.expires_at is None:
            raise ValueError(f"the lease on {self.resource} never ends by itself")
        return self.expires_at

    @property
    def is_lapsed(self) -> bool:
        return self.expires_at is not None and self.expires_at <= self.at

    @property
    def expires_in(self) -> int | None:
        """Whole seconds left, rounded up; 0 once lapsed; None if it never expires."""
        return None if self.expires_at is None else max(0, ceil((self.expires_at - self.at).total_seconds()))

    def as_facts(self) -> dict[str, Any]:
        """The lease as the API and the commands show it."""
        return {
            "resource": self.resource,
            "holder": self.holder,
            "kind": self.kind,
            "participant": self.participant or None,
            "purpose": self.purpose,
            "acquired_at": self.acquired_at,
            "expires_at": self.expires_at,
            "expires_in": self.expires_in,
            "fence": self.fence,
        }


@dataclass(frozen=True, slots=True)
class Want:
    """One resource to acquire: its new holder, and its place in the namespace of scope keys."""

    resource: str
    holder: str
    place: str = ""


def checked_ttl(ttl: object, *, least: int = 1, most: int = MAX_TTL, field: str = "ttl") -> int:
    """Return `ttl` if it is a whole number of seconds from `least` to `most` (30 days by default).

    Raises `Invalid` for any other value, also for a bool, text or 0.5.
    """
    if isinstance(ttl, bool) or not isinstance(ttl, int):
        raise Invalid.of(field, "Expected a whole number of seconds.")
    if not least <= ttl <= most:
        raise Invalid.of(field, f"Expected {least} to {most} seconds.")
    return ttl


def held_from(row: Sequence[Any], at: datetime | None = None) -> HeldLease:
    """Make a lease of a row: the columns `FIELDS`, then the time of reading. `at` replaces that time."""
    *fields, read_at = row if at is None else (*row[: len(FIELDS)], at)
    resource, place, holder, participant, fence, acquired_at, expires_at, purpose = fields
    return HeldLease(
        resource=resource,
        place=place,
        holder=holder,
        participant=participant,
        fence=fence,
        acquired_at=clock.as_utc(acquired_at),
        expires_at=None if expires_at is None else clock.as_utc(expires_at),
        purpose=purpose,
        at=clock.as_utc(read_at),
    )
