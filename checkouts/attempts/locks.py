"""Find one's own attempt and lock it, in one order: gate, lease row, attempt, artifact. Then read the clock."""

import uuid
from typing import TypeVar

from checkouts.attempts.situations import Situation
from checkouts.exceptions import CheckoutClosed, EditClosed
from checkouts.models import Artifact, Attempt, Checkout, Edit
from checkouts.selectors import checkout_for, edit_for, role_of
from leasehold import leases
from leasehold.actors import Actor
from leasehold.database import clock
from leasehold.exceptions import Forbidden, WrongState
from leasehold.models import Session

A = TypeVar("A", bound=Attempt)


def own_checkout(actor: Actor, checkout_id: int) -> Checkout:
    """Return the actor's own check-out, read without a lock, to find which rows to lock.

    Raises `NotFound`, `Forbidden` for another's.
    """
    actor.demand_writing()
    return _owned(actor, checkout_for(actor, checkout_id))


def own_edit(actor: Actor, edit_id: uuid.UUID) -> Edit:
    """Return the actor's own edit, as `own_checkout` does."""
    actor.demand_writing()
    return _owned(actor, edit_for(actor, edit_id))


def _owned(actor: Actor, attempt: A) -> A:
    if attempt.actor_id != actor.user.pk:
        raise Forbidden(f"This {attempt._meta.verbose_name} is {attempt.participant}'s.")
    return attempt


def lock_attempt(actor: Actor, attempt: A) -> Situation[A]:
    """Lock all that a change of the artifact through this attempt touches, and read the clock after the locks.

    The gate is the artifact's, and the session's to which the attempt belongs: its submit waits.
    """
    wait_at_gates(attempt.artifact.place, attempt.session_id)
    row = leases.lock_one(attempt.artifact.resource)
    attempt = _locked(type(attempt), attempt.pk)
    artifact = lock_artifact(actor, attempt.artifact_id)
    at = clock.now()
    return Situation(actor, attempt, artifact, leases.live_lease(row, at), at)


def wait_at_gates(place: str, session_id: int | None) -> None:
    """Wait until nobody changes what covers an artifact's place, nor ends the session that the attempt belongs to.

    Before any lease row.
    """
    session_places = [] if session_id is None else [Session(pk=session_id).place]
    leases.gate([place, *session_places])


def lock_without_artifact(attempt: A) -> A:
    """Lock an attempt and its lease row, for an ending that leaves the artifact as it is. Return the attempt again."""
    leases.lock_one(attempt.artifact.resource)
    return _locked(type(attempt), attempt.pk)


def checkout_behind(holder: str) -> Checkout | None:
    """Return the check-out that a lease's holder names, locked; None for an edit or another holder.

    The lease row must be locked before.
    """
    kind, _, rest = holder.partition(":")
    return _locked(Checkout, int(rest.partition(":")[0])) if kind == Checkout.kind else None


def _locked(model: type[A], pk: object) -> A:
    related = (*model.RELATED, "next_checkout") if model is Checkout else model.RELATED  # a replay answers with it
    rows = model._default_manager.select_related(*related)
    return rows.select_for_update(no_key=True, of=("self",)).get(pk=pk)


def lock_artifact(actor: Actor, artifact_id: int) -> Artifact:
    """Return the artifact with its project, head and the actor's `role`, locked, also if the actor no longer sees it.

    Its lease row must be locked before.
    """
    artifacts = Artifact.objects.select_related("project", "head").annotate(role=role_of(actor))
    return artifacts.select_for_update(no_key=True, of=("self",)).get(pk=artifact_id)


def refuse_closed(attempt: Attempt) -> None:
    """Raise `CheckoutClosed` or `EditClosed` with how the attempt ended, if it has ended."""
    if not attempt.is_open:
        refusal = CheckoutClosed if isinstance(attempt, Checkout) else EditClosed
        raise refusal(f"This {attempt._meta.verbose_name} has ended: {attempt.outcome}.", outcome=attempt.outcome)


def refuse_archived(artifact: Artifact) -> None:
    """Raise `WrongState` if the artifact is archived."""
    if artifact.archived_at:
        raise WrongState("This file is archived.", state="archived", allowed=["unarchive"])
