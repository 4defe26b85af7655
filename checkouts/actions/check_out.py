"""A file is taken: check out, extend, discard, break. The lease row decides; the record tells the story."""

from dataclasses import dataclass

from django.conf import settings

from checkouts.exceptions import ArtifactBusy, CheckoutClosed, StaleBase
from checkouts.models import Artifact, Checkout
from checkouts.selectors import artifact_for, artifacts_for, checkout_for, role_of
from leasehold import clock, journal, leases, names
from leasehold.actions import action
from leasehold.actors import Actor
from leasehold.exceptions import Busy, Forbidden, LeaseLost, WrongState
from leasehold.leases import HeldLease
from leasehold.models import Role


@dataclass(frozen=True, slots=True)
class Granted:
    """A check-out and the lease that it holds."""

    checkout: Checkout
    lease: HeldLease


@dataclass(frozen=True, slots=True)
class Broken:
    """`ended` is false where there was nothing left to break."""

    checkout: Checkout
    ended: bool


@action
def check_out(*, actor: Actor, artifact_id: int, ttl: int | None = None, purpose: str = "") -> Granted:
    """Take an artifact for `ttl` seconds (8 hours by default): record and lease in one transaction, or neither.

    Raises `ArtifactBusy` with the lease in the way, one's own included: two tabs are two holders. `Forbidden` for a
    viewer, `WrongState` for an archived artifact.
    """
    ttl = leases.seconds(settings.LEASEHOLD_CHECKOUT_TTL if ttl is None else ttl)
    purpose = names.text(purpose, "purpose", 500)
    facts = artifact_for(actor, artifact_id)
    artifact = facts.artifact
    actor.demand(Role.EDITOR, facts.role)
    refuse_archived(artifact)
    if facts.live_lease:
        raise ArtifactBusy(lease=facts.live_lease)

    leases.gate([artifact.place])
    # The holder contains the record's id, so the record comes first: a new row locks nobody out.
    record = Checkout.objects.create(
        artifact=artifact,
        base_version=artifact.head,
        base_digest=artifact.head.digest,
        actor=actor.user,
        participant=actor.participant,
        purpose=purpose,
        client=actor.client,
        ttl=ttl,
        opened_at=facts.at,
        expires_at=facts.at,
    )
    lease = take(record, ttl=ttl, place=artifact.place)

    # Between the first look and the lease, somebody may have committed, renamed or archived.
    artifact = artifacts_for(actor).get(pk=artifact.pk)
    refuse_archived(artifact)
    if artifact.place != lease.place:
        leases.move(lease.resource, artifact.place)
    record.artifact, record.base_version, record.base_digest = artifact, artifact.head, artifact.head.digest
    record.opened_at, record.expires_at = lease.acquired_at, lease.expires_at
    Checkout.objects.filter(pk=record.pk).update(
        base_version=record.base_version,
        base_digest=record.base_digest,
        opened_at=record.opened_at,
        expires_at=record.expires_at,
    )
    journal.write(
        "checkout_opened",
        at=lease.acquired_at,
        actor=actor,
        subject=artifact.resource,
        project_id=artifact.project_id,
        checkout=record.pk,
        version=artifact.head.number,
        purpose=purpose,
        expires_at=lease.expires_at.isoformat(),
    )
    return Granted(record, lease)


@action
def extend(*, actor: Actor, checkout_id: int, ttl: int | None = None) -> Granted:
    """Acquire the check-out's lease again, for `ttl` seconds from now (what was first asked for by default).

    Raises `Forbidden` unless it is the actor's own, `CheckoutClosed`, `LeaseLost` after a break, `ArtifactBusy` if it
    lapsed and somebody else has it, `StaleBase` if the head has moved on meanwhile.
    """
    record = own(actor, checkout_id)
    ttl = leases.seconds(record.ttl if ttl is None else ttl)
    leases.gate([record.artifact.place])
    row = leases.lock_one(record.artifact.resource)
    record, artifact = locked(record.pk), locked_artifact(actor, record.artifact_id)
    standing = leases.standing(row, at=clock.now())
    actor.demand(Role.EDITOR, artifact.role)
    refuse_closed(record)
    refuse_archived(artifact)
    if record.broken_at:
        raise LeaseLost(how_it_was_lost(record), lease=standing)
    if standing and standing.holder != record.holder:
        raise ArtifactBusy(lease=standing)
    if artifact.head_id != record.base_version_id:
        raise StaleBase(base=record.base_version.number, head=artifact.head.number)

    lease = take(record, ttl=ttl, place=artifact.place)
    record.expires_at = lease.expires_at
    Checkout.objects.filter(pk=record.pk).update(expires_at=lease.expires_at)
    journal.write(
        "checkout_extended",
        at=lease.at,
        actor=actor,
        subject=artifact.resource,
        project_id=artifact.project_id,
        checkout=record.pk,
        expires_at=lease.expires_at.isoformat(),
        renewed_lapsed_lease=standing is None,
    )
    return Granted(record, lease)


@action
def discard(*, actor: Actor, checkout_id: int) -> Checkout:
    """End one's own check-out and commit nothing. On a record that has ended it changes nothing, quietly."""
    record = own(actor, checkout_id)
    leases.lock_one(record.artifact.resource)
    record = locked(record.pk)
    if not record.is_open:
        return record
    at = clock.now()
    record.state, record.outcome, record.closed_at = Checkout.State.CLOSED, Checkout.Outcome.DISCARDED, at
    Checkout.objects.filter(pk=record.pk).update(state=record.state, outcome=record.outcome, closed_at=at)
    leases.release(record.artifact.resource, holder=record.holder)
    journal.write(
        "checkout_discarded",
        at=at,
        actor=actor,
        subject=record.artifact.resource,
        project_id=record.artifact.project_id,
        checkout=record.pk,
        version=record.base_version.number,
    )
    return record


@action
def break_checkout(*, actor: Actor, checkout_id: int, reason: str) -> Broken:
    """An operator ends somebody's check-out; the file is free at once, and the record stays open without its lease.

    What its holder checks in later is still kept. A person's decision, with a reason; a second break does nothing.
    """
    reason = names.text(reason, "reason", 500, needed=True)
    record = checkout_for(actor, checkout_id)
    facts = artifacts_for(actor).filter(pk=record.artifact_id).first()
    actor.demand_person()
    actor.demand(Role.OPERATOR, facts.role if facts else None)
    leases.lock_one(record.artifact.resource)
    record = locked(record.pk)
    if not record.is_open or record.broken_at:
        return Broken(record, ended=False)
    at = clock.now()
    leases.release(record.artifact.resource, holder=record.holder)
    record.broken_at, record.broken_by, record.broken_reason = at, actor.user, reason
    Checkout.objects.filter(pk=record.pk).update(broken_at=at, broken_by=actor.user, broken_reason=reason)
    journal.write(
        "checkout_broken",
        at=at,
        actor=actor,
        subject=record.artifact.resource,
        project_id=record.artifact.project_id,
        checkout=record.pk,
        holder=record.participant,
        reason=reason,
    )
    return Broken(record, ended=True)


def take(record: Checkout, *, ttl: int, place: str) -> HeldLease:
    """The lease for a record, or `ArtifactBusy` with the winner's (none if it has ended since)."""
    try:
        return leases.take(
            f"artifact:{record.artifact_id}",
            holder=record.holder,
            participant=record.participant,
            ttl=ttl,
            purpose=record.purpose,
            place=place,
        )
    except Busy as busy:
        raise ArtifactBusy(lease=next(iter(busy.leases), None)) from busy


def own(actor: Actor, checkout_id: int) -> Checkout:
    """The record if it is the actor's own, read without a lock to find which rows to lock."""
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


def how_it_was_lost(record: Checkout) -> str:
    by = record.broken_by.participant if record.broken_by else "nobody"
    return f"This check-out was ended by {by}: {record.broken_reason}"
