"""Restore an old version as a new one."""

from datetime import datetime

from checkouts.attempts.acquisition import acquire_for_operation
from checkouts.attempts.locks import lock_artifact, refuse_archived
from checkouts.bytes.storage import demand_intact
from checkouts.entries import write_artifact_entry
from checkouts.models import Artifact, Proposal, Version
from checkouts.rules import must_propose
from checkouts.selectors import artifact_for
from checkouts.versions import advance_head
from leasehold import leases, names
from leasehold.actions import action
from leasehold.actors import Actor
from leasehold.database import clock
from leasehold.database.ids import BIGGEST_ID
from leasehold.exceptions import NotFound, WrongState
from leasehold.models import Role
from leasehold.scopes.reservations import refuse_reserved


@action
def restore(*, actor: Actor, artifact_id: int, number: int, comment: str = "") -> Version | Proposal:
    """Commit the bytes of version `number` as head+1, under a short lease of its own.

    An agent's restore becomes a proposal if the write policy says `propose`. Raises `ArtifactBusy` while anyone, the
    actor included, has the file checked out; `WrongState` if the head has these bytes already or the artifact is
    archived; `NotFound` for an unknown version; `BytesMissing` if its bytes are not there.
    """
    comment = names.checked_text(comment, "comment", 10_000) or f"Restored version {number}"
    facts = artifact_for(actor, artifact_id)
    actor.demand(Role.EDITOR, facts.role)
    leases.gate([facts.artifact.place])
    lease = acquire_for_operation(actor, facts.artifact, purpose=f"restore version {number}")
    artifact = lock_artifact(actor, artifact_id)
    refuse_archived(artifact)
    session = refuse_reserved([artifact.place], actor.user)
    old = artifact.versions.select_related("blob").filter(number=number).first() if 0 < number <= BIGGEST_ID else None
    if old is None:
        raise NotFound(f"There is no version {number}.")
    if old.digest == artifact.head.digest:
        raise WrongState(
            f"The newest version has the bytes of version {number} already.", state="unchanged", allowed=[]
        )
    demand_intact(old.blob, version=old.number)

    at = clock.now()
    apply = _propose if must_propose(is_agent=actor.user.is_agent, policy=artifact.policy) else _commit
    result = apply(actor, artifact, old, comment=comment, at=at, session=session)
    leases.release(lease.resource, holder=lease.holder, fence=lease.fence)
    return result


def _commit(
    actor: Actor, artifact: Artifact, old: Version, *, comment: str, at: datetime, session: int | None
) -> Version:
    version = Version.objects.create(
        artifact=artifact,
        number=artifact.head.number + 1,
        blob_id=old.blob_id,
        digest=old.digest,
        size=old.size,
        author=actor.user,
        comment=comment,
        session_id=session,
        provenance={"kind": "restore", "restored": old.number, "base_version": artifact.head.number},
        created_at=at,
    )
    advance_head(artifact, base=artifact.head, head=version)
    write_artifact_entry(
        "version_restored",
        actor,
        artifact,
        at,
        version=version.number,
        restored=old.number,
        digest=version.digest,
        comment=comment,
    )
    return version


def _propose(
    actor: Actor, artifact: Artifact, old: Version, *, comment: str, at: datetime, session: int | None
) -> Proposal:
    head = artifact.head
    proposal = Proposal.objects.create(
        artifact=artifact,
        base_version=head,
        test_digest=head.digest,
        blob_id=old.blob_id,
        author=actor.user,
        comment=comment,
        provenance={
            "kind": "restore",
            "restored": old.number,
            "base_version": head.number,
            "base_digest": head.digest,
            "source": actor.client,
            "session": session,
        },
        created_at=at,
    )
    write_artifact_entry(
        "proposal_kept",
        actor,
        artifact,
        at,
        proposal=proposal.pk,
        base_version=head.number,
        head_version=head.number,
        digest=old.digest,
        size=old.size,
        restored=old.number,
        comment=comment,
    )
    return proposal
