"""Check in. `rules.judge_check_in` gives the verdict; this reads its facts under the locks and applies it."""

from collections.abc import Collection
from dataclasses import replace

from checkouts.attempts.endings import Changes, end_committed, end_proposed, end_unchanged
from checkouts.attempts.locks import lock_attempt, own_checkout, refuse_closed
from checkouts.attempts.successors import open_successor, successor_of
from checkouts.bytes.storage import Received
from checkouts.models import Checkout
from checkouts.outcomes import Outcome, replay
from checkouts.rules import Verdict, judge_check_in
from leasehold import names
from leasehold.actions import action
from leasehold.actors import Actor
from leasehold.exceptions import Forbidden, PreconditionFailed


def expect_check_in(*, actor: Actor, checkout_id: int) -> Checkout:
    """Return the actor's own check-out, before a byte of the body is read.

    If it is closed, the bytes are hashed but not stored. Raises `NotFound`, `Forbidden`.
    """
    return own_checkout(actor, checkout_id)


@action
def check_in(
    *,
    actor: Actor,
    checkout_id: int,
    upload: Received,
    comment: str = "",
    keep: bool = False,
    if_match: Collection[str] | None = None,
) -> Outcome:
    """Check in the bytes of one's own check-out. `upload` is durable already; its base is the check-out's.

    `keep` opens a successor on the resulting version in the same transaction (`outcome.successor`); a proposal has
    none. `if_match` are digests of which the head must have one; otherwise `PreconditionFailed`, and nothing is kept.
    Raises `Forbidden` for another's check-out, and `CheckoutClosed` if it ended with other bytes. Everything else is an
    outcome: committed, unchanged, or kept as a proposal. The same bytes again give the first answer again.
    """
    comment = names.checked_text(comment, "comment", 10_000)
    checkout = own_checkout(actor, checkout_id)
    found = lock_attempt(actor, checkout)
    facts = found.facts_for(upload.digest)

    verdict = judge_check_in(facts)
    if verdict is Verdict.FORBIDDEN:
        raise Forbidden(f"This check-out is {found.attempt.participant}'s.")
    if verdict is Verdict.REPLAYED:
        return replay(found.attempt, successor=successor_of(found))
    refuse_closed(found.attempt)
    if if_match is not None and found.artifact.newest.digest not in if_match:
        raise PreconditionFailed(etag=found.artifact.newest.digest)

    changes = Changes(upload, comment)
    if verdict is Verdict.PROPOSED:
        return end_proposed(found, changes)
    end = end_committed if verdict is Verdict.COMMITTED else end_unchanged
    outcome = end(found, changes)
    return replace(outcome, successor=open_successor(found, facts)) if keep else outcome
