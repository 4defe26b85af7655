"""Open an attempt: look, gate, acquire the lease, look again, refuse what is reserved, write. Both rows, or neither."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, TypeVar

from checkouts.attempts.acquisition import acquire_for_attempt
from checkouts.attempts.locks import refuse_archived, wait_at_gates
from checkouts.exceptions import ArtifactBusy
from checkouts.models import Artifact, Attempt, Checkout
from checkouts.outcomes import Granted
from checkouts.selectors import ArtifactWithLease, artifact_for
from leasehold import journal, leases
from leasehold.actors import Actor
from leasehold.leases import HeldLease
from leasehold.models import Role, User
from leasehold.scopes.reservations import refuse_reserved
from leasehold.selectors import demand_own_session

A = TypeVar("A", bound=Attempt)


def open_attempt(
    model: type[A], *, actor: Actor, artifact_id: int, ttl: int, purpose: str, session_id: int | None
) -> tuple[A, HeldLease]:
    """Open a new check-out or edit on an artifact's head, with its lease.

    It belongs to the actor's active session `session_id`, or to the one whose scope covers the file.

    Raises `ArtifactBusy` with the lease in the way, or with None if that ended in between; `Forbidden` for a viewer,
    `WrongState` for an archived artifact, `ScopeReserved` where another's ticket covers the path.
    """
    found = _editable(actor, artifact_id)
    if found.live_lease:
        raise ArtifactBusy(lease=found.live_lease)

    wait_at_gates(found.artifact.place, session_id)
    attempt = draft_attempt(
        model, found.artifact, user=actor.user, ttl=ttl, purpose=purpose, client=actor.client, at=found.at
    )
    # The lease's holder contains the attempt's id. An edit draws its own; a check-out's comes of the insert.
    is_written_first = attempt.pk is None
    if is_written_first:
        attempt.save(force_insert=True)
    lease = acquire_for_attempt(attempt, ttl=ttl, place=found.artifact.place)

    # Between the first look and the lease, somebody may have committed, renamed or archived the file.
    artifact = _editable(actor, artifact_id).artifact
    if artifact.place != lease.place:
        leases.move(lease.resource, artifact.place)
    covering = refuse_reserved([artifact.place], actor.user)
    attempt.session_id = covering if session_id is None else demand_own_session(actor, session_id)
    attempt.artifact, attempt.base_version, attempt.base_digest = artifact, artifact.newest, artifact.newest.digest
    attempt.opened_at, attempt.expires_at = lease.acquired_at, lease.ends_at
    if is_written_first:
        attempt.save(update_fields=["session", "base_version", "base_digest", "opened_at", "expires_at"])
    else:
        attempt.save(force_insert=True)
    write_opened(attempt, lease, actor)
    return attempt, lease


def _editable(actor: Actor, artifact_id: int) -> ArtifactWithLease:
    """Return the artifact with its lease, if the actor may edit it and it is not archived."""
    found = artifact_for(actor, artifact_id)
    actor.demand(Role.EDITOR, found.role)
    refuse_archived(found.artifact)
    return found


def open_behind_lock(
    artifact: Artifact,
    *,
    actor: Actor,
    user: User,
    ttl: int,
    purpose: str,
    at: datetime,
    session_id: int | None,
    **data: Any,
) -> Granted:
    """Open a check-out for `user` on an artifact that is locked behind its lease row, which is free or lapsed.

    `data` goes into the journal's entry.
    """
    checkout = draft_attempt(
        Checkout, artifact, user=user, ttl=ttl, purpose=purpose, client=actor.client, at=at, session_id=session_id
    )
    checkout.save(force_insert=True)
    lease = acquire_for_attempt(checkout, ttl=ttl, place=artifact.place)
    checkout.opened_at, checkout.expires_at = lease.acquired_at, lease.ends_at
    checkout.save(update_fields=["opened_at", "expires_at"])
    write_opened(checkout, lease, actor, **data)
    return Granted(checkout, lease)


def open_all(checkouts: Sequence[Checkout], actor: Actor, *, ttl: int, purpose: str, at: datetime) -> list[Granted]:
    """Write drafts of check-outs with their leases. Their artifacts were read behind their lease rows, at `at`."""
    written = Checkout.objects.bulk_create(checkouts)
    acquired = leases.acquire(
        [leases.Want(checkout.artifact.resource, checkout.holder, checkout.artifact.place) for checkout in written],
        participant=actor.participant,
        ttl=ttl,
        purpose=purpose,
        at=at,
    )
    lease_on = {lease.resource: lease for lease in acquired}
    granted = [Granted(checkout, lease_on[checkout.artifact.resource]) for checkout in written]
    journal.write_many([_opened_entry(opened.checkout, opened.lease, actor) for opened in granted])
    return granted


def draft_attempt(
    model: type[A],
    artifact: Artifact,
    *,
    user: User,
    ttl: int,
    purpose: str,
    client: str,
    at: datetime,
    session_id: int | None = None,
) -> A:
    """Return an attempt on the artifact's head that is not saved yet, and has no lease."""
    return model(
        artifact=artifact,
        base_version=artifact.newest,
        base_digest=artifact.newest.digest,
        actor=user,
        participant=user.participant,
        purpose=purpose,
        client=client,
        ttl=ttl,
        session_id=session_id,
        opened_at=at,
        expires_at=at + timedelta(seconds=ttl),
    )


def write_opened(attempt: Attempt, lease: HeldLease, actor: Actor, **data: Any) -> None:
    entry = _opened_entry(attempt, lease, actor, **data)
    journal.write(**entry)


def _opened_entry(attempt: Attempt, lease: HeldLease, actor: Actor, **data: Any) -> dict[str, Any]:
    return {
        "kind": f"{attempt.kind}_opened",
        "at": lease.acquired_at,
        "actor": actor,
        "subject": attempt.artifact.resource,
        "project_id": attempt.artifact.project_id,
        **attempt.named,
        "holder": attempt.participant,
        "version": attempt.base_version.number,
        "purpose": attempt.purpose,
        "expires_at": lease.ends_at.isoformat(),
        **data,
    }
