"""Rename, archive and unarchive a file. Its id and its versions stay."""

from collections.abc import Collection
from datetime import datetime

from checkouts.actions.artifacts import claim_path
from checkouts.attempts.locks import lock_artifact, refuse_archived
from checkouts.entries import write_artifact_entry
from checkouts.exceptions import ArtifactBusy
from checkouts.models import Artifact
from checkouts.selectors import artifact_for
from leasehold import leases, names
from leasehold.actions import action
from leasehold.actors import Actor
from leasehold.database import clock
from leasehold.exceptions import PreconditionFailed, TryAgain, WrongState
from leasehold.models import Role
from leasehold.scopes.reservations import refuse_reserved


@action
def rename(*, actor: Actor, artifact_id: int, path: str, if_match: Collection[str] | None = None) -> Artifact:
    """Give an artifact another path in its project. Renaming to its current path changes nothing.

    Raises `ArtifactBusy` while somebody else holds it, `PathTaken`, `WrongState` if it is archived,
    `PreconditionFailed` if the head's digest is not in `if_match`.
    """
    path = names.normalised(path)
    facts = artifact_for(actor, artifact_id)
    actor.demand(Role.EDITOR, facts.role)
    leases.gate([facts.artifact.project.slug])
    claim_path(facts.artifact.project, path, besides=artifact_id)
    artifact, at = lock_unless_held(actor, facts.artifact, if_match)
    refuse_archived(artifact)
    if artifact.path == path:
        return artifact
    refuse_reserved([artifact.place, f"{artifact.project.slug}/{names.comparing_form(path)}"], actor.user)

    before, artifact.path = artifact.path, path
    artifact.path_key, artifact.folder_key = names.comparing_form(path), names.comparing_form(names.folder_of(path))
    artifact.save(update_fields=["path", "path_key", "folder_key"])
    leases.move(artifact.resource, artifact.place)
    write_artifact_entry("artifact_renamed", actor, artifact, at, before=before, path=path)
    return artifact


@action
def archive(*, actor: Actor, artifact_id: int, if_match: Collection[str] | None = None) -> Artifact:
    """Archive an artifact: its path becomes free, its versions stay. Raises as `rename` does."""
    facts = artifact_for(actor, artifact_id)
    actor.demand(Role.EDITOR, facts.role)
    leases.gate([facts.artifact.place])
    artifact, at = lock_unless_held(actor, facts.artifact, if_match)
    refuse_archived(artifact)
    refuse_reserved([artifact.place], actor.user)
    artifact.archived_at = at
    artifact.save(update_fields=["archived_at"])
    write_artifact_entry("artifact_archived", actor, artifact, at, path=artifact.path)
    return artifact


@action
def unarchive(*, actor: Actor, artifact_id: int) -> Artifact:
    """Restore an archived artifact at its old path. Raises `PathTaken` if another file is there now."""
    facts = artifact_for(actor, artifact_id)
    actor.demand(Role.EDITOR, facts.role)
    leases.gate([facts.artifact.place])
    claim_path(facts.artifact.project, facts.artifact.path, besides=artifact_id)
    artifact, at = lock_unless_held(actor, facts.artifact, None)
    if artifact.path != facts.artifact.path:
        raise TryAgain  # since the read it was unarchived, renamed and archived again: the claimed path is not its own
    if artifact.archived_at is None:
        raise WrongState("This file is not archived.", state="active", allowed=["archive"])
    refuse_reserved([artifact.place], actor.user)
    artifact.archived_at = None
    artifact.save(update_fields=["archived_at"])
    write_artifact_entry("artifact_unarchived", actor, artifact, at, path=artifact.path)
    return artifact


def lock_unless_held(actor: Actor, artifact: Artifact, if_match: Collection[str] | None) -> tuple[Artifact, datetime]:
    """Lock the lease row, then the artifact. Return the artifact and the time of the check.

    Raises `ArtifactBusy` if another participant holds it, `PreconditionFailed` if `if_match` lacks the head's digest.
    """
    row = leases.lock_one(artifact.resource)
    artifact = lock_artifact(actor, artifact.pk)
    at = clock.now()
    lease = leases.live_lease(row, at)
    if lease and lease.participant != actor.participant:
        raise ArtifactBusy(lease=lease)
    if if_match is not None and artifact.head.digest not in if_match:
        raise PreconditionFailed(etag=artifact.head.digest)
    return artifact, at
