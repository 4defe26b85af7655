"""End an attempt's lease against its holder: break, take over, hand over."""

from datetime import datetime
from typing import Any

from checkouts.entries import write_artifact_entry
from checkouts.models import Artifact, Checkout
from leasehold import leases
from leasehold.actors import Actor
from leasehold.leases import HeldLease

#: how → the kind of its journal entry
ENTRY = {
    Checkout.Loss.BROKEN: "checkout_broken",
    Checkout.Loss.TAKEN_OVER: "checkout_taken_over",
    Checkout.Loss.HANDED_OVER: "checkout_handed_over",
}


def lose_checkout(
    checkout: Checkout, *, actor: Actor, how: Checkout.Loss, reason: str, at: datetime, **data: Any
) -> None:
    """End a check-out's lease against its holder. Its lease row and the check-out are locked.

    The check-out stays open and says by whom and why; it is never extended. `data` goes into the journal's entry.
    """
    leases.release(checkout.artifact.resource, holder=checkout.holder)
    checkout.broken_at, checkout.broken_by, checkout.broken_how, checkout.broken_reason = at, actor.user, how, reason
    checkout.save(update_fields=["broken_at", "broken_by", "broken_how", "broken_reason"])
    data = {"checkout": checkout.pk, "holder": checkout.participant, **data, "reason": reason}
    write_artifact_entry(ENTRY[how], actor, checkout.artifact, at, **data)


def lose_short_lease(
    artifact: Artifact, lease: HeldLease, /, *, actor: Actor, kind: str, reason: str, at: datetime, **data: Any
) -> None:
    """End a lease that is no check-out's: an edit's, whose bytes are then judged as if its time had run out.

    Its row is locked. `kind` is the journal entry's.
    """
    leases.release(lease.resource, holder=lease.holder)
    data = {"holder": lease.participant, **data, "reason": reason}
    write_artifact_entry(kind, actor, artifact, at, **data)


def how_it_was_lost(checkout: Checkout) -> str:
    """Return a sentence for `LeaseLost`."""
    if checkout.broken_by is None:
        return "This check-out has lapsed, or somebody else has the file."
    words = f"This check-out was {checkout.get_broken_how_display()} by {checkout.broken_by.participant}"
    return f"{words}: {checkout.broken_reason}" if checkout.broken_reason else f"{words}."
