"""How tickets and sessions look on the wire: plain dicts, built by hand."""

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

MOST_BELOW = 200  # checkpoints, sessions, failures within their object; the newest


def ticket(row: Ticket, reserved: dict[str, HeldLease]) -> dict[str, Any]:
    """As lists show it. `reserved`: place → the lease that reserves it, of `reservations.reserved_at`."""
    return {
        "id": row.pk,
        "project": row.project.slug,
        "title": row.title,
        "description": row.description,
        "status": row.status,
        "state_since": clock.text(row.state_since),
        "created_at": clock.text(row.created_at),
        "created_by": row.created_by.username,
        "participant": row.created_by.participant,
        "approved_by": row.approved_by.username if row.approved_by else None,
        "scope": [scope_key(key.key, reserved.get(key.place)) for key in row.scope.all()],
    }


def tickets(rows: Sequence[Ticket]) -> list[dict[str, Any]]:
    """A page of them: one look for all their keys."""
    reserved = reserved_at(key.place for row in rows for key in row.scope.all())
    return [ticket(row, reserved) for row in rows]


def whole_ticket(actor: Actor, ticket_id: int) -> dict[str, Any]:
    """With its sessions, failures, audit and open check-outs; `NotFound` if it is unknown or foreign."""
    row = selectors.ticket_for(actor, ticket_id)
    sessions = list(selectors.sessions_for(actor).filter(ticket=row).order_by("-id")[:MOST_BELOW])
    [shown] = tickets([row])
    return {
        **shown,
        "allowed": possible_verbs(row.status),
        "sessions": [session(one) for one in sessions],
        "failures": [failure(one) for one in row.failures.order_by("-id")[:MOST_BELOW]],
        "scope_audit": [audited(one) for one in scope_audit(row, sessions)],
        "open_checkouts": open_checkouts(open_checkouts_of(sessions)),
    }


def scope_key(key: str, reserved: HeldLease | None) -> dict[str, Any]:
    return {
        "key": key,
        "holder": reserved.holder if reserved else None,
        "acquired_at": clock.text(reserved.acquired_at) if reserved else None,
    }


def session(row: Any) -> dict[str, Any]:
    """One of `selectors.sessions_for`."""
    left = ceil((row.lease_until - row.at).total_seconds()) if row.status == Session.Status.ACTIVE else 0
    return {
        "id": row.pk,
        "ticket": row.ticket_id,
        "project": row.ticket.project.slug,
        "worker": row.worker.username,
        "participant": row.worker.participant,
        "label": row.label,
        "status": row.status,
        "started_at": clock.text(row.started_at),
        "lease_until": clock.text(row.lease_until),
        "expires_in": max(0, left),
        "is_lapsed": bool(row.is_lapsed),
        "ended_at": clock.text(row.ended_at),
        "outcome": row.outcome,
        "stop_requested": row.stop_requested_at is not None,
        "stop_requested_at": clock.text(row.stop_requested_at),
        "stop_requested_by": row.stop_requested_by.username if row.stop_requested_by else None,
        "stop_reason": row.stop_reason,
    }


def whole_session(actor: Actor, session_id: int) -> dict[str, Any]:
    """With its checkpoints and open check-outs; `NotFound` if it is unknown or foreign."""
    row = selectors.session_for(actor, session_id)
    signs = row.checkpoints.order_by("-id")[:MOST_BELOW]
    return {
        **session(row),
        "checkpoints": [
            {"at": clock.text(sign.at), "note": sign.note, "lease_until": clock.text(sign.lease_until)}
            for sign in signs
        ],
        "open_checkouts": open_checkouts(open_checkouts_of([row])),
    }


def failure(row: Failure) -> dict[str, Any]:
    return {
        "id": row.pk,
        "kind": row.kind,
        "session": row.session_id,
        "detail": row.detail,
        "at": clock.text(row.at),
    }


def audited(one: Audited) -> dict[str, Any]:
    return {
        "session": one.commit.session,
        "artifact": one.commit.artifact,
        "version": one.commit.version,
        "path": one.commit.path,
        "is_inside": one.is_inside,
    }


def open_checkouts(found: Sequence[OpenCheckout]) -> list[dict[str, Any]]:
    return [checkout.as_facts() for checkout in found]
