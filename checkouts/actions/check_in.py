"""A file comes back. The verdict is `rules.judge_check_in`'s; this reads its facts under the locks and applies it."""

from collections.abc import Collection
from datetime import datetime
from typing import Any

from checkouts.actions.artifacts import add_version, keep
from checkouts.actions.records import grant, locked, locked_artifact, open_record, own, take
from checkouts.exceptions import CheckoutClosed
from checkouts.models import Artifact, Checkout, Proposal, Version
from checkouts.outcomes import Committed, Outcome, Proposed, Unchanged, replay
from checkouts.rules import CheckInFacts, Verdict, judge_check_in
from checkouts.storage import Received
from leasehold import clock, journal, leases, names
from leasehold.actions import action
from leasehold.actors import Actor
from leasehold.exceptions import Forbidden, PreconditionFailed
from leasehold.leases import HeldLease
from leasehold.models import Role
from leasehold.reservations import covers, is_reserved
from leasehold.rules import includes


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
    Raises
    `Forbidden` for another's record, and `CheckoutClosed` if it ended with other bytes. Everything else is an outcome:
    committed, unchanged, or kept as a proposal. The same bytes again give the first answer again.
    """
    comment = names.text(comment, "comment", 10_000)
    record = own(actor, checkout_id)
    leases.gate([record.artifact.place])
    row = leases.lock_one(record.artifact.resource)
    record, artifact = locked(record.pk), locked_artifact(actor, record.artifact_id)
    at = clock.now()
    standing = leases.standing(row, at)

    verdict = judge_check_in(facts_of(actor, record, artifact, standing, upload))
    if verdict is Verdict.FORBIDDEN:
        raise Forbidden(f"This check-out is {record.participant}'s.")
    if verdict is Verdict.REPLAYED:
        return replay(record)
    if verdict is Verdict.CLOSED:
        raise CheckoutClosed(f"This check-out has ended: {record.outcome}.", outcome=record.outcome)
    if if_match is not None and artifact.head.digest not in if_match:
        raise PreconditionFailed(etag=artifact.head.digest)

    if verdict is Verdict.UNCHANGED:
        outcome = unchanged(actor, record, artifact, at)
    elif verdict is Verdict.PROPOSED:
        outcome = proposed(actor, record, artifact, upload, comment, at)
    else:
        outcome = committed(actor, record, artifact, standing, upload, comment, at)
    if keep:
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
    )


def unchanged(actor: Actor, record: Checkout, artifact: Artifact, at: datetime) -> Outcome:
    close(record, Checkout.Outcome.UNCHANGED, digest=artifact.head.digest, at=at, version=artifact.head)
    tell("version_unchanged", actor, record, artifact, at, version=artifact.head.number)
    return Unchanged(record, artifact.head)  # type: ignore[arg-type]


def proposed(
    actor: Actor, record: Checkout, artifact: Artifact, upload: Received, comment: str, at: datetime
) -> Outcome:
    """Kept against the head of now; whoever holds the file meanwhile is not touched."""
    proposal = Proposal.objects.create(
        artifact=artifact,
        base_version=artifact.head,
        test_digest=artifact.head.digest,
        blob=keep(upload, at=at),
        author=actor.user,
        comment=comment,
        provenance=provenance_of(record, "check_in"),
        created_at=at,
    )
    close(record, Checkout.Outcome.PROPOSED, digest=upload.digest, at=at, proposal=proposal)
    tell(
        "proposal_kept",
        actor,
        record,
        artifact,
        at,
        proposal=proposal.pk,
        base_version=record.base_version.number,
        head_version=artifact.head.number,
        digest=upload.digest,
        size=upload.size,
        comment=comment,
    )
    return Proposed(record, proposal)


def committed(
    actor: Actor,
    record: Checkout,
    artifact: Artifact,
    standing: HeldLease | None,
    upload: Received,
    comment: str,
    at: datetime,
) -> Outcome:
    has_lapsed = standing is None
    if has_lapsed:
        take(record, ttl=record.ttl, place=artifact.place)
    version = add_version(
        artifact,
        upload=upload,
        number=artifact.head.number + 1,
        author=actor,
        comment=comment,
        at=at,
        session_id=record.session_id,
        provenance=provenance_of(record, "check_in"),
    )
    moved = Artifact.objects.filter(pk=artifact.pk, head=record.base_version).update(head=version)
    if moved != 1:
        raise RuntimeError(f"the head of {artifact.resource} moved under its lock")
    artifact.head = version
    close(record, Checkout.Outcome.COMMITTED, digest=version.digest, at=at, version=version)
    tell(
        "version_committed",
        actor,
        record,
        artifact,
        at,
        version=version.number,
        digest=version.digest,
        size=version.size,
        comment=comment,
        renewed_lapsed_lease=has_lapsed,
    )
    return Committed(record, version)


def go_on(actor: Actor, record: Checkout, artifact: Artifact, standing: HeldLease | None, at: datetime) -> None:
    """Keep it checked out: the successor goes on from the head, for the time first asked for."""
    if record.outcome == Checkout.Outcome.PROPOSED or artifact.archived_at:
        return
    if standing and standing.holder != record.holder:
        return
    if not includes(actor.effective(artifact.role), Role.EDITOR):
        return
    cover = covers([artifact.place], actor.user)
    if standing is None and any(found.session is None for found in cover):
        return  # what had lapsed would be taken anew, and another's ticket covers it by now
    successor = open_record(
        artifact,
        user=actor.user,
        ttl=record.ttl,
        purpose=record.purpose,
        client=record.client,
        at=at,
        session_id=max((found.session for found in cover if found.session is not None), default=None),
    )
    grant(successor, place=artifact.place, actor=actor, continues=record.pk)
    record.next_checkout = successor
    record.save(update_fields=["next_checkout"])


def close(
    record: Checkout,
    outcome: Checkout.Outcome,
    *,
    digest: str,
    at: datetime,
    version: Version | None = None,
    proposal: Proposal | None = None,
) -> None:
    """End the record, and the lease where it is still the record's."""
    record.state, record.outcome, record.closed_at = Checkout.State.CLOSED, outcome, at
    record.result_digest, record.result_version, record.result_proposal = digest, version, proposal
    record.save(update_fields=["state", "outcome", "closed_at", "result_digest", "result_version", "result_proposal"])
    leases.release(record.artifact.resource, holder=record.holder)


def provenance_of(record: Checkout, kind: str) -> dict[str, object]:
    return {
        "kind": kind,
        "checkout": record.pk,
        "base_version": record.base_version.number,
        "base_digest": record.base_digest,
        "source": record.client,
    }


def tell(kind: str, actor: Actor, record: Checkout, artifact: Artifact, at: datetime, **data: Any) -> None:
    journal.write(
        kind,
        at=at,
        actor=actor,
        subject=artifact.resource,
        project_id=artifact.project_id,
        checkout=record.pk,
        **data,
    )
