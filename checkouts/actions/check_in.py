"""A file comes back. The verdict is `rules.judge_check_in`'s; this reads its facts under the locks and applies it."""

from collections.abc import Collection
from datetime import datetime

from checkouts.actions.endings import Ending
from checkouts.actions.records import grant, locked, locked_artifact, open_record, own
from checkouts.bytes.storage import Received
from checkouts.exceptions import CheckoutClosed
from checkouts.models import Artifact, Checkout
from checkouts.outcomes import Outcome, replay
from checkouts.rules import CheckInFacts, Verdict, judge_check_in, must_propose
from leasehold import leases, names
from leasehold.actions import action
from leasehold.actors import Actor
from leasehold.database import clock
from leasehold.exceptions import Forbidden, PreconditionFailed
from leasehold.leases import HeldLease
from leasehold.models import Role
from leasehold.rules import includes
from leasehold.scopes.reservations import covers, is_reserved, session_gate
from leasehold.selectors import is_own_session

ENDINGS = {
    Verdict.UNCHANGED: Ending.unchanged,
    Verdict.PROPOSED: Ending.proposed,
    Verdict.COMMITTED: Ending.committed,
}


def expect_check_in(*, actor: Actor, checkout_id: int) -> Checkout:
    """Judged before a byte of the body is read: whose it is. Bytes for a closed record are hashed, and not stored."""
    return own(actor, checkout_id)


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
    """Bring back the bytes of one's own check-out. `upload` is durable already; its base is the record's.

    `keep` opens a successor on the resulting version in the same transaction (`checkout.next_checkout`); a proposal has
    none. `if_match` are digests of which the head must have one; otherwise `PreconditionFailed`, and nothing is kept.
    Raises `Forbidden` for another's record, and `CheckoutClosed` if it ended with other bytes. Everything else is an
    outcome: committed, unchanged, or kept as a proposal. The same bytes again give the first answer again.
    """
    comment = names.text(comment, "comment", 10_000)
    record = own(actor, checkout_id)
    leases.gate([record.artifact.place, *session_gate(record.session_id)])
    row = leases.lock_one(record.artifact.resource)
    record, artifact = locked(record.pk), locked_artifact(actor, record.artifact_id)
    at = clock.now()
    standing = leases.live_lease(row, at)

    verdict = judge_check_in(facts_of(actor, record, artifact, standing, upload))
    if verdict is Verdict.FORBIDDEN:
        raise Forbidden(f"This check-out is {record.participant}'s.")
    if verdict is Verdict.REPLAYED:
        return replay(record)
    if verdict is Verdict.CLOSED:
        raise CheckoutClosed(f"This check-out has ended: {record.outcome}.", outcome=record.outcome)
    if if_match is not None and artifact.head.digest not in if_match:
        raise PreconditionFailed(etag=artifact.head.digest)

    outcome = ENDINGS[verdict](Ending(actor, record, artifact, standing, upload, comment, at))
    if keep and verdict is not Verdict.PROPOSED:
        go_on(actor, record, artifact, standing, at)
    return outcome


def facts_of(
    actor: Actor, record: Checkout, artifact: Artifact, standing: HeldLease | None, upload: Received
) -> CheckInFacts:
    """What the verdict is judged by, all of it read under the locks."""
    return CheckInFacts(
        is_own=record.actor_id == actor.user.pk,
        is_open=record.is_open,
        is_what_it_ended_with=record.result_digest == upload.digest,
        is_head_digest=artifact.head.digest == upload.digest,
        is_reserved_by_another=standing is None and is_reserved(artifact.place, actor.user),
        is_held_by_another=standing is not None and standing.holder != record.holder,
        is_base_head=artifact.head_id == record.base_version_id,
        may_edit=includes(actor.effective(artifact.role), Role.EDITOR),
        is_archived=artifact.archived_at is not None,
        must_propose=must_propose(is_agent=actor.user.is_agent, policy=artifact.policy),
    )


def go_on(actor: Actor, record: Checkout, artifact: Artifact, standing: HeldLease | None, at: datetime) -> None:
    """Keep it checked out: the successor goes on from the head, for the time first asked for.

    Where nothing forbids it: identical bytes end a record whoever has the file, or none may take it any more.
    """
    cover = covers([artifact.place], actor.user)
    is_reserved_by_another = standing is None and any(found.session is None for found in cover)
    is_held_by_another = standing is not None and standing.holder != record.holder
    may_edit = includes(actor.effective(artifact.role), Role.EDITOR)
    if is_reserved_by_another or is_held_by_another or artifact.archived_at or not may_edit:
        return
    session = next((found.session for found in cover if found.session), None)
    if session is None and record.session_id and is_own_session(actor, record.session_id):
        session = record.session_id
    successor = open_record(
        artifact,
        user=actor.user,
        ttl=record.ttl,
        purpose=record.purpose,
        client=record.client,
        at=at,
        session_id=session,
    )
    grant(successor, place=artifact.place, actor=actor, continues=record.pk)
    record.next_checkout = successor
    record.save(update_fields=["next_checkout"])
