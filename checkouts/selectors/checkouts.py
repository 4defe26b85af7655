"""Queries for check-outs, with the lease that each still has."""

from typing import Any

from django.db.models import Exists, OuterRef, Q, QuerySet, TextField, Value
from django.db.models.functions import Cast, Concat

from checkouts.models import Artifact, Checkout
from leasehold import leases
from leasehold.actors import Actor
from leasehold.database.clock import DatabaseNow
from leasehold.database.ids import BIGGEST_ID
from leasehold.exceptions import NotFound
from leasehold.leases import HeldLease
from leasehold.models import Lease, Membership, Project


def checkouts_for(actor: Actor) -> QuerySet[Checkout]:
    """Return the check-outs in the actor's projects, and always the actor's own: leaving a project hides no work."""
    checkouts = Checkout.objects.select_related(*Checkout.RELATED).annotate(
        is_held=Exists(lease_of_checkout()), at=DatabaseNow()
    )
    if actor.sees_everything:
        return checkouts
    memberships = Membership.objects.filter(project=OuterRef("artifact__project"), user=actor.user)
    return checkouts.filter(Q(actor=actor.user) | Exists(memberships))


def lease_of_checkout() -> QuerySet[Lease]:
    """Return the live lease held by a check-out itself, for `Exists` over check-outs. The lease row decides."""
    holder = Concat(
        Value("checkout:"),
        Cast(OuterRef("pk"), TextField()),
        Value(":"),
        OuterRef("participant"),
        output_field=TextField(),
    )
    return Lease.objects.filter(leases.is_live(), resource=leases.resource_of("artifact", "artifact_id"), holder=holder)


def checkout_for(actor: Actor, checkout_id: int) -> Checkout:
    """Return one check-out. Raises `NotFound` if it is unknown or foreign."""
    found = checkouts_for(actor).filter(pk=checkout_id).first() if checkout_id <= BIGGEST_ID else None
    if found is None:
        raise NotFound
    return found


def in_state(checkouts: QuerySet[Checkout], state: str) -> QuerySet[Checkout]:
    """Return the check-outs that are `open` or `closed`, or open and `held`, `lapsed` or `broken`.

    `checkouts` are rows of `checkouts_for`.
    """
    is_open = Q(state=Checkout.State.OPEN)
    match state:
        case "open":
            return checkouts.filter(is_open)
        case "closed":
            return checkouts.filter(state=Checkout.State.CLOSED)
        case "held":
            return checkouts.filter(is_open, is_held=True)
        case "lapsed":
            return checkouts.filter(is_open, is_held=False, broken_at=None)
        case "broken":
            return checkouts.filter(is_open, broken_at__isnull=False)
    raise ValueError(state)


def with_own_leases(checkouts: QuerySet[Checkout]) -> QuerySet[Checkout]:
    """Annotate each check-out with the lease on its artifact, without another statement. Read it by `own_lease`."""
    return checkouts.annotate(lease=leases.lease_of("artifact", "artifact_id"))


def own_lease(checkout: Any) -> HeldLease | None:
    """Return the lease if it is live and held by this check-out itself. `checkout`: one row of `with_own_leases`."""
    lease = leases.held_from_json(checkout.lease, checkout.at)
    return lease if lease and lease.holder == checkout.holder and not lease.is_lapsed else None


def checkout_with_lease(actor: Actor, checkout_id: int) -> Checkout:
    """Like `checkout_for`, with what `own_lease` reads."""
    known = with_own_leases(checkouts_for(actor)).filter(pk=checkout_id)
    if checkout_id > BIGGEST_ID or (found := known.first()) is None:
        raise NotFound
    return found


def open_checkout_of(actor: Actor, artifact: Artifact) -> Checkout | None:
    """Return the actor's newest open check-out of this artifact, live or lapsed, or None."""
    return checkouts_for(actor).filter(artifact=artifact, actor=actor.user, state=Checkout.State.OPEN).first()


def own_open_checkouts(actor: Actor, project: Project | None = None) -> QuerySet[Checkout]:
    """Return the actor's open check-outs (live, lapsed and broken), in one project or in all."""
    mine = checkouts_for(actor).filter(actor=actor.user, state=Checkout.State.OPEN)
    return mine.filter(artifact__project=project) if project else mine


def loose_checkouts(actor: Actor, project: Project | None = None) -> QuerySet[Checkout]:
    """Return the actor's check-outs that are open without a lease: lapsed, ended by an operator, or handed over.

    They can still be checked in, and no list of leases shows them.
    """
    return own_open_checkouts(actor, project).filter(is_held=False)
