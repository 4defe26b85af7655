"""Check-outs and edits, and what a check-in results in."""

from typing import Any, cast

from checkouts import selectors
from checkouts.api.representations.files import version
from checkouts.api.representations.proposals import proposal
from checkouts.models import Attempt, Checkout, Edit
from checkouts.outcomes import Outcome, Proposed
from leasehold.database import clock
from leasehold.http.json_values import to_json
from leasehold.leases import HeldLease


def listed_checkout(row: Checkout) -> dict[str, Any]:
    """One row of `selectors.with_own_leases`, with its own lease."""
    return checkout(row, selectors.own_lease(row))


def checkout(row: Checkout, lease: HeldLease | None) -> dict[str, Any]:
    """`lease`: the check-out's own, while it is live. One that is open without a lease has lapsed, or was broken."""
    return {
        **_attempt(row),
        "is_lapsed": row.is_open and lease is None and row.broken_at is None,
        "broken": _broken(row),
        "lease": to_json(lease),
    }


def edit(row: Edit, lease: HeldLease | None) -> dict[str, Any]:
    """`lease`: the edit's own, while it is live. One that is open without a lease has lapsed, or was broken."""
    return {**_attempt(row), "lease": to_json(lease)}


def _attempt(row: Attempt) -> dict[str, Any]:
    """What a check-out and an edit have in common."""
    return {
        "id": row.named[row.kind],
        "project": row.artifact.project.slug,
        "artifact": {"id": row.artifact_id, "path": row.artifact.path},
        "base": {"number": row.base_version.number, "digest": row.base_digest},
        "user": row.actor.username,
        "participant": row.participant,
        "purpose": row.purpose,
        "session": row.session_id,
        "client": row.client,
        "state": row.state,
        "outcome": row.outcome or None,
        "result": _result(row),
        "opened_at": clock.as_iso(row.opened_at),
        "closed_at": clock.as_iso(row.closed_at),
        "expires_at": clock.as_iso(row.expires_at),
    }


def _result(row: Attempt) -> dict[str, Any] | None:
    """What it resulted in; None while it is open, and after a discard."""
    if row.result_proposal_id:
        return {"version": None, "proposal": row.result_proposal_id, "digest": row.result_digest}
    if row.result_version:
        return {"version": row.result_version.number, "proposal": None, "digest": row.result_digest}
    return None


def _broken(row: Checkout) -> dict[str, Any] | None:
    """By whom, how and why its lease was ended."""
    if not (row.broken_at and row.broken_by):
        return None
    return {
        "at": clock.as_iso(row.broken_at),
        "by": row.broken_by.username,
        "participant": row.broken_by.participant,
        "how": row.broken_how,
        "reason": row.broken_reason,
    }


def outcome(result: Outcome) -> dict[str, Any]:
    """A check-in's result, with its attempt and the version, or the proposal that keeps the bytes."""
    written = (
        {"proposal": proposal(result.proposal)}
        if isinstance(result, Proposed)
        else {"version": version(result.version)}
    )
    return {"outcome": result.code, "replayed": result.replayed, **written, **_ended(result.attempt)}


def _ended(attempt: Attempt) -> dict[str, Any]:
    """The check-out or the edit that the bytes were checked in on. It has no lease any more."""
    if isinstance(attempt, Checkout):
        return {"checkout": checkout(attempt, None)}
    return {"edit": edit(cast(Edit, attempt), None)}


def successor(result: Outcome) -> dict[str, Any] | None:
    """The check-out that `keep` opened, as it is now, or None."""
    return checkout(result.successor.checkout, result.successor.lease) if result.successor else None
