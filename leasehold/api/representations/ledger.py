"""Tickets and sessions as plain dicts."""

from collections.abc import Sequence
from math import ceil
from typing import Any

from leasehold import selectors
from leasehold.actors import Actor
from leasehold.database import clock
from leasehold.leases import HeldLease
from leasehold.models import Failure, Session, Ticket
from leasehold.ports import OpenCheckout, open_checkouts_of
from leasehold.rules import possible_verbs
from leasehold.scopes.reservations import Audited, reserved_at, scope_audit

MOST_NESTED = 200  # checkpoints, sessions or failures in their object; the newest


def ticket(row: Ticket, reserved: dict[str, HeldLease]) -> dict[str, Any]:
    """Return a ticket as in lists. `reserved`: place → the lease that reserves it, from `reservations.reserved_at`."""
    return {
        "id": row.pk,
        "project": row.project.slug,
        "title": row.title,
        "description": row.description,
        "status": row.status,
        "state_since": clock.as_iso(row.state_since),
        "created_at": clock.as_iso(row.created_at),
        "created_by": row.created_by.username,
        "participant": row.created_by.participant,
        "approved_by": row.approved_by.username if row.approved_by else None,
        "scope": [scope_key(key.key, reserved.get(key.place)) for key in row.scope.all()],
    }


def tickets(rows: Sequence[Ticket]) -> list[dict[str, Any]]:
    """Return a page of tickets. One statement reads the reservations of all their keys."""
    reserved = reserved_at(key.place for row in rows for key in row.scope.all())
    return [ticket(row, reserved) for row in rows]


def whole_ticket(actor: Actor, ticket_id: int) -> dict[str, Any]:
    """Return a ticket with its sessions, failures, audit and open check-outs.

    Raises `NotFound` if it is unknown or the actor may not see it.
    """
    row = selectors.ticket_for(actor, ticket_id)
    sessions = list(selectors.sessions_for(actor).filter(ticket=row).order_by("-id")[:MOST_NESTED])
    [as_listed] = tickets([row])
    return {
        **as_listed,
        "allowed": possible_verbs(row.status),
        "sessions": [session(run) for run in sessions],
        "failures": [failure(item) for item in row.failures.order_by("-id")[:MOST_NESTED]],
        "scope_audit": [audited_commit(audited) for audited in scope_audit(row, sessions)],
        "open_checkouts": open_checkouts(open_checkouts_of(sessions)),
    }


def scope_key(key: str, reserved: HeldLease | None) -> dict[str, Any]:
    return {
        "key": key,
        "holder": reserved.holder if reserved else None,
        "acquired_at": clock.as_iso(reserved.acquired_at) if reserved else None,
    }


def session(row: Any) -> dict[str, Any]:
    """Return a session, which comes from `selectors.sessions_for`."""
    left = ceil((row.lease_until - row.at).total_seconds()) if row.status == Session.Status.ACTIVE else 0
    return {
        "id": row.pk,
        "ticket": row.ticket_id,
        "project": row.ticket.project.slug,
        "worker": row.worker.username,
        "participant": row.worker.participant,
        "label": row.label,
        "status": row.status,
        "started_at": clock.as_iso(row.started_at),
        "lease_until": clock.as_iso(row.lease_until),
        "expires_in": max(0, left),
        "is_lapsed": bool(row.is_lapsed),
        "ended_at": clock.as_iso(row.ended_at),
        "outcome": row.outcome,
        "stop_requested": row.stop_requested_at is not None,
        "stop_requested_at": clock.as_iso(row.stop_requested_at),
        "stop_requested_by": row.stop_requested_by.username if row.stop_requested_by else None,
        "stop_reason": row.stop_reason,
    }


def whole_session(actor: Actor, session_id: int) -> dict[str, Any]:
    """Return a session with its checkpoints and open check-outs.

    Raises `NotFound` if it is unknown or the actor may not see it.
    """
    row = selectors.session_for(actor, session_id)
    checkpoints = row.checkpoints.order_by("-id")[:MOST_NESTED]
    return {
        **session(row),
        "checkpoints": [
            {"at": clock.as_iso(item.at), "note": item.note, "lease_until": clock.as_iso(item.lease_until)}
            for item in checkpoints
        ],
        "open_checkouts": open_checkouts(open_checkouts_of([row])),
    }


def failure(row: Failure) -> dict[str, Any]:
    return {
        "id": row.pk,
        "kind": row.kind,
        "session": row.session_id,
        "detail": row.detail,
        "at": clock.as_iso(row.at),
    }


def audited_commit(audited: Audited) -> dict[str, Any]:
    return {
        "session": audited.commit.session,
        "artifact": audited.commit.artifact,
        "version": audited.commit.version,
        "path": audited.commit.path,
        "is_inside": audited.is_inside,
    }


def open_checkouts(checkouts: Sequence[OpenCheckout]) -> list[dict[str, Any]]:
    return [checkout.as_facts() for checkout in checkouts]
