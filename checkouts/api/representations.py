"""How files look on the wire: plain dicts, built by hand. Times in UTC with `Z`; a participant beside every name."""

from typing import Any, cast

from checkouts import selectors
from checkouts.models import Artifact, Attempt, Checkout, Edit, Proposal, Version
from checkouts.outcomes import Outcome, Proposed
from leasehold.database import clock
from leasehold.http.json_values import to_json
from leasehold.leases import HeldLease


def artifact(row: Artifact, lease: HeldLease | None) -> dict[str, Any]:
    """`row` with its project, its head and the head's author; `lease` only while it is live."""
    return {
        "id": row.pk,
        "project": row.project.slug,
        "path": row.path,
        "name": row.name,
        "head": version(cast(Version, row.head)),
        "lease": to_json(lease),
        "write_policy": row.write_policy or None,
        "effective_write_policy": row.policy,
        "created_at": clock.as_iso(row.created_at),
        "archived_at": clock.as_iso(row.archived_at),
    }


def version(row: Version) -> dict[str, Any]:
    return {
        "number": row.number,
        "digest": row.digest,
        "size": row.size,
        "author": row.author.username,
        "participant": row.author.participant,
        "comment": row.comment,
        "provenance": row.provenance,
        "created_at": clock.as_iso(row.created_at),
    }


def seen_checkout(record: Checkout) -> dict[str, Any]:
    """One of `selectors.with_own_leases`."""
    return checkout(record, selectors.own_lease(record))


def checkout(record: Checkout, lease: HeldLease | None) -> dict[str, Any]:
    """`lease`: the record's own, while it is live. One that is open without a lease has lapsed, or was broken."""
    return {
        "id": record.pk,
        "project": record.artifact.project.slug,
        "artifact": {"id": record.artifact_id, "path": record.artifact.path},
        "base": {"number": record.base_version.number, "digest": record.base_digest},
        "user": record.actor.username,
        "participant": record.participant,
        "purpose": record.purpose,
        "session": record.session_id,
        "client": record.client,
        "state": record.state,
        "outcome": record.outcome or None,
        "result": result(record),
        "opened_at": clock.as_iso(record.opened_at),
        "closed_at": clock.as_iso(record.closed_at),
        "expires_at": clock.as_iso(record.expires_at),
        "is_lapsed": record.is_open and lease is None and record.broken_at is None,
        "broken": broken(record),
        "lease": to_json(lease),
    }


def result(record: Attempt) -> dict[str, Any] | None:
    """What came of it; none while it is open, and after a discard."""
    if record.result_proposal_id:
        return {"version": None, "proposal": record.result_proposal_id, "digest": record.result_digest}
    if record.result_version:
        return {"version": record.result_version.number, "proposal": None, "digest": record.result_digest}
    return None


def edit(record: Edit, lease: HeldLease | None) -> dict[str, Any]:
    """`lease`: the record's own, while it is live. One that is open without a lease has lapsed, or was broken."""
    return {
        "id": str(record.uuid),
        "project": record.artifact.project.slug,
        "artifact": {"id": record.artifact_id, "path": record.artifact.path},
        "base": {"number": record.base_version.number, "digest": record.base_digest},
        "user": record.actor.username,
        "participant": record.participant,
        "purpose": record.purpose,
        "session": record.session_id,
        "client": record.client,
        "state": record.state,
        "outcome": record.outcome or None,
        "result": result(record),
        "opened_at": clock.as_iso(record.opened_at),
        "closed_at": clock.as_iso(record.closed_at),
        "expires_at": clock.as_iso(record.expires_at),
        "lease": to_json(lease),
    }


def broken(record: Checkout) -> dict[str, Any] | None:
    """By whom and why its lease was ended."""
    if not (record.broken_at and record.broken_by):
        return None
    return {
        "at": clock.as_iso(record.broken_at),
        "by": record.broken_by.username,
        "participant": record.broken_by.participant,
        "how": record.broken_how,
        "reason": record.broken_reason,
    }


def proposal(row: Proposal) -> dict[str, Any]:
    return {
        "id": row.pk,
        "project": row.artifact.project.slug,
        "artifact": {"id": row.artifact_id, "path": row.artifact.path},
        "base": {"number": row.base_version.number, "digest": row.test_digest},
        "digest": row.blob.digest,
        "size": row.blob.size,
        "author": row.author.username,
        "participant": row.author.participant,
        "comment": row.comment,
        "provenance": row.provenance,
        "state": row.state,
        "created_at": clock.as_iso(row.created_at),
        "decided_at": clock.as_iso(row.decided_at),
        "decided_by": row.decided_by.username if row.decided_by else None,
        "decided_by_participant": row.decided_by.participant if row.decided_by else None,
        "reason": row.reason,
    }


def outcome(came_to: Outcome) -> dict[str, Any]:
    """What a check-in came to: with the version, or with the proposal that keeps the bytes."""
    kept = proposal(came_to.proposal) if isinstance(came_to, Proposed) else None
    committed = None if isinstance(came_to, Proposed) else version(came_to.version)
    return {
        "outcome": came_to.code,
        "replayed": came_to.replayed,
        **({"proposal": kept} if kept else {"version": committed}),
        **record_of(came_to.attempt),
    }


def record_of(record: Attempt) -> dict[str, Any]:
    """The check-out, or the edit, that the bytes came back on."""
    if isinstance(record, Checkout):
        return {"checkout": checkout(record, None)}
    return {"edit": edit(cast(Edit, record), None)}


def successor(outcome: Outcome) -> dict[str, Any] | None:
    """The check-out that `keep` opened, as it is now, or None."""
    return checkout(outcome.successor.checkout, outcome.successor.lease) if outcome.successor else None
