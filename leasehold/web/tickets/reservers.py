"""The tickets that reserve something, as pages name them: their sessions' workers, and until when."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.urls import reverse

from leasehold.actors import Actor
from leasehold.database import clock
from leasehold.database.clock import DatabaseNow
from leasehold.exceptions import ScopeReserved
from leasehold.models import Session
from leasehold.selectors import sessions_for, tickets_for
from leasehold.templatetags.parts import clock_words

MOST = 20  # tickets named on one page


@dataclass(frozen=True, slots=True)
class Reserver:
    """A ticket that reserves `keys`. `url`, `title` and `worker` are empty where the reader may not see the ticket.

    until: the end of the live session's lease, or None. at: the database's time, which `until` is worded by.
    """

    ticket: int
    keys: list[str]
    title: str
    url: str
    worker: str
    until: datetime | None
    is_mine: bool
    at: datetime

    @property
    def who(self) -> str:
        """A clause that says who works there, and until when."""
        if not self.url:
            return "it belongs to a project that you are not in"
        if self.until is None:
            return "nobody is at work on it now"
        name = "you work" if self.is_mine else f"{self.worker} works"
        return f"{name} there until {clock_words(self.until, self.at)}"


def reservers(actor: Actor, reserved: Iterable[dict[str, Any]]) -> list[Reserver]:
    """Return the first 20 tickets of `reserved`, which is as in `ScopeReserved`. Three statements for any number."""
    reservations = list(reserved)[:MOST]
    ids = [int(reservation["ticket"]) for reservation in reservations]
    titles = dict(tickets_for(actor).filter(pk__in=ids).values_list("pk", "title"))
    sessions = sessions_for(actor).filter(
        ticket__in=list(titles), status=Session.Status.ACTIVE, lease_until__gt=DatabaseNow()
    )
    live = {session.ticket_id: session for session in sessions}
    at = clock.now()
    return [
        Reserver(
            ticket=ticket,
            keys=list(reservation["keys"]),
            title=titles.get(ticket, ""),
            url=reverse("ticket", args=[ticket]) if ticket in titles else "",
            worker=session.worker.username if (session := live.get(ticket)) else "",
            until=session.lease_until if session else None,
            is_mine=session is not None and session.worker_id == actor.user.pk,
            at=at,
        )
        for ticket, reservation in zip(ids, reservations, strict=True)
    ]


def refusal_context(actor: Actor, refusal: ScopeReserved) -> dict[str, Any]:
    """Return what a refusal page adds: heading, facts, and links to the tickets that the reader may see."""
    found = reservers(actor, refusal.reserved or [])
    if not found:
        return {}
    numbers = " and ".join(str(reserver.ticket) for reserver in found)
    context: dict[str, Any] = {
        "exactly": refusal.detail,
        "heading": f"Reserved by ticket{'s' if len(found) > 1 else ''} {numbers}",
        "sub": "Nothing was changed.",
        "facts": [
            (
                f"Ticket {reserver.ticket}",
                f"reserves {', '.join(reserver.keys)} until an operator decides; {reserver.who}",
            )
            for reserver in found
        ],
        "steps": [
            ("See who works there", reserver.title, f"Open ticket {reserver.ticket}", reserver.url)
            for reserver in found
            if reserver.url
        ],
    }
    if len(found) == 1:
        who = found[0].who
        context["sub"] = f"{who[:1].upper()}{who[1:]}. Nothing was changed."
    return context
