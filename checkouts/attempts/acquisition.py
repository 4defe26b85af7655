"""Acquire an artifact's lease: for an attempt, or for an operation that ends with its transaction."""

import uuid

from checkouts.exceptions import ArtifactBusy
from checkouts.models import Artifact, Attempt
from leasehold import leases
from leasehold.actors import Actor
from leasehold.exceptions import Busy
from leasehold.leases import HeldLease

OPERATION_TTL = 45  # seconds


def acquire_for_attempt(attempt: Attempt, *, ttl: int, place: str) -> HeldLease:
    """Acquire or renew the lease for an attempt.

    Raises `ArtifactBusy` with the lease of the one who has the file, or with None if that has ended since.
    """
    resource, purpose = f"artifact:{attempt.artifact_id}", attempt.purpose
    return _acquire(resource, attempt.holder, attempt.participant, ttl=ttl, purpose=purpose, place=place)


def acquire_for_operation(actor: Actor, artifact: Artifact, *, purpose: str) -> HeldLease:
    """Acquire a short lease for one transaction. Raises `ArtifactBusy` if anyone, the actor included, has the file."""
    if live := leases.read([artifact.resource]):
        raise ArtifactBusy(lease=live[0])
    holder = f"op:{uuid.uuid4()}:{actor.participant}"
    return _acquire(
        artifact.resource, holder, actor.participant, ttl=OPERATION_TTL, purpose=purpose, place=artifact.place
    )


def _acquire(resource: str, holder: str, participant: str, *, ttl: int, purpose: str, place: str) -> HeldLease:
    try:
        return leases.acquire_one(
            resource, holder=holder, participant=participant, ttl=ttl, purpose=purpose, place=place
        )
    except Busy as busy:
        raise ArtifactBusy(lease=next(iter(busy.leases), None)) from busy
