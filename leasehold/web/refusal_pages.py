"""Render each refusal as a page. One table has the headings; the upper floor adds its own, and facts about files."""

from collections.abc import Callable
from dataclasses import dataclass
from math import ceil
from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.defaults import page_not_found

from leasehold import exceptions as ground
from leasehold.exceptions import Invalid, Refusal, ScopeReserved
from leasehold.http.statuses import nearest, status_of
from leasehold.models import User
from leasehold.registry import Registry
from leasehold.web.reader import actor_of, is_script
from leasehold.web.tickets import refusals, reservers


@dataclass(frozen=True, slots=True)
class RefusalHeading:
    """The heading of a refusal page. `role` is a class of the stylesheet, `icon` an icon of the sprite."""

    text: str
    role: str = "is-lapsed"
    icon: str = "blocked"


HEADINGS: Registry[type[Refusal], RefusalHeading] = Registry(
    {
        ground.BodyTooLarge: RefusalHeading("This is too large", "is-danger", "danger"),
        ground.Busy: RefusalHeading("Somebody else holds this", "is-person", "held"),
        ground.CheckoutsOpen: RefusalHeading("Files are still checked out", "is-mine", "mine"),
        ground.Forbidden: RefusalHeading("You may not do this here"),
        ground.IdempotencyMismatch: RefusalHeading("This key belongs to another request", "is-danger", "danger"),
        ground.InProgress: RefusalHeading("The same request is under way", "is-stale", "stale"),
        ground.Invalid: RefusalHeading("Something is not as it must be", "is-danger", "danger"),
        ground.LeaseLost: RefusalHeading("Your lease has ended", icon="lapsed"),
        ground.NotFound: RefusalHeading("There is nothing here for you", icon="search"),
        ground.PreconditionFailed: RefusalHeading("It has changed since you read it", "is-stale", "stale"),
        ground.RoleContextBusy: RefusalHeading("Another pass runs", "is-person", "pass"),
        ground.ScopeInUse: RefusalHeading("Somebody has files there", "is-person", "held"),
        ground.ScopeReserved: RefusalHeading("Reserved by a ticket", "is-person", "ticket"),
        ground.Throttled: RefusalHeading("Too many attempts", "is-stale", "stale"),
        ground.TicketBusy: RefusalHeading("Somebody is at work on this ticket", "is-person", "session"),
        ground.TryAgain: RefusalHeading("Too much at once", "is-stale", "stale"),
        ground.Unauthenticated: RefusalHeading("Sign in first"),
        ground.WrongState: RefusalHeading("This is not possible now", "is-stale", "stale"),
    }
)
UNKNOWN = RefusalHeading("This was refused", "is-stale", "stale")

#: functions that return more context for `refusal.html`; a later one wins
DESCRIPTIONS: Registry[str, Callable[[HttpRequest, Refusal], dict[str, Any]]] = Registry({"ticket": refusals.describe})


def refusal_page(request: HttpRequest, refusal: Refusal) -> HttpResponse:
    """Return the response to a refused request: a page, or the same as JSON for our script."""
    heading, status = nearest(HEADINGS, type(refusal), UNKNOWN), status_of(refusal)
    context: dict[str, Any] = {
        "heading": heading.text,
        "sub": "Nothing was changed." if isinstance(refusal, Invalid) and refusal.errors else refusal.detail,
        "role": heading.role,
        "icon": heading.icon,
        "code": refusal.code,
        "errors": getattr(refusal, "errors", None) or [],
        "next_steps": [("Go back", "Nothing was changed.", "Your projects", reverse("projects"))],
    }
    for describe in DESCRIPTIONS.values():
        context |= describe(request, refusal)
    if isinstance(refusal, ScopeReserved) and isinstance(request.user, User):
        reserved = reservers.refusal_context(actor_of(request), refusal)
        context |= reserved | {"next_steps": [*reserved.pop("steps", []), *context["next_steps"]]}
    if is_script(request):
        response: HttpResponse = JsonResponse(_as_json(context), status=status)
    elif status == 404:
        response = page_not_found(request, refusal)
    else:
        response = render(request, "refusal.html", context, status=status)
    if (seconds := getattr(refusal, "retry_after", None)) is not None:
        response["Retry-After"] = str(ceil(seconds))
    return response


def _as_json(context: dict[str, Any]) -> dict[str, Any]:
    details = [f"{error['field']}: {error['detail']}" for error in context["errors"]] or [context["sub"]]
    steps = [step for step in context["next_steps"] if step[3]]
    return {
        "code": context["code"],
        "title": context["heading"],
        "detail": " ".join(details),
        "next": {"label": steps[0][2], "url": steps[0][3]} if steps else None,
    }
