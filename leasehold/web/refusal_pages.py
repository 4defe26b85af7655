"""Every refusal as a page: one table, by code. The floor above adds its rows and what it knows of the subject."""

from collections.abc import Callable
from dataclasses import dataclass
from math import ceil
from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.defaults import page_not_found

from leasehold.exceptions import Invalid, Refusal, ScopeReserved
from leasehold.models import User
from leasehold.web.reader import actor_of, is_script
from leasehold.web.tickets import refusals, reservers


@dataclass(frozen=True, slots=True)
class Row:
    """`role` and `drawing` are the stylesheet's and the sprite's; `heading` is what the reader sees first."""

    status: int
    heading: str
    role: str = "is-lapsed"
    drawing: str = "blocked"


TABLE: dict[str, Row] = {
    "invalid": Row(400, "Something is not as it must be", "is-danger", "danger"),
    "unauthenticated": Row(401, "Sign in first"),
    "forbidden": Row(403, "You may not do this here"),
    "not_found": Row(404, "There is nothing here for you", drawing="search"),
    "busy": Row(409, "Somebody else holds this", "is-person", "held"),
    "lease_lost": Row(409, "Your lease has ended", drawing="lapsed"),
    "wrong_state": Row(409, "This is not possible now", "is-stale", "stale"),
    "scope_reserved": Row(409, "Reserved by a ticket", "is-person", "ticket"),
    "scope_in_use": Row(409, "Somebody has files there", "is-person", "held"),
    "ticket_busy": Row(409, "Somebody is at work on this ticket", "is-person", "session"),
    "checkouts_open": Row(409, "Files are still checked out", "is-mine", "mine"),
    "precondition_failed": Row(412, "It has changed since you read it", "is-stale", "stale"),
    "too_large": Row(413, "This file is too large", "is-danger", "danger"),
    "length_required": Row(411, "The length must be said first", "is-danger", "danger"),
    "digest_mismatch": Row(422, "The bytes did not arrive as they were sent", "is-danger", "danger"),
    "throttled": Row(429, "Too many attempts", "is-stale", "stale"),
    "try_again": Row(503, "Too much at once", "is-stale", "stale"),
    "storage_unavailable": Row(507, "There is no room for it now", "is-danger", "danger"),
}
UNKNOWN = Row(409, "This was refused", "is-stale", "stale")

#: what is said about a refusal, the floor above last: context for `leasehold/refusal.html`
descriptions: list[Callable[[HttpRequest, Refusal], dict[str, Any]]] = [refusals.describe]


def page(request: HttpRequest, refusal: Refusal) -> HttpResponse:
    """The answer to a refused request: a page, or for our script the same in JSON."""
    row = TABLE.get(refusal.code, UNKNOWN)
    said: dict[str, Any] = {
        "heading": row.heading,
        "sub": "Nothing was changed." if isinstance(refusal, Invalid) and refusal.errors else refusal.detail,
        "role": row.role,
        "drawing": row.drawing,
        "code": refusal.code,
        "errors": getattr(refusal, "errors", None) or [],
        "next_steps": [("Go back", "Nothing was changed.", "Your projects", reverse("projects"))],
    }
    for describe in descriptions:
        said |= describe(request, refusal)
    if isinstance(refusal, ScopeReserved) and isinstance(request.user, User):
        reserved = reservers.refusal_context(actor_of(request), refusal)
        said |= reserved | {"next_steps": [*reserved.pop("steps", []), *said["next_steps"]]}
    if is_script(request):
        answer: HttpResponse = JsonResponse(_in_brief(said), status=row.status)
    elif row.status == 404:
        answer = page_not_found(request, refusal)
    else:
        answer = render(request, "leasehold/refusal.html", said, status=row.status)
    if (seconds := getattr(refusal, "retry_after", None)) is not None:
        answer["Retry-After"] = str(ceil(seconds))
    return answer


def _in_brief(said: dict[str, Any]) -> dict[str, Any]:
    details = [f"{error['field']}: {error['detail']}" for error in said["errors"]] or [said["sub"]]
    steps = [step for step in said["next_steps"] if step[3]]
    return {
        "code": said["code"],
        "title": said["heading"],
        "detail": " ".join(details),
        "next": {"label": steps[0][2], "url": steps[0][3]} if steps else None,
    }
