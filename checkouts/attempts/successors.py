"""`keep`: the check-out that goes on from the version which a check-in resulted in."""

from checkouts.attempts.openings import open_behind_lock
from checkouts.attempts.situations import Situation
from checkouts.models import Checkout
from checkouts.outcomes import Successor
from checkouts.rules import CheckInFacts
from leasehold.selectors import is_own_session


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
    granted = open_behind_lock(
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
