"""An operator ends what somebody else holds: break, and take over. Never the same call as releasing one's own."""

from dataclasses import dataclass

from django.conf import settings

from checkouts.attempts.locks import checkout_behind, lock_artifact, lock_without_artifact, refuse_archived
from checkouts.attempts.losses import lose_checkout, lose_short_lease
from checkouts.attempts.openings import open_behind_lock
from checkouts.exceptions import ArtifactBusy
from checkouts.models import Checkout
from checkouts.outcomes import Granted
from checkouts.selectors import artifact_for, artifacts_for, checkout_for
from leasehold import leases, names
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
    """An operator ends somebody's check-out; the file is free at once, and the check-out stays open without its lease.

    What its holder checks in later is still kept. A person's decision, with a reason; a second break does nothing.
    """
    reason = names.checked_text(reason, "reason", 500, needed=True)
    checkout = checkout_for(actor, checkout_id)
    seen = artifacts_for(actor).filter(pk=checkout.artifact_id).first()
    actor.demand_person()
    actor.demand(Role.OPERATOR, seen.role if seen else None, permission=BREAK)
    checkout = lock_without_artifact(checkout)
    if not checkout.is_open or checkout.broken_at:
        return Broken(checkout, ended=False)
    lose_checkout(checkout, actor=actor, how=Checkout.Loss.BROKEN, reason=reason, at=clock.now())
    return Broken(checkout, ended=True)


@action
def break_artifact(*, actor: Actor, artifact_id: int, reason: str) -> HeldLease | None:
    """An operator ends whatever holds the artifact: a check-out as `break_checkout` does, or an edit, whose bytes are
    then judged as if its time had run out. Returns the lease that was ended, None if nobody held it."""
    reason = names.checked_text(reason, "reason", 500, needed=True)
    found = artifact_for(actor, artifact_id)
    actor.demand_person()
    actor.demand(Role.OPERATOR, found.role, permission=BREAK)
    row = leases.lock_one(found.artifact.resource)
    checkout = checkout_behind(row.holder)
    at = clock.now()
    if (lease := leases.live_lease(row, at)) is None:
        return None
    if checkout:
        lose_checkout(checkout, actor=actor, how=Checkout.Loss.BROKEN, reason=reason, at=at)
    else:
        lose_short_lease(
            found.artifact, lease, actor=actor, kind="edit_broken", reason=reason, at=at, lease=lease.holder
        )
    return lease


@action
def take_over(*, actor: Actor, artifact_id: int, reason: str, ttl: int | None = None, purpose: str = "") -> Granted:
    """Break whatever holds the artifact and check it out, in one step that nobody can come between.

    An operator's, with a reason. If it has become free meanwhile, this is a check-out like any other. Raises
    `ArtifactBusy` with one's own lease if it is oneself who has it.
    """
    reason = names.checked_text(reason, "reason", 500, needed=True)
    purpose = names.checked_text(purpose, "purpose", 500)
    ttl = leases.checked_ttl(settings.LEASEHOLD_CHECKOUT_TTL if ttl is None else ttl)
    found = artifact_for(actor, artifact_id)
    actor.demand_person()
    actor.demand(Role.OPERATOR, found.role, permission=BREAK)
    leases.gate([found.artifact.place])
    row = leases.lock_one(found.artifact.resource)
    old = checkout_behind(row.holder)
    artifact = lock_artifact(actor, artifact_id)
    at = clock.now()
    refuse_archived(artifact)
    session = refuse_reserved([artifact.place], actor.user)
    lease = leases.live_lease(row, at)
    if lease and lease.participant == actor.participant:
        raise ArtifactBusy(lease=lease)
    if lease and old:
        lose_checkout(old, actor=actor, how=Checkout.Loss.TAKEN_OVER, reason=reason, at=at)
    elif lease:
        lose_short_lease(artifact, lease, actor=actor, kind="checkout_taken_over", reason=reason, at=at, checkout=None)
    return open_behind_lock(artifact, actor=actor, user=actor.user, ttl=ttl, purpose=purpose, at=at, session_id=session)
