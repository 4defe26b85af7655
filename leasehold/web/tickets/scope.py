"""A ticket's scope as its page shows it: each key with its reserver, and what would refuse a start."""

from collections.abc import Iterable
from typing import Any

from leasehold.actors import Actor
from leasehold.leases import HeldLease
from leasehold.models import ScopeKey, Ticket
from leasehold.scopes.meanings import scope_meanings
from leasehold.scopes.reservations import overlapping_leases, reserved_at, ticket_of
from leasehold.selectors import tickets_for

MOST_OBSTACLES = 20


def scope_words(scope: Iterable[ScopeKey]) -> str:
    """Return `art/capes`, `art/capes and terminal-3`, or `art/capes and 4 more`."""
    keys = [key.key for key in scope]
    if len(keys) <= 1:
        return "".join(keys)
    return f"{keys[0]} and {keys[1]}" if len(keys) == 2 else f"{keys[0]} and {len(keys) - 1} more"


def key_rows(actor: Actor, ticket: Ticket, scope: list[ScopeKey]) -> list[dict[str, Any]]:
    """Return each key with the ticket that reserves it, here or above.

    is_seen: the page links to that ticket. One that the reader may not see is named only.
    """
    reserved = reserved_at(key.place for key in scope)
    visible = visible_tickets(actor, {ticket_of(reservation.holder) for reservation in reserved.values()})
    meanings = scope_meanings(actor, ticket.project, scope)
    rows = []
    for key in scope:
        reservation = reserved.get(key.place)
        holder = ticket_of(reservation.holder) if reservation else None
        rows.append(
            {
                "key": key.key,
                "means": meanings[key.place],
                "holder": holder,
                "is_this": holder == ticket.pk,
                "is_seen": holder in visible,
                "above": reservation.place if reservation and reservation.place != key.place else "",
                "since": reservation.acquired_at if reservation else None,
            }
        )
    return rows


def start_obstacles(actor: Actor, ticket: Ticket, scope: list[ScopeKey]) -> list[dict[str, Any]]:
    """Return what would refuse a start now: reservations at, above and below the keys, and others' files below."""
    leases = [
        lease
        for lease in overlapping_leases([key.place for key in scope])
        if lease.holder != ticket.holder and lease.participant != actor.participant
    ][:MOST_OBSTACLES]
    visible = visible_tickets(actor, {ticket_of(lease.holder) for lease in leases if lease.kind == "ticket"})
    return [_obstacle(lease, visible) for lease in leases]


def _obstacle(lease: HeldLease, visible: set[int]) -> dict[str, Any]:
    holder = ticket_of(lease.holder) if lease.kind == "ticket" else None
    return {
        "place": lease.place,
        "ticket": holder,
        "is_seen": holder in visible,
        "who": lease.participant.partition(":")[2],
        "until": lease.expires_at,
    }


def visible_tickets(actor: Actor, ids: set[int]) -> set[int]:
    """Return those of the tickets `ids` that the actor may see; no statement for none."""
    return set(tickets_for(actor).filter(pk__in=ids).values_list("pk", flat=True)) if ids else set()
