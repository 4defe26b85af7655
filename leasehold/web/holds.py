"""A lease as pages show it to one reader: holder, two letters for the ring, and how much of its time is left."""

from dataclasses import dataclass
from datetime import datetime

from leasehold.leases import HeldLease
from leasehold.models import User

SOON = 30 * 60  # seconds


@dataclass(frozen=True, slots=True)
class Hold:
    """A lease, live or lapsed, as one reader sees it. Templates read the properties below."""

    lease: HeldLease
    is_mine: bool

    @classmethod
    def seen_by(cls, reader: User, lease: HeldLease) -> "Hold":
        return cls(lease, lease.participant == reader.participant)

    @property
    def name(self) -> str:
        """The account's name. A reservation has no single holder: its name is the ticket."""
        if self.is_reservation:
            return f"Ticket {self.ticket}"
        return self.lease.participant.partition(":")[2]

    @property
    def is_reservation(self) -> bool:
        """Is it a ticket's reservation, which ends by a decision and never by expiry?"""
        return self.lease.kind == "ticket"

    @property
    def ticket(self) -> str:
        """The number of the ticket that holds a reservation."""
        return self.lease.holder.partition(":")[2]

    @property
    def who(self) -> str:
        """`You`, or the holder's name."""
        return "You" if self.is_mine and not self.is_reservation else self.name

    @property
    def reserved_for(self) -> str:
        """The session that a reservation is for: `for bob’s session`. Empty if the reader may not see the ticket."""
        worker = self.lease.participant.partition(":")[2]
        if worker:
            return f"for {'your' if self.is_mine else f'{worker}’s'} session"
        return "with nobody at work" if self.purpose else ""

    @property
    def letters(self) -> str:
        return f"T{self.ticket}"[:3] if self.is_reservation else self.name[:2].capitalize()

    @property
    def is_agent(self) -> bool:
        return self.lease.participant.startswith("agent:") and not self.is_reservation

    @property
    def is_lapsed(self) -> bool:
        return self.lease.is_lapsed

    @property
    def is_expiring(self) -> bool:
        return self.lease.expires_in is not None and 0 < self.lease.expires_in < SOON

    @property
    def role(self) -> str:
        """The class of the stylesheet that colours every part with this lease."""
        if self.is_lapsed:
            return "is-lapsed"
        if self.is_mine:
            return "is-mine"
        return "is-agent" if self.is_agent else "is-person"

    @property
    def until(self) -> datetime | None:
        return self.lease.expires_at

    @property
    def since(self) -> datetime:
        return self.lease.acquired_at

    @property
    def purpose(self) -> str:
        return self.lease.purpose

    @property
    def percent_left(self) -> int:
        """How much of the ring is drawn. 100 is all of it, as for a lease that never expires."""
        if self.until is None:
            return 100
        whole = (self.until - self.since).total_seconds()
        passed = (self.lease.at - self.since).total_seconds()
        return max(0, min(100, round(100 * (1 - passed / whole)))) if whole > 0 else 0
