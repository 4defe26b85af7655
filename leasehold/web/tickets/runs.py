"""A session as a page shows it: whose run at a ticket, how much of its lease is left, or how it ended."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from leasehold.leases import HeldLease
from leasehold.models import Checkpoint, Session, User
from leasehold.web.holds import Hold
from leasehold.web.tape import Ending, Tenure

ENDED = {
    Session.Status.SUBMITTED: "submitted",
    Session.Status.BLOCKED: "blocked it",
    Session.Status.EXPIRED: "session lapsed",
    Session.Status.CANCELLED: "session cancelled",
}
RENEWALS = 200  # drawn on the picture of a ticket's sessions


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

    def tenure(self, renewals: Sequence[datetime]) -> Tenure:
        """The session as the picture shows it; `renewals`: when its worker gave a sign of life."""
        if self.is_live:
            return Tenure(self.hold.lease.participant, self.session.started_at, None, renewals=renewals)
        until = self.session.lease_until if self.is_lapsed else self.ended_at
        return Tenure(self.hold.lease.participant, self.session.started_at, until, self.ending, renewals)

    @property
    def ending(self) -> Ending:
        if self.is_lapsed:
            return Ending.LAPSED
        return Ending.BROKEN if self.session.status == Session.Status.CANCELLED else Ending.GIVEN


def tenures_of(runs: Sequence[Run]) -> list[Tenure]:
    """Sessions of one ticket, given newest first, as the picture wants them: the oldest first. One statement."""
    if not runs:
        return []
    signs: dict[int, list[datetime]] = {}
    newest = Checkpoint.objects.filter(session__in=[run.session.pk for run in runs]).order_by("-pk")
    for session, at in newest.values_list("session_id", "at")[:RENEWALS]:
        signs.setdefault(session, []).append(at)
    return [run.tenure(signs.get(run.session.pk, [])) for run in reversed(runs)]
