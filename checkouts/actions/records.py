"""What the verbs on check-outs share: finding one's record, locking it, taking its lease, saying why not."""

import uuid
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from checkouts.exceptions import ArtifactBusy, CheckoutClosed
from checkouts.models import Artifact, Attempt, Checkout
from checkouts.selectors import checkout_for, role_of
from leasehold import journal, leases
from leasehold.actors import Actor
from leasehold.exceptions import Busy, Forbidden, WrongState
from leasehold.leases import HeldLease
from leasehold.models import User

OPERATION_TTL = 45  # seconds; an operation's lease ends with its transaction


@dataclass(frozen=True, slots=True)
class Granted:
    """A check-out and the lease that it holds."""

    checkout: Checkout
    lease: HeldLease


def open_record(artifact: Artifact, **terms: Any) -> Checkout:
    """A new record on the artifact's head, saved. It comes before its lease, whose holder contains the record's id."""
    record = new_record(artifact, **terms)
    record.save(force_insert=True)
    return record


def new_record(
    artifact: Artifact,
    *,
    user: User,
    ttl: int,
    purpose: str,
    client: str,
    at: datetime,
    session_id: int | None = None,
) -> Checkout:
    """A record on the artifact's head, not saved yet, and without a lease."""
    return Checkout(
        artifact=artifact,
        base_version=artifact.head,
        base_digest=artifact.head.digest,
        actor=user,
        participant=user.participant,
        purpose=purpose,
        client=client,
        ttl=ttl,
        session_id=session_id,
        opened_at=at,
        expires_at=at + timedelta(seconds=ttl),
    )


def grant(record: Checkout, *, place: str, actor: Actor, **data: Any) -> Granted:
    """Take the lease for a new record, whose artifact was read behind its lease row, and tell the journal."""
    lease = take(record, ttl=record.ttl, place=place)
    record.opened_at, record.expires_at = lease.acquired_at, lease.expires_at  # type: ignore[assignment]
    Checkout.objects.filter(pk=record.pk).update(opened_at=record.opened_at, expires_at=record.expires_at)
    tell_opened(record, lease, actor, **data)
    return Granted(record, lease)


def tell_opened(record: Checkout, lease: HeldLease, actor: Actor, **data: Any) -> None:
    journal.write(**opened_entry(record, lease, actor, **data))


def opened_entry(record: Checkout, lease: HeldLease, actor: Actor, **data: Any) -> dict[str, Any]:
    return {
        "kind": "checkout_opened",
        "at": lease.acquired_at,
        "actor": actor,
        "subject": record.artifact.resource,
        "project_id": record.artifact.project_id,
        "checkout": record.pk,
        "holder": record.participant,
        "version": record.base_version.number,
        "purpose": record.purpose,
        "expires_at": lease.expires_at.isoformat(),
        **data,
    }


def take(record: Attempt, *, ttl: int, place: str) -> HeldLease:
    """The lease for a record, or `ArtifactBusy` with the winner's (none if it has ended since)."""
    try:
        return leases.acquire_one(
            f"artifact:{record.artifact_id}",
            holder=record.holder,
            participant=record.participant,
            ttl=ttl,
            purpose=record.purpose,
            place=place,
        )
    except Busy as busy:
        raise ArtifactBusy(lease=next(iter(busy.leases), None)) from busy


def take_for_operation(actor: Actor, artifact: Artifact, *, purpose: str) -> HeldLease:
    """A short lease for one transaction, or `ArtifactBusy` with whoever has the file, oneself included."""
    try:
        if standing := leases.read([artifact.resource]):
            raise Busy(leases=standing)
        return leases.acquire_one(
            artifact.resource,
            holder=f"op:{uuid.uuid4()}:{actor.participant}",
            participant=actor.participant,
            ttl=OPERATION_TTL,
            purpose=purpose,
            place=artifact.place,
        )
    except Busy as busy:
        raise ArtifactBusy(lease=next(iter(busy.leases), None)) from busy


def own(actor: Actor, checkout_id: int) -> Checkout:
    """The record if it is the actor's own, read without a lock to find which rows to lock."""
    actor.demand_writing()
    record = checkout_for(actor, checkout_id)
    if record.actor_id != actor.user.pk:
        raise Forbidden(f"This check-out is {record.participant}'s.")
    return record


def locked(checkout_id: int) -> Checkout:
    """The record again, locked. Its lease row must be locked before."""
    records = Checkout.objects.select_related(
        "artifact__project", "base_version", "actor", "result_version", "result_proposal", "broken_by"
    )
    return records.select_for_update(no_key=True, of=("self",)).get(pk=checkout_id)


def locked_artifact(actor: Actor, artifact_id: int) -> Artifact:
    """The artifact with its project, head and the actor's `role`, locked; whether or not the actor still sees it."""
    artifacts = Artifact.objects.select_related("project", "head").annotate(role=role_of(actor))
    return artifacts.select_for_update(no_key=True, of=("self",)).get(pk=artifact_id)


def refuse_closed(record: Checkout) -> None:
    if not record.is_open:
        raise CheckoutClosed(f"This check-out has ended: {record.outcome}.", outcome=record.outcome)


def refuse_archived(artifact: Artifact) -> None:
    if artifact.archived_at:
        raise WrongState("This file is archived.", state="archived", allowed=["unarchive"])


def lose(record: Checkout, *, actor: Actor, how: Checkout.Loss, reason: str, at: datetime) -> None:
    """End a record's lease against its holder. The record stays open, says by whom and why, and is never extended."""
    leases.release(record.artifact.resource, holder=record.holder)
    record.broken_at, record.broken_by, record.broken_how, record.broken_reason = at, actor.user, how, reason
    record.save(update_fields=["broken_at", "broken_by", "broken_how", "broken_reason"])


def how_it_was_lost(record: Checkout) -> str:
    """A sentence for `LeaseLost`."""
    if record.broken_by is None:
        return "This check-out has lapsed, or somebody else has the file."
    words = f"This check-out was {record.get_broken_how_display()} by {record.broken_by.participant}"
    return f"{words}: {record.broken_reason}" if record.broken_reason else f"{words}."
