"""Who reserves something, as a page tells it: which ticket, for whose session, until when."""

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

SHOWN = 20


@dataclass(frozen=True, slots=True)
class Reserver:
    """A ticket that reserves `keys`. `url`, `title` and `worker` are empty where the reader may not see the ticket."""

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
        """A clause: who works there, and for how long."""
        if not self.url:
            return "it belongs to a project that you are not in"
        if self.until is None:
            return "nobody is at work on it now"
        name = "you work" if self.is_mine else f"{self.worker} works"
        return f"{name} there until {clock_words(self.until, self.at)}"


def reservers(actor: Actor, reserved: Iterable[dict[str, Any]]) -> list[Reserver]:
    """`reserved`: as in `ScopeReserved`. Three statements, whatever the number."""
    asked = list(reserved)[:SHOWN]
    ids = [int(one["ticket"]) for one in asked]
    titles = dict(tickets_for(actor).filter(pk__in=ids).values_list("pk", "title"))
    runs = sessions_for(actor).filter(
        ticket__in=list(titles), status=Session.Status.ACTIVE, lease_until__gt=DatabaseNow()
    )
    at_work = {run.ticket_id: run for run in runs}
    at = clock.now()
    return [
        Reserver(
            ticket=ticket,
            keys=list(one["keys"]),
            title=titles.get(ticket, ""),
            url=reverse("ticket", args=[ticket]) if ticket in titles else "",
            worker=run.worker.username if (run := at_work.get(ticket)) else "",
            until=run.lease_until if run else None,
            is_mine=run is not None and run.worker_id == actor.user.pk,
            at=at,
        )
        for ticket, one in zip(ids, asked, strict=True)
    ]


def told(actor: Actor, refusal: ScopeReserved) -> dict[str, Any]:
    """A refusal page's heading and facts, and the ways to the tickets that the reader may see."""
    found = reservers(actor, refusal.reserved or [])
    if not found:
        return {}
    numbers = " and ".join(str(one.ticket) for one in found)
    said: dict[str, Any] = {
        "exactly": refusal.detail,
        "heading": f"Reserved by ticket{'s' if len(found) > 1 else ''} {numbers}",
        "facts": [
            (f"Ticket {one.ticket}", f"reserves {', '.join(one.keys)} until an operator decides; {one.who}")
            for one in found
        ],
        "steps": [("See who works there", one.title, f"Open ticket {one.ticket}", one.url) for one in found if one.url],
    }
    if len(found) == 1:
        who = found[0].who
        said["sub"] = f"{who[:1].upper()}{who[1:]}. Nothing was changed."
    else:
        said["sub"] = "Nothing was changed."
    return said
