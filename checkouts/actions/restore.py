"""An old version comes back as a new one."""

from checkouts.actions.endings import advance
from checkouts.actions.records import locked_artifact, refuse_archived, take_for_operation
from checkouts.models import Version
from checkouts.selectors import BIGGEST_ID, artifact_for
from leasehold import clock, journal, leases, names
from leasehold.actions import action
from leasehold.actors import Actor
from leasehold.exceptions import NotFound, WrongState
from leasehold.models import Role
from leasehold.reservations import refuse_reserved


@action
def restore(*, actor: Actor, artifact_id: int, number: int, comment: str = "") -> Version:
    """Commit the bytes of version `number` as head+1, under a lease of its own.

    Refused while anyone, oneself included, has the file checked out: `ArtifactBusy`. `WrongState` if those bytes are
    the head's already, or the artifact is archived; `NotFound` for an unknown version.
    """
    comment = names.text(comment, "comment", 10_000) or f"Restored version {number}"
    facts = artifact_for(actor, artifact_id)
    actor.demand(Role.EDITOR, facts.role)
    leases.gate([facts.artifact.place])
    lease = take_for_operation(actor, facts.artifact, purpose=f"restore version {number}")
    artifact = locked_artifact(actor, artifact_id)
    refuse_archived(artifact)
    session = refuse_reserved([artifact.place], actor.user)
    old = artifact.versions.filter(number=number).first() if 0 < number <= BIGGEST_ID else None
    if old is None:
        raise NotFound(f"There is no version {number}.")
    if old.digest == artifact.head.digest:
        raise WrongState(
            f"The newest version has the bytes of version {number} already.", state="unchanged", allowed=[]
        )

    at = clock.now()
    version = Version.objects.create(
        artifact=artifact,
        number=artifact.head.number + 1,
        blob_id=old.blob_id,
        digest=old.digest,
        size=old.size,
        author=actor.user,
        comment=comment,
        session_id=session,
        provenance={"kind": "restore", "restored": number, "base_version": artifact.head.number},
        created_at=at,
    )
    advance(artifact, base=artifact.head, head=version)
    leases.release(lease.resource, holder=lease.holder, fence=lease.fence)
    journal.write(
        "version_restored",
        at=at,
        actor=actor,
        subject=artifact.resource,
        project_id=artifact.project_id,
        version=version.number,
        restored=number,
        digest=version.digest,
        comment=comment,
    )
    return version
