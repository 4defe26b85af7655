"""What every page is given beside its own facts."""

from collections.abc import Callable
from functools import cache
from typing import Any

from django.db.models import QuerySet
from django.http import HttpRequest

from leasehold.actors import Actor
from leasehold.database import clock
from leasehold.models import User
from leasehold.selectors.counts import count_rows
from leasehold.selectors.tickets import tickets_to_decide
from leasehold.web.reader import actor_of, theme_of, zone_of

#: entry of the navigation → what waits there for the reader; the floor above adds its own
WAITING: dict[str, Callable[[Actor], QuerySet[Any]]] = {"tickets": tickets_to_decide}


def page(request: HttpRequest) -> dict[str, Any]:
    """`at`: the database's time, read at most once for a page, and not where the view gives it; `theme`; `waiting`:
    the counts in the navigation, one statement, and none where htmx asks for a part of the page; `frame`;
    `zone_is_known`: times are the reader's own, and not the server's for want of better."""
    return {
        "at": cache(clock.now),
        "theme": theme_of(request),
        "waiting": cache(lambda: waiting(request)),
        "frame": cache(lambda: frame(request)),
        "zone_is_known": cache(lambda: zone_of(request) is not None),
    }


def frame(request: HttpRequest) -> str:
    """What a page that says no stands in: whoever is signed in keeps the navigation."""
    return "base.html" if isinstance(getattr(request, "user", None), User) else "bare.html"


def waiting(request: HttpRequest) -> dict[str, int]:
    if not isinstance(request.user, User) or getattr(request, "htmx", False):
        return {}
    actor = actor_of(request)
    return count_rows(**{name: rows(actor) for name, rows in WAITING.items()})
