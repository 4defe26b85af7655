"""End an attempt once its verdict is known: committed, unchanged, proposed or discarded.

All of it runs behind the locks on the lease row, the attempt and, but for a discard, the artifact.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from checkouts.attempts.acquisition import acquire_for_attempt
from checkouts.attempts.situations import Situation
from checkouts.bytes.returns import put_back
from checkouts.bytes.storage import Received
from checkouts.entries import write_artifact_entry
from checkouts.models import Attempt, Checkout, Proposal, Version
from checkouts.outcomes import Committed, Proposed, Unchanged
from checkouts.versions import add_version, advance_head, create_blob
from leasehold import leases
from leasehold.actors import Actor
from leasehold.database import clock


@dataclass(frozen=True, slots=True)
class Changes:
    """The bytes that are checked in, with the comment. `stderr`: what the program that made them wrote there."""

    upload: Received
    comment: str
    stderr: str = ""


def end_committed(found: Situation[Any], changes: Changes) -> Committed:
    """Write the bytes as the next version, under the attempt's lease.

    Where that has lapsed and nobody else has the file, it is acquired again.
    """
    attempt, artifact, upload = found.attempt, found.artifact, changes.upload
    has_lapsed = found.lease is None
    if has_lapsed:
        acquire_for_attempt(attempt, ttl=attempt.ttl, place=artifact.place)
    version = add_version(
        artifact,
        upload=upload,
        number=artifact.newest.number + 1,
        author=found.actor,
        comment=changes.comment,
        at=found.at,
        session_id=attempt.session_id,
        provenance=_provenance(attempt),
    )
    advance_head(artifact, base=attempt.base_version, head=version)
    _close(attempt, Committed.code, at=found.at, digest=version.digest, version=version)
    _write_entry(
        "version_committed",
        found,
        changes,
        version=version.number,
        digest=version.digest,
        size=version.size,
        comment=changes.comment,
        renewed_lapsed_lease=has_lapsed,
    )
    return Committed(attempt, version)


def end_unchanged(found: Situation[Any], changes: Changes) -> Unchanged:
    """Write no version: the bytes are the head's. If the head's are missing on the disk, these take their place."""
    head = found.artifact.newest
    returned = {"returned_bytes": True} if put_back(changes.upload, head.blob) else {}
    _close(found.attempt, Unchanged.code, at=found.at, digest=head.digest, version=head)
    _write_entry("version_unchanged", found, changes, version=head.number, **returned)
    return Unchanged(found.attempt, head)


def end_proposed(found: Situation[Any], changes: Changes) -> Proposed:
    """Keep the bytes as a proposal against the head of now. Another holder's lease is not touched."""
    attempt, head, upload = found.attempt, found.artifact.newest, changes.upload
    proposal = Proposal.objects.create(
        artifact=found.artifact,
        base_version=head,
        test_digest=head.digest,
        blob=create_blob(upload, at=found.at),
        author=found.actor.user,
        comment=changes.comment,
        provenance=_provenance(attempt),
        created_at=found.at,
    )
    _close(attempt, Proposed.code, at=found.at, digest=upload.digest, proposal=proposal)
    _write_entry(
        "proposal_kept",
        found,
        changes,
        proposal=proposal.pk,
        base_version=attempt.base_version.number,
        head_version=head.number,
        digest=upload.digest,
        size=upload.size,
        comment=changes.comment,
    )
    return Proposed(attempt, proposal)


def end_discarded(attempt: Attempt, *, actor: Actor, **data: Any) -> None:
    """End an attempt and commit nothing. `data` goes into the journal's entry. One that has ended stays as it is."""
    if not attempt.is_open:
        return
    at = clock.now()
    _close(attempt, Attempt.Outcome.DISCARDED, at=at)
    write_artifact_entry(f"{attempt.kind}_discarded", actor, attempt.artifact, at, **attempt.named, **data)


def _close(
    attempt: Attempt,
    outcome: str,
    *,
    at: datetime,
    digest: str = "",
    version: Version | None = None,
    proposal: Proposal | None = None,
) -> None:
    """End the attempt, and the lease where it is still the attempt's."""
    attempt.state, attempt.outcome, attempt.closed_at = Attempt.State.CLOSED, outcome, at
    attempt.result_digest, attempt.result_version, attempt.result_proposal = digest, version, proposal
    attempt.save(update_fields=["state", "outcome", "closed_at", "result_digest", "result_version", "result_proposal"])
    leases.release(attempt.artifact.resource, holder=attempt.holder)


def _provenance(attempt: Attempt) -> dict[str, object]:
    """How a version or a proposal that comes of this attempt came to be."""
    return {
        "kind": "check_in" if isinstance(attempt, Checkout) else attempt.kind,
        **attempt.named,
        "base_version": attempt.base_version.number,
        "base_digest": attempt.base_digest,
        "source": attempt.client,
        "session": attempt.session_id,
    }


def _write_entry(kind: str, found: Situation[Any], changes: Changes, **data: Any) -> None:
    if changes.stderr:
        data["stderr"] = changes.stderr
    write_artifact_entry(kind, found.actor, found.artifact, found.at, **found.attempt.named, **data)
