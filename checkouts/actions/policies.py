"""The write policy of one file, which overrides the project's: what becomes of an agent's change."""

from collections.abc import Collection

from checkouts.attempts.locks import lock_artifact, refuse_archived
from checkouts.entries import write_artifact_entry
from checkouts.models import Artifact
from checkouts.selectors import artifact_for
from leasehold.actions import action
from leasehold.actors import Actor
from leasehold.database import clock
from leasehold.exceptions import Invalid, PreconditionFailed
from leasehold.models import Role, WritePolicy


@action
def set_write_policy(
    *, actor: Actor, artifact_id: int, policy: str, if_match: Collection[str] | None = None
) -> Artifact:
    """Set the policy to `direct`, to `propose`, or to empty for the project's. Only a human operator may.

    Raises `PreconditionFailed` if the head's digest is not in `if_match`, `WrongState` if the artifact is archived.
    """
    if policy not in ("", *WritePolicy.values):
        raise Invalid.of("write_policy", f"Expected {', '.join(WritePolicy.values)} or nothing.")
    facts = artifact_for(actor, artifact_id)
    actor.demand_person()
    actor.demand(Role.OPERATOR, facts.role)
    artifact = lock_artifact(actor, artifact_id)
    refuse_archived(artifact)
    if if_match is not None and artifact.head.digest not in if_match:
        raise PreconditionFailed(etag=artifact.head.digest)
    if artifact.write_policy == policy:
        return artifact
    before, artifact.write_policy = artifact.write_policy, policy
    artifact.save(update_fields=["write_policy"])
    write_artifact_entry("write_policy_changed", actor, artifact, clock.now(), before=before, policy=policy)
    return artifact
