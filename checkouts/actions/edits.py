"""An agent's short lease on a file: seconds, never renewed, released however the call ends. It never queues."""

import uuid

from checkouts.attempts.endings import Changes, end_committed, end_discarded, end_proposed, end_unchanged
from checkouts.attempts.locks import lock_attempt, lock_without_artifact, own_edit, refuse_archived, refuse_closed
from checkouts.attempts.openings import open_attempt
from checkouts.bytes.storage import Received
from checkouts.exceptions import ArtifactBusy, StaleBase
from checkouts.models import Edit
from checkouts.outcomes import GrantedEdit, Outcome, replay
from checkouts.rules import EditVerdict, judge_edit
from leasehold import leases, names
from leasehold.actions import action
from leasehold.actors import Actor
from leasehold.exceptions import Forbidden, ScopeReserved
from leasehold.scopes.reservations import keys_by_ticket

MAX_TTL = 45  # seconds; it is never renewed


@action
def open_edit(
    *, actor: Actor, artifact_id: int, ttl: int = MAX_TTL, purpose: str = "", session_id: int | None = None
) -> GrantedEdit:
    """Open an edit on an artifact for `ttl` seconds, 1…45.

    Raises `ArtifactBusy` with the lease in the way, or with None if it ended in between: then one may try again at
    once.
    """
    ttl = leases.checked_ttl(ttl, most=MAX_TTL)
    purpose = names.checked_text(purpose, "purpose", 500)
    return GrantedEdit(
        *open_attempt(Edit, actor=actor, artifact_id=artifact_id, ttl=ttl, purpose=purpose, session_id=session_id)
    )


@action
def put_edit(*, actor: Actor, edit_id: uuid.UUID, upload: Received, comment: str = "", stderr: str = "") -> Outcome:
    """Check in the new bytes. The outcomes are a check-in's; but what cannot be committed is refused, not kept.

    Raises `EditClosed`, `ArtifactBusy` if its lease ran out and somebody else has the file, `StaleBase` if the head has
    moved on, `ScopeReserved`, `Forbidden`, `WrongState` if it is archived. The same bytes again give the first answer
    again. `stderr` is what a program wrote there meanwhile, for the journal.
    """
    comment = names.checked_text(comment, "comment", 10_000)
    found = lock_attempt(actor, own_edit(actor, edit_id))
    edit, artifact, changes = found.attempt, found.artifact, Changes(upload, comment, stderr)
    match judge_edit(found.facts_for(upload.digest)):
        case EditVerdict.FORBIDDEN:
            raise Forbidden("This edit is not yours, or you may not edit here any more.")
        case EditVerdict.REPLAYED:
            return replay(edit)
        case EditVerdict.CLOSED:
            refuse_closed(edit)
        case EditVerdict.UNCHANGED:
            return end_unchanged(found, changes)
        case EditVerdict.BUSY:
            raise ArtifactBusy(lease=found.lease)
        case EditVerdict.STALE:
            raise StaleBase(base=edit.base_version.number, head=artifact.newest.number)
        case EditVerdict.ARCHIVED:
            refuse_archived(artifact)
        case EditVerdict.RESERVED:
            raise ScopeReserved.by(keys_by_ticket(found.reserved_for_others))
        case EditVerdict.PROPOSED:
            return end_proposed(found, changes)
    return end_committed(found, changes)


@action
def discard_edit(*, actor: Actor, edit_id: uuid.UUID, stderr: str = "") -> Edit:
    """End one's edit and commit nothing. On one that has ended it changes nothing, quietly."""
    edit = lock_without_artifact(own_edit(actor, edit_id))
    end_discarded(edit, actor=actor, **({"stderr": stderr} if stderr else {}))
    return edit


def expect_put(*, actor: Actor, edit_id: uuid.UUID) -> Edit:
    """Return the actor's own edit, before a byte of the body is read.

    If it is closed, the bytes are hashed but not stored. Raises `NotFound`, `Forbidden`.
    """
    return own_edit(actor, edit_id)
