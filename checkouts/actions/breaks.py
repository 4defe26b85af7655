"""An operator ends what somebody else holds: break, and take over. Never the same call as releasing one's own."""

from dataclasses import dataclass
from datetime import datetime

from django.conf import settings

from checkouts.actions.records import Granted, grant, locked, locked_artifact, lose, open_record, refuse_archived
from checkouts.exceptions import ArtifactBusy
from checkouts.models import Checkout
from checkouts.selectors import artifact_for, artifacts_for, checkout_for
from leasehold import journal, leases, names
from leasehold.actions import action
from leasehold.actors import BREAK, Actor
from leasehold.database import clock
from leasehold.leases import HeldLease
from leasehold.models import Role
from leasehold.scopes.reservations import refuse_reserved


@dataclass(frozen=True, slots=True)
class Broken:
    """`ended` is false where there was nothing left to break."""

    checkout: Checkout
    ended: bool


@action
def break_checkout(*, actor: Actor, checkout_id: int, reason: str) -> Broken:
    """An operator ends somebody's check-out; the file is free at once, and the record stays open without its lease.

    What its holder checks in later is still kept. A person's decision, with a reason; a second break does nothing.
    """
    reason = names.text(reason, "reason", 500, needed=True)
    record = checkout_for(actor, checkout_id)
    facts = artifacts_for(actor).filter(pk=record.artifact_id).first()
    actor.demand_person()
    actor.demand(Role.OPERATOR, facts.role if facts else None, permission=BREAK)
    leases.lock_one(record.artifact.resource)
    record = locked(record.pk)
    if not record.is_open or record.broken_at:
        return Broken(record, ended=False)
    end(record, actor=actor, reason=reason, at=clock.now())
    return Broken(record, ended=True)


@action
def break_artifact(*, actor: Actor, artifact_id: int, reason: str) -> HeldLease | None:
    """An operator ends whatever holds the artifact: a check-out as `break_checkout` does, or an edit, whose bytes are
    then judged as if its time had run out. Answers the lease that was ended, none if nobody held it."""
    reason = names.text(reason, "reason", 500, needed=True)
    facts = artifact_for(actor, artifact_id)
    actor.demand_person()
    actor.demand(Role.OPERATOR, facts.role, permission=BREAK)
    row = leases.lock_one(facts.artifact.resource)
    record = record_behind(row.holder)
    at = clock.now()
    if (standing := leases.live_lease(row, at)) is None:
        return None
    if record:
        end(record, actor=actor, reason=reason, at=at)
        return standing
    leases.release(row.resource, holder=row.holder)
    journal.write(
        "edit_broken",
        at=at,
        actor=actor,
        subject=row.resource,
        project_id=facts.artifact.project_id,
        holder=standing.participant,
        lease=standing.holder,
        reason=reason,
    )
    return standing


def end(record: Checkout, *, actor: Actor, reason: str, at: datetime) -> None:
    """Break one check-out, whose lease row and record are locked."""
    lose(record, actor=actor, how=Checkout.Loss.BROKEN, reason=reason, at=at)
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


@action
def take_over(*, actor: Actor, artifact_id: int, reason: str, ttl: int | None = None, purpose: str = "") -> Granted:
    """Break whatever holds the artifact and check it out, in one step that nobody can come between.

    An operator's, with a reason. If it has become free meanwhile, this is a check-out like any other. Raises
    `ArtifactBusy` with one's own lease if it is oneself who has it.
    """
    reason = names.text(reason, "reason", 500, needed=True)
    purpose = names.text(purpose, "purpose", 500)
    ttl = leases.seconds(settings.LEASEHOLD_CHECKOUT_TTL if ttl is None else ttl)
    facts = artifact_for(actor, artifact_id)
    actor.demand_person()
    actor.demand(Role.OPERATOR, facts.role, permission=BREAK)
    leases.gate([facts.artifact.place])
    row = leases.lock_one(facts.artifact.resource)
    old = record_behind(row.holder)
    artifact = locked_artifact(actor, artifact_id)
    at = clock.now()
    refuse_archived(artifact)
    session = refuse_reserved([artifact.place], actor.user)
    standing = leases.live_lease(row, at)
    if standing and standing.participant == actor.participant:
        raise ArtifactBusy(lease=standing)
    if standing:
        if old:
            lose(old, actor=actor, how=Checkout.Loss.TAKEN_OVER, reason=reason, at=at)
        else:
            leases.release(row.resource, holder=row.holder)
        journal.write(
            "checkout_taken_over",
            at=at,
            actor=actor,
            subject=artifact.resource,
            project_id=artifact.project_id,
            checkout=old.pk if old else None,
            holder=standing.participant,
            reason=reason,
        )
    record = open_record(
        artifact, user=actor.user, ttl=ttl, purpose=purpose, client=actor.client, at=at, session_id=session
    )
    return grant(record, place=artifact.place, actor=actor)


def record_behind(holder: str) -> Checkout | None:
    """The check-out that a holder names, locked; none for an edit or another holder. Its lease row is locked before."""
    kind, _, rest = holder.partition(":")
    return locked(int(rest.partition(":")[0])) if kind == "checkout" else None
