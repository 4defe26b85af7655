"""What a lease is: its facts, its shape at every door, and how long it may last."""

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
    """A lease as read at the database's time `at`. `expires_at` none = never."""

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
        """What kind of holder: checkout, edit, ticket, pass or op."""
        return self.holder.partition(":")[0]

    @property
    def is_lapsed(self) -> bool:
        return self.expires_at is not None and self.expires_at <= self.at

    @property
    def expires_in(self) -> int | None:
        """Whole seconds left, rounded up; 0 once lapsed; none = never."""
        return None if self.expires_at is None else max(0, ceil((self.expires_at - self.at).total_seconds()))

    def as_facts(self) -> dict[str, Any]:
        """The shape in which every door shows a lease (section 10 of the design)."""
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
    """One resource of a set: who shall hold it, and where in the namespace of scope keys it lies."""

    resource: str
    holder: str
    place: str = ""


def seconds(ttl: object, *, least: int = 1, most: int = MAX_TTL, field: str = "ttl") -> int:
    """`ttl` as a whole number of seconds, `least`…`most` (30 days), or `Invalid`. No bool, text or 0.5."""
    if isinstance(ttl, bool) or not isinstance(ttl, int):
        raise Invalid.of(field, "Expected a whole number of seconds.")
    if not least <= ttl <= most:
        raise Invalid.of(field, f"Expected {least} to {most} seconds.")
    return ttl


def held_from(row: Sequence[Any], at: datetime | None = None) -> HeldLease:
    """A row of `FIELDS` and the time of reading (or `at` in its place) as a lease."""
    *fields, read_at = row if at is None else (*row[: len(FIELDS)], at)
    resource, place, holder, participant, fence, acquired_at, expires_at, purpose = fields
    return HeldLease(
        resource=resource,
        place=place,
        holder=holder,
        participant=participant,
        fence=fence,
        acquired_at=clock.moment(acquired_at),
        expires_at=None if expires_at is None else clock.moment(expires_at),
        purpose=purpose,
        at=clock.moment(read_at),
    )
