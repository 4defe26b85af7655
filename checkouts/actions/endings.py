"""How a record ends once its verdict is known, a check-out's and an edit's alike: committed, unchanged, proposed.

All of it runs behind the lease row, the record and the artifact, which the caller has locked.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from checkouts.actions.artifacts import add_version, create_blob
from checkouts.actions.records import take
from checkouts.bytes.storage import Received
from checkouts.models import Artifact, Attempt, Checkout, Proposal, Version
from checkouts.outcomes import Committed, Outcome, Proposed, Unchanged
from leasehold import journal, leases
from leasehold.actors import Actor
from leasehold.leases import HeldLease


@dataclass(frozen=True, slots=True)
class Ending:
    """What was brought back, on which record, by whom, and what stood there when it was judged at `at`.

    stderr: what the program that made the bytes said, where one did.
    """

    actor: Actor
    record: Attempt
    artifact: Artifact
    standing: HeldLease | None
    upload: Received
    comment: str
    at: datetime
    stderr: str = ""

    def unchanged(self) -> Outcome:
        head = self.artifact.head
        self._close(Unchanged.code, digest=head.digest, version=head)
        self._tell("version_unchanged", version=head.number)
        return Unchanged(self.record, head)  # type: ignore[arg-type]

    def proposed(self) -> Outcome:
        """Kept against the head of now; whoever holds the file meanwhile is not touched."""
        head = self.artifact.head
        proposal = Proposal.objects.create(
            artifact=self.artifact,
            base_version=head,
            test_digest=head.digest,
            blob=create_blob(self.upload, at=self.at),
            author=self.actor.user,
            comment=self.comment,
            provenance=self._provenance(),
            created_at=self.at,
        )
        self._close(Proposed.code, digest=self.upload.digest, proposal=proposal)
        self._tell(
            "proposal_kept",
            proposal=proposal.pk,
            base_version=self.record.base_version.number,
            head_version=head.number,
            digest=self.upload.digest,
            size=self.upload.size,
            comment=self.comment,
        )
        return Proposed(self.record, proposal)

    def committed(self) -> Outcome:
        """Head+1, under the record's lease: its own, or taken again where it lapsed and nobody else has it."""
        has_lapsed = self.standing is None
        if has_lapsed:
            take(self.record, ttl=self.record.ttl, place=self.artifact.place)
        version = add_version(
            self.artifact,
            upload=self.upload,
            number=self.artifact.head.number + 1,
            author=self.actor,
            comment=self.comment,
            at=self.at,
            session_id=self.record.session_id,
            provenance=self._provenance(),
        )
        advance(self.artifact, base=self.record.base_version, head=version)
        self._close(Committed.code, digest=version.digest, version=version)
        self._tell(
            "version_committed",
            version=version.number,
            digest=version.digest,
            size=version.size,
            comment=self.comment,
            renewed_lapsed_lease=has_lapsed,
        )
        return Committed(self.record, version)

    def _close(
        self, outcome: str, *, digest: str, version: Version | None = None, proposal: Proposal | None = None
    ) -> None:
        """End the record, and the lease where it is still the record's."""
        record = self.record
        record.state, record.outcome, record.closed_at = "closed", outcome, self.at
        record.result_digest, record.result_version, record.result_proposal = digest, version, proposal
        record.save(
            update_fields=["state", "outcome", "closed_at", "result_digest", "result_version", "result_proposal"]
        )
        leases.release(self.artifact.resource, holder=record.holder)

    def _provenance(self) -> dict[str, object]:
        return {
            "kind": "check_in" if isinstance(self.record, Checkout) else "edit",
            **named(self.record),
            "base_version": self.record.base_version.number,
            "base_digest": self.record.base_digest,
            "source": self.record.client,
            "session": self.record.session_id,
        }

    def _tell(self, kind: str, **data: Any) -> None:
        journal.write(
            kind,
            at=self.at,
            actor=self.actor,
            subject=self.artifact.resource,
            project_id=self.artifact.project_id,
            **named(self.record),
            **data,
            **({"stderr": self.stderr} if self.stderr else {}),
        )


def advance(artifact: Artifact, *, base: Version | None, head: Version) -> None:
    """Move the head from `base`, under the artifact's lock; the condition is the last word."""
    at, size = head.created_at, head.size
    if Artifact.objects.filter(pk=artifact.pk, head=base).update(head=head, head_size=size, changed_at=at) != 1:
        raise RuntimeError(f"the head of {artifact.resource} moved under its lock")
    artifact.head, artifact.head_size, artifact.changed_at = head, size, at


def named(record: Attempt) -> dict[str, Any]:
    """A record as journal and provenance name it."""
    return {"checkout": record.pk} if isinstance(record, Checkout) else {"edit": str(record.pk)}
