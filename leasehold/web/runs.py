"""A session as a page shows it: whose run at a ticket, how much of its lease is left, or how it ended."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from leasehold.leases import HeldLease
from leasehold.models import Session, User
from leasehold.web.holds import Hold

ENDED = {
    Session.Status.SUBMITTED: "submitted",
    Session.Status.BLOCKED: "blocked it",
    Session.Status.EXPIRED: "session lapsed",
    Session.Status.CANCELLED: "session cancelled",
}


@dataclass(frozen=True, slots=True)
class Run:
    """`hold` draws the ring: with its clock while the session is live, without one once it has ended."""

    session: Session
    hold: Hold
    is_live: bool
    is_lapsed: bool

    @classmethod
    def seen_by(cls, reader: User, session: Session, at: datetime) -> "Run":
        is_active = session.status == Session.Status.ACTIVE
        lease = HeldLease(
            resource=f"session:{session.pk}",
            place="",
            holder=f"session:{session.pk}",
            participant=session.worker.participant,
            fence=0,
            acquired_at=min(session.lease_until - timedelta(seconds=session.ttl), at),
            expires_at=session.lease_until if is_active or session.status == Session.Status.EXPIRED else None,
            purpose=session.label,
            at=at,
        )
        is_lapsed = session.status == Session.Status.EXPIRED or (is_active and lease.is_lapsed)
        return cls(session, Hold.seen_by(reader, lease), is_active and not lease.is_lapsed, is_lapsed)

    @property
    def ended_at(self) -> datetime:
        return self.session.ended_at or self.session.lease_until

    @property
    def how(self) -> str:
        """How it ended, in a word or two."""
        return ENDED.get(Session.Status(self.session.status), "session lapsed")
