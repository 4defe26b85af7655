"""A check-out goes on, ends without a check-in, or passes to somebody else."""

from django.db.models.functions import Lower

from checkouts.actions.records import (
    Granted,
    grant,
    how_it_was_lost,
    locked,
    locked_artifact,
    lose,
    open_record,
    own,
    refuse_archived,
    refuse_closed,
    take,
)
from checkouts.exceptions import ArtifactBusy, StaleBase
from checkouts.models import Checkout
from checkouts.selectors import checkout_for
from leasehold import journal, leases, names
from leasehold.actions import action
from leasehold.actors import BREAK, Actor
from leasehold.database import clock
from leasehold.exceptions import Invalid, LeaseLost
from leasehold.models import Project, Role, User
from leasehold.rules import includes
from leasehold.scopes.reservations import refuse_reserved


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
    standing = leases.live_lease(row, at=clock.now())
    actor.demand(Role.EDITOR, artifact.role)
    refuse_closed(record)
    refuse_archived(artifact)
    if record.broken_at:
        raise LeaseLost(how_it_was_lost(record), lease=standing)
    if standing and standing.holder != record.holder:
        raise ArtifactBusy(lease=standing)
    if artifact.head_id != record.base_version_id:
        raise StaleBase(base=record.base_version.number, head=artifact.head.number)
    if standing is None:
        refuse_reserved([artifact.place], actor.user)

    lease = take(record, ttl=ttl, place=artifact.place)
    record.expires_at = lease.expires_at  # type: ignore[assignment]
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
def hand_over(*, actor: Actor, checkout_id: int, to: str, reason: str = "") -> Granted:
    """Give a check-out that is still held to the person `to`, in one step: their own record, on the head of now.

    By its holder, or by an operator with a reason. The old record stays open without its lease. Raises `LeaseLost` if
    it is not held any more, `Invalid` if `to` is no person who may edit here.
    """
    record = checkout_for(actor, checkout_id)
    reason = names.text(reason, "reason", 500, needed=record.actor_id != actor.user.pk)
    leases.gate([record.artifact.place])
    row = leases.lock_one(record.artifact.resource)
    record, artifact = locked(record.pk), locked_artifact(actor, record.artifact_id)
    at = clock.now()
    standing = leases.live_lease(row, at)
    if record.actor_id != actor.user.pk:
        actor.demand_person()
        actor.demand(Role.OPERATOR, artifact.role, permission=BREAK)
    else:
        actor.demand_writing()  # also after one has left the project: it is a way to let go
    refuse_closed(record)
    refuse_archived(artifact)
    if standing is None or standing.holder != record.holder:
        raise LeaseLost(how_it_was_lost(record), lease=standing)
    receiver = editor_named(to, artifact.project)
    if receiver.pk == record.actor_id:
        raise Invalid.of("to", f"{receiver.participant} has it already.")
    session = refuse_reserved([artifact.place], receiver)

    lose(record, actor=actor, how=Checkout.Loss.HANDED_OVER, reason=reason, at=at)
    successor = open_record(
        artifact,
        user=receiver,
        ttl=record.ttl,
        purpose=record.purpose,
        client=actor.client,
        at=at,
        session_id=session,
    )
    journal.write(
        "checkout_handed_over",
        at=at,
        actor=actor,
        subject=artifact.resource,
        project_id=artifact.project_id,
        checkout=record.pk,
        holder=record.participant,
        to=receiver.participant,
        reason=reason,
    )
    return grant(successor, place=artifact.place, actor=actor)


def editor_named(username: str, project: Project) -> User:
    """The active person of that name who may edit in the project, or `Invalid` on `to`."""
    receiver = (
        User.objects.alias(name_key=Lower("username"))
        .filter(name_key=names.text(username, "to", 150, needed=True).lower(), is_active=True, kind=User.Kind.PERSON)
        .first()
    )
    role = Actor(receiver).role_in(project) if receiver else None
    if receiver is None or not includes(Actor(receiver).effective(role), Role.EDITOR):
        raise Invalid.of("to", "Not a person who may edit in this project.")
    return receiver
