"""Sessions as pages show them: the worker, how much of the lease is left, or how the session ended."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from leasehold.leases import HeldLease
from leasehold.models import Checkpoint, Session, User
from leasehold.web.holds import Hold
from leasehold.web.tape import Tenure, TenureEnd

ENDED = {
    Session.Status.SUBMITTED: "submitted",
    Session.Status.BLOCKED: "blocked it",
    Session.Status.EXPIRED: "session lapsed",
    Session.Status.CANCELLED: "session cancelled",
}
RENEWALS = 200  # drawn on the tape of a ticket's sessions


@dataclass(frozen=True, slots=True)
class Run:
    """A session as one reader sees it.

    hold: its lease, for the ring; it has an expiry only if the session is active or has expired.
    is_lapsed: its lease ran out, whether or not the database says so yet.
    """

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
        """How the session ended, in a word or two."""
        return ENDED.get(Session.Status(self.session.status), "session lapsed")

    def tenure(self, renewals: Sequence[datetime]) -> Tenure:
        """Return the session as the tape shows it; `renewals`: the times of its checkpoints."""
        if self.is_live:
            return Tenure(self.hold.lease.participant, self.session.started_at, None, renewals=renewals)
        until = self.session.lease_until if self.is_lapsed else self.ended_at
        return Tenure(self.hold.lease.participant, self.session.started_at, until, self.ending, renewals)

    @property
    def ending(self) -> TenureEnd:
        if self.is_lapsed:
            return TenureEnd.LAPSED
        return TenureEnd.BROKEN if self.session.status == Session.Status.CANCELLED else TenureEnd.GIVEN


def tenures_of(runs: Sequence[Run]) -> list[Tenure]:
    """Return the tape's tenures, the oldest first, of one ticket's `runs`, the newest first. One statement."""
    if not runs:
        return []
    renewals: dict[int, list[datetime]] = {}
    newest = Checkpoint.objects.filter(session__in=[run.session.pk for run in runs]).order_by("-pk")
    for session, at in newest.values_list("session_id", "at")[:RENEWALS]:
        renewals.setdefault(session, []).append(at)
    return [run.tenure(renewals.get(run.session.pk, [])) for run in reversed(runs)]
