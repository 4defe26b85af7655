"""An agent's short lease on a file: seconds, never renewed, released however the call ends. It never queues."""

import uuid
from dataclasses import dataclass

from checkouts.actions.endings import Ending
from checkouts.actions.records import locked_artifact, refuse_archived, take
from checkouts.bytes.storage import Received
from checkouts.exceptions import ArtifactBusy, EditClosed, StaleBase
from checkouts.models import Edit
from checkouts.outcomes import Outcome, replay
from checkouts.rules import CheckInFacts, EditVerdict, judge_edit, must_propose
from checkouts.selectors import artifact_for, edit_for
from leasehold import journal, leases, names
from leasehold.actions import action
from leasehold.actors import Actor
from leasehold.database import clock
from leasehold.exceptions import Forbidden, ScopeReserved
from leasehold.leases import HeldLease
from leasehold.models import Role
from leasehold.rules import includes
from leasehold.scopes.reservations import covers, keys_by_ticket, refuse_reserved
from leasehold.selectors import demand_own_session

MAX_TTL = 45  # seconds; it is never renewed


@dataclass(frozen=True, slots=True)
class GrantedEdit:
    edit: Edit
    lease: HeldLease


@action
def open_edit(
    *, actor: Actor, artifact_id: int, ttl: int = MAX_TTL, purpose: str = "", session_id: int | None = None
) -> GrantedEdit:
    """Take an artifact for `ttl` seconds, 1…45. Raises `ArtifactBusy` with the lease in the way, or with none if it
    ended in between: then one may try again at once."""
    ttl = leases.seconds(ttl, most=MAX_TTL)
    purpose = names.text(purpose, "purpose", 500)
    facts = artifact_for(actor, artifact_id)
    actor.demand(Role.EDITOR, facts.role)
    refuse_archived(facts.artifact)
    if facts.live_lease:
        raise ArtifactBusy(lease=facts.live_lease)

    leases.gate([facts.artifact.place])
    record = Edit(
        artifact=facts.artifact,
        actor=actor.user,
        participant=actor.participant,
        purpose=purpose,
        client=actor.client,
        ttl=ttl,
    )
    # The holder is the edit's own UUID, so here the lease can come first, and the record is written once.
    lease = take(record, ttl=ttl, place=facts.artifact.place)
    artifact = artifact_for(actor, artifact_id).artifact
    refuse_archived(artifact)
    if artifact.place != lease.place:
        leases.move(lease.resource, artifact.place)
    covering = refuse_reserved([artifact.place], actor.user)
    record.session_id = covering if session_id is None else demand_own_session(actor, session_id)
    record.artifact, record.base_version, record.base_digest = artifact, artifact.head, artifact.head.digest  # type: ignore[assignment]
    record.opened_at, record.expires_at = lease.acquired_at, lease.expires_at  # type: ignore[assignment]
    record.save(force_insert=True)
    journal.write(
        "edit_opened",
        at=lease.acquired_at,
        actor=actor,
        subject=artifact.resource,
        project_id=artifact.project_id,
        edit=str(record.uuid),
        holder=record.participant,
        version=artifact.head.number,
        purpose=purpose,
        expires_at=lease.expires_at.isoformat(),
    )
    return GrantedEdit(record, lease)


@action
def put_edit(*, actor: Actor, edit_id: uuid.UUID, upload: Received, comment: str = "", stderr: str = "") -> Outcome:
    """Bring the new bytes. Outcomes as a check-in's; but what cannot be committed is refused, not kept.

    Raises `EditClosed`, `ArtifactBusy` if its lease ran out and somebody else has the file, `StaleBase` if the head has
    moved on, `ScopeReserved`, `Forbidden`, `WrongState` if it is archived. The same bytes again give the first answer
    again. `stderr` is what a program said meanwhile, for the journal.
    """
    comment = names.text(comment, "comment", 10_000)
    record = own_edit(actor, edit_id)
    leases.gate([record.artifact.place])
    row = leases.lock_one(record.artifact.resource)
    record, artifact = locked_edit(record.uuid), locked_artifact(actor, record.artifact_id)
    at = clock.now()
    standing = leases.live_lease(row, at)
    # Nothing that is done under a live lease is checked against reservations.
    found = [] if standing else covers([artifact.place], actor.user)
    others = [cover for cover in found if cover.session is None]
    facts = CheckInFacts(
        is_own=record.actor_id == actor.user.pk,
        is_open=record.is_open,
        is_what_it_ended_with=record.result_digest == upload.digest,
        is_head_digest=artifact.head.digest == upload.digest,
        is_held_by_another=standing is not None and standing.holder != record.holder,
        is_base_head=artifact.head_id == record.base_version_id,
        may_edit=includes(actor.effective(artifact.role), Role.EDITOR),
        is_archived=artifact.archived_at is not None,
        is_reserved_by_another=bool(others),
        must_propose=must_propose(is_agent=actor.user.is_agent, policy=artifact.policy),
    )
    ending = Ending(actor, record, artifact, standing, upload, comment, at, stderr)
    match judge_edit(facts):
        case EditVerdict.FORBIDDEN:
            raise Forbidden("This edit is not yours, or you may not edit here any more.")
        case EditVerdict.REPLAYED:
            return replay(record)
        case EditVerdict.CLOSED:
            raise EditClosed(f"This edit has ended: {record.outcome}.", outcome=record.outcome)
        case EditVerdict.UNCHANGED:
            return ending.unchanged()
        case EditVerdict.BUSY:
            raise ArtifactBusy(lease=standing)
        case EditVerdict.STALE:
            raise StaleBase(base=record.base_version.number, head=artifact.head.number)
        case EditVerdict.ARCHIVED:
            refuse_archived(artifact)
        case EditVerdict.RESERVED:
            raise ScopeReserved.by(keys_by_ticket(others))
        case EditVerdict.PROPOSED:
            return ending.proposed()
    return ending.committed()


@action
def discard_edit(*, actor: Actor, edit_id: uuid.UUID, stderr: str = "") -> Edit:
    """End one's edit and commit nothing. On one that has ended it changes nothing, quietly."""
    record = own_edit(actor, edit_id)
    leases.lock_one(record.artifact.resource)
    record = locked_edit(record.uuid)
    if not record.is_open:
        return record
    at = clock.now()
    record.state, record.outcome, record.closed_at = Edit.State.CLOSED, Edit.Outcome.DISCARDED, at
    record.save(update_fields=["state", "outcome", "closed_at"])
    leases.release(record.artifact.resource, holder=record.holder)
    journal.write(
        "edit_discarded",
        at=at,
        actor=actor,
        subject=record.artifact.resource,
        project_id=record.artifact.project_id,
        edit=str(record.uuid),
        **({"stderr": stderr} if stderr else {}),
    )
    return record


def expect_put(*, actor: Actor, edit_id: uuid.UUID) -> Edit:
    """Judged before a byte of the body is read: whose it is. Bytes for a closed edit are hashed, and not stored."""
    return own_edit(actor, edit_id)


def own_edit(actor: Actor, edit_id: uuid.UUID) -> Edit:
    actor.demand_writing()
    record = edit_for(actor, edit_id)
    if record.actor_id != actor.user.pk:
        raise Forbidden(f"This edit is {record.participant}'s.")
    return record


def locked_edit(edit_id: uuid.UUID) -> Edit:
    """The record again, locked. Its lease row must be locked before."""
    records = Edit.objects.select_related("artifact__project", "base_version", "result_version", "result_proposal")
    return records.select_for_update(no_key=True, of=("self",)).get(pk=edit_id)
