"""Decisions on proposals: accept, reject, withdraw, rebuild. The bytes stay, whatever is decided."""

from datetime import datetime
from typing import Any

from checkouts.attempts.acquisition import acquire_for_operation
from checkouts.attempts.locks import lock_artifact, refuse_archived
from checkouts.bytes.storage import demand_intact
from checkouts.entries import write_artifact_entry
from checkouts.exceptions import StaleProposal
from checkouts.models import Artifact, Proposal, Version
from checkouts.selectors import artifacts_for, proposal_for
from checkouts.versions import advance_head
from leasehold import leases, names
from leasehold.actions import action
from leasehold.actors import Actor
from leasehold.database import clock
from leasehold.exceptions import Forbidden, WrongState
from leasehold.models import Role
from leasehold.scopes.reservations import refuse_reserved


@action
def accept(*, actor: Actor, proposal_id: int, comment: str = "") -> Version:
    """Commit a proposal's bytes as head+1, under a short lease of the operator's. The proposal's author is the author.

    Raises `ArtifactBusy` while anyone, the operator included, has the file checked out; `StaleProposal` if there is a
    newer head since it was kept; `WrongState` if it is decided already; `BytesMissing` if its bytes are not there.
    """
    comment = names.checked_text(comment, "comment", 10_000)
    proposal = proposal_to_decide(actor, proposal_id)
    refuse_decided(proposal)  # before taking the lease: a decided proposal is not "busy"
    leases.gate([proposal.artifact.place])
    lease = acquire_for_operation(actor, proposal.artifact, purpose=f"accept proposal {proposal.pk}")
    artifact, proposal = lock_artifact(actor, proposal.artifact_id), lock_proposal(proposal.pk)
    refuse_decided(proposal)
    refuse_archived(artifact)
    session = refuse_reserved([artifact.place], actor.user)
    if artifact.head_id != proposal.base_version_id:
        raise StaleProposal(base=proposal.base_version.number, head=artifact.head.number)
    demand_intact(proposal.blob)

    at = clock.now()
    version = Version.objects.create(
        artifact=artifact,
        number=artifact.head.number + 1,
        blob=proposal.blob,
        digest=proposal.blob.digest,
        size=proposal.blob.size,
        author=proposal.author,
        comment=comment or proposal.comment,
        session_id=proposal.provenance.get("session") or session,
        provenance={**proposal.provenance, "proposal": proposal.pk, "accepted_by": actor.participant},
        created_at=at,
    )
    advance_head(artifact, base=proposal.base_version, head=version)
    decide(proposal, Proposal.State.ACCEPTED, actor=actor, at=at)
    leases.release(lease.resource, holder=lease.holder, fence=lease.fence)
    _write_entry("proposal_accepted", actor, proposal, artifact, at, version=version.number, digest=version.digest)
    return version


@action
def reject(*, actor: Actor, proposal_id: int, reason: str) -> Proposal:
    """Reject a proposal, with a reason. Its bytes can still be downloaded."""
    reason = names.checked_text(reason, "reason", 500, needed=True)
    proposal = lock_proposal(proposal_to_decide(actor, proposal_id).pk)
    refuse_decided(proposal)
    at = clock.now()
    decide(proposal, Proposal.State.REJECTED, actor=actor, at=at, reason=reason)
    _write_entry("proposal_rejected", actor, proposal, proposal.artifact, at, reason=reason)
    return proposal


@action
def withdraw(*, actor: Actor, proposal_id: int) -> Proposal:
    """Withdraw a proposal. Only its author may."""
    actor.demand_writing()
    found = proposal_for(actor, proposal_id)
    if found.author_id != actor.user.pk:
        raise Forbidden(f"This proposal is {found.author.participant}'s.")
    proposal = lock_proposal(found.pk)
    refuse_decided(proposal)
    at = clock.now()
    decide(proposal, Proposal.State.WITHDRAWN, actor=actor, at=at)
    _write_entry("proposal_withdrawn", actor, proposal, proposal.artifact, at)
    return proposal


@action
def rebuild(*, actor: Actor, proposal_id: int) -> Proposal:
    """Propose the same bytes by the same author against the current head. The old proposal is superseded.

    Raises `WrongState` if it is based on the head already, or if the head has the same bytes; `BytesMissing` if its own
    bytes are not there.
    """
    old = proposal_to_decide(actor, proposal_id)
    artifact = lock_artifact(actor, old.artifact_id)
    old = lock_proposal(old.pk)
    refuse_decided(old)
    refuse_archived(artifact)
    if artifact.head_id == old.base_version_id:
        raise WrongState("It stands on the newest version already.", state=old.state, allowed=["accept", "reject"])
    if artifact.head.digest == old.blob.digest:
        raise WrongState("The newest version has these bytes already.", state=old.state, allowed=["reject"])
    demand_intact(old.blob)
    at = clock.now()
    proposal = Proposal.objects.create(
        artifact=artifact,
        base_version=artifact.head,
        test_digest=artifact.head.digest,
        blob=old.blob,
        author=old.author,
        comment=old.comment,
        provenance={**old.provenance, "rebuilt_from": old.pk},
        created_at=at,
    )
    decide(old, Proposal.State.SUPERSEDED, actor=actor, at=at)
    _write_entry(
        "proposal_rebuilt", actor, proposal, artifact, at, supersedes=old.pk, head_version=artifact.head.number
    )
    return proposal


def proposal_to_decide(actor: Actor, proposal_id: int) -> Proposal:
    """Return the proposal. Raises `Forbidden` unless the actor is a human operator of its project."""
    proposal = proposal_for(actor, proposal_id)
    actor.demand_person()
    artifact = artifacts_for(actor).filter(pk=proposal.artifact_id).first()
    actor.demand(Role.OPERATOR, artifact.role if artifact else None)
    return proposal


def lock_proposal(proposal_id: int) -> Proposal:
    proposals = Proposal.objects.select_related("artifact__project", "base_version", "blob", "author")
    return proposals.select_for_update(no_key=True, of=("self",)).get(pk=proposal_id)


def refuse_decided(proposal: Proposal) -> None:
    if proposal.state != Proposal.State.OPEN:
        raise WrongState(f"This proposal is {proposal.state} already.", state=proposal.state, allowed=[])


def decide(proposal: Proposal, state: str, *, actor: Actor, at: datetime, reason: str = "") -> None:
    proposal.state, proposal.decided_at, proposal.decided_by, proposal.reason = state, at, actor.user, reason
    proposal.save(update_fields=["state", "decided_at", "decided_by", "reason"])


def _write_entry(kind: str, actor: Actor, proposal: Proposal, artifact: Artifact, at: datetime, **data: Any) -> None:
    author = proposal.author.participant
    write_artifact_entry(kind, actor, artifact, at, proposal=proposal.pk, author=author, **data)
