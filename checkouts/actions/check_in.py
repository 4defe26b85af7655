"""Check in. `rules.judge_check_in` gives the verdict; this reads its facts under the locks and applies it."""

from collections.abc import Collection
from dataclasses import replace

from checkouts import attempts
from checkouts.attempts import Changes, Situation
from checkouts.bytes.storage import Received
from checkouts.models import Checkout
from checkouts.outcomes import Committed, Outcome, Successor, Unchanged, replay
from checkouts.rules import CheckInFacts, Verdict, judge_check_in
from leasehold import names
from leasehold.actions import action
from leasehold.actors import Actor
from leasehold.exceptions import Forbidden, PreconditionFailed
from leasehold.selectors import is_own_session


def expect_check_in(*, actor: Actor, checkout_id: int) -> Checkout:
    """Return the actor's own check-out, before a byte of the body is read.

    If it is closed, the bytes are hashed but not stored. Raises `NotFound`, `Forbidden`.
    """
    return attempts.own_checkout(actor, checkout_id)


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
    comment = names.text(comment, "comment", 10_000)
    found = attempts.lock_attempt(actor, attempts.own_checkout(actor, checkout_id))
    facts = found.facts_for(upload.digest)

    verdict = judge_check_in(facts)
    if verdict is Verdict.FORBIDDEN:
        raise Forbidden(f"This check-out is {found.attempt.participant}'s.")
    if verdict is Verdict.REPLAYED:
        return with_successor(replay(found.attempt), successor_of(found))
    attempts.refuse_closed(found.attempt)
    if if_match is not None and found.artifact.newest.digest not in if_match:
        raise PreconditionFailed(etag=found.artifact.newest.digest)

    changes = Changes(upload, comment)
    if verdict is Verdict.PROPOSED:
        return attempts.end_proposed(found, changes)
    end = attempts.end_committed if verdict is Verdict.COMMITTED else attempts.end_unchanged
    outcome = end(found, changes)
    return replace(outcome, successor=open_successor(found, facts)) if keep else outcome


def open_successor(found: Situation[Checkout], facts: CheckInFacts) -> Successor | None:
    """Keep the file checked out: open a check-out on the head, for the time first asked for.

    None where that is forbidden. Identical bytes end a check-out whoever has the file, and also where nobody may take
    it any more.
    """
    actor, ended = found.actor, found.attempt
    if facts.is_reserved_by_another or facts.is_held_by_another or facts.is_archived or not facts.may_edit:
        return None
    session = next((cover.session for cover in found.covers if cover.session), None)
    if session is None and ended.session_id and is_own_session(actor, ended.session_id):
        session = ended.session_id
    granted = attempts.open_behind_lock(
        found.artifact,
        actor=actor,
        user=actor.user,
        ttl=ended.ttl,
        purpose=ended.purpose,
        at=found.at,
        session_id=session,
        continues=ended.pk,
    )
    ended.next_checkout = granted.checkout
    ended.save(update_fields=["next_checkout"])
    return Successor(granted.checkout, granted.lease)


def successor_of(found: Situation[Checkout]) -> Successor | None:
    """Return the check-out that an earlier `keep` opened, as it is now.

    It is the same person's, on the same file, and began on the version that the ended one resulted in, so only its own
    columns had to be read.
    """
    ended, successor = found.attempt, found.attempt.next_checkout
    if successor is None or ended.result_version is None:
        return None
    successor.artifact, successor.actor, successor.base_version = found.artifact, ended.actor, ended.result_version
    is_held = found.lease is not None and found.lease.holder == successor.holder
    return Successor(successor, found.lease if is_held else None)


def with_successor(outcome: Outcome, successor: Successor | None) -> Outcome:
    return replace(outcome, successor=successor) if isinstance(outcome, Committed | Unchanged) else outcome
