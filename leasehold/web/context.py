"""The context processor: what every template gets besides its view's context."""

from collections.abc import Callable
from functools import cache
from typing import Any

from django.db.models import QuerySet
from django.http import HttpRequest

from leasehold.actors import Actor
from leasehold.database import clock
from leasehold.models import User
from leasehold.registry import Registry
from leasehold.selectors.counts import count_rows
from leasehold.selectors.tickets import tickets_to_decide
from leasehold.web.reader import actor_of, theme_of, zone_of

#: entry in the navigation → the rows that wait there for the reader; the upper floor adds its own
WAITING: Registry[str, Callable[[Actor], QuerySet[Any]]] = Registry({"tickets": tickets_to_decide})


def page_context(request: HttpRequest) -> dict[str, Any]:
    """Return the context of every page.

    at: the database's time, read at most once for a page, and not at all if the view supplies it.
    waiting: the counts in the navigation, in one statement; none if htmx requests a part of a page.
    frame: the template that refusal pages extend. theme: as `theme_of`.
    zone_is_known: times are in the reader's zone; otherwise in the server's.
    """
    return {
        "at": cache(clock.now),
        "theme": theme_of(request),
        "waiting": cache(lambda: waiting(request)),
        "frame": cache(lambda: frame(request)),
        "zone_is_known": cache(lambda: zone_of(request) is not None),
    }


def frame(request: HttpRequest) -> str:
    """Return the base template of a refusal page: with the navigation if somebody is signed in."""
    return "base.html" if isinstance(getattr(request, "user", None), User) else "bare.html"


def waiting(request: HttpRequest) -> dict[str, int]:
    if not isinstance(request.user, User) or getattr(request, "htmx", False):
        return {}
    actor = actor_of(request)
    return count_rows(**{name: rows(actor) for name, rows in WAITING.items()})
