"""Extend a check-out, discard it, or hand it over to somebody else."""

from checkouts.attempts.acquisition import acquire_for_attempt
from checkouts.attempts.endings import end_discarded
from checkouts.attempts.locks import lock_attempt, lock_without_artifact, own_checkout, refuse_archived, refuse_closed
from checkouts.attempts.losses import how_it_was_lost, lose_checkout
from checkouts.attempts.openings import open_behind_lock
from checkouts.entries import write_artifact_entry
from checkouts.exceptions import ArtifactBusy, StaleBase
from checkouts.models import Checkout
from checkouts.outcomes import Granted
from checkouts.selectors import checkout_for
from leasehold import leases, names
from leasehold.actions import action
from leasehold.actors import BREAK, Actor
from leasehold.exceptions import Invalid, LeaseLost, ScopeReserved
from leasehold.models import Project, Role, User
from leasehold.rules import includes
from leasehold.scopes.reservations import keys_by_ticket, refuse_reserved


@action
def extend(*, actor: Actor, checkout_id: int, ttl: int | None = None) -> Granted:
    """Acquire the check-out's lease again, for `ttl` seconds from now (what was first asked for by default).

    Raises `Forbidden` unless it is the actor's own, `CheckoutClosed`, `LeaseLost` after a break, `ArtifactBusy` if it
    lapsed and somebody else has it, `StaleBase` if the head has moved on meanwhile.
    """
    checkout = own_checkout(actor, checkout_id)
    ttl = leases.checked_ttl(checkout.ttl if ttl is None else ttl)
    found = lock_attempt(actor, checkout)
    checkout, artifact = found.attempt, found.artifact
    actor.demand(Role.EDITOR, artifact.role)
    refuse_closed(checkout)
    refuse_archived(artifact)
    if checkout.broken_at:
        raise LeaseLost(how_it_was_lost(checkout), lease=found.lease)
    if found.is_held_by_another:
        raise ArtifactBusy(lease=found.lease)
    if artifact.head_id != checkout.base_version_id:
        raise StaleBase(base=checkout.base_version.number, head=artifact.newest.number)
    if found.reserved_for_others:
        raise ScopeReserved.by(keys_by_ticket(found.reserved_for_others))

    lease = acquire_for_attempt(checkout, ttl=ttl, place=artifact.place)
    checkout.expires_at = lease.ends_at
    checkout.save(update_fields=["expires_at"])
    write_artifact_entry(
        "checkout_extended",
        actor,
        artifact,
        lease.at,
        checkout=checkout.pk,
        expires_at=lease.ends_at.isoformat(),
        renewed_lapsed_lease=found.lease is None,
    )
    return Granted(checkout, lease)


@action
def discard(*, actor: Actor, checkout_id: int) -> Checkout:
    """End one's own check-out and commit nothing. On one that has ended it changes nothing, quietly."""
    checkout = lock_without_artifact(own_checkout(actor, checkout_id))
    end_discarded(checkout, actor=actor, version=checkout.base_version.number)
    return checkout


@action
def hand_over(*, actor: Actor, checkout_id: int, to: str, reason: str = "") -> Granted:
    """Give a check-out that is still held to the person `to`, in one step: a check-out of theirs, on the head of now.

    By its holder, or by an operator with a reason. The old check-out stays open without its lease. Raises `LeaseLost`
    if it is not held any more, `Invalid` if `to` is no person who may edit here.
    """
    old = checkout_for(actor, checkout_id)
    reason = names.checked_text(reason, "reason", 500, needed=old.actor_id != actor.user.pk)
    found = lock_attempt(actor, old)
    old, artifact = found.attempt, found.artifact
    if old.actor_id != actor.user.pk:
        actor.demand_person()
        actor.demand(Role.OPERATOR, artifact.role, permission=BREAK)
    else:
        actor.demand_writing()  # also after one has left the project: it is a way to let go
    refuse_closed(old)
    refuse_archived(artifact)
    if not found.is_held:
        raise LeaseLost(how_it_was_lost(old), lease=found.lease)
    receiver = editor_named(to, artifact.project)
    if receiver.pk == old.actor_id:
        raise Invalid.of("to", f"{receiver.participant} has it already.")
    session = refuse_reserved([artifact.place], receiver)

    how = Checkout.Loss.HANDED_OVER
    lose_checkout(old, actor=actor, how=how, reason=reason, at=found.at, to=receiver.participant)
    return open_behind_lock(
        artifact, actor=actor, user=receiver, ttl=old.ttl, purpose=old.purpose, at=found.at, session_id=session
    )


def editor_named(username: str, project: Project) -> User:
    """Return the active person of that name who may edit in the project. Raises `Invalid` on `to`."""
    name = names.checked_text(username, "to", 150, needed=True)
    receiver = User.objects.named(name).filter(is_active=True, kind=User.Kind.PERSON).first()
    role = Actor(receiver).role_in(project) if receiver else None
    if receiver is None or not includes(Actor(receiver).effective(role), Role.EDITOR):
        raise Invalid.of("to", "Not a person who may edit in this project.")
    return receiver
