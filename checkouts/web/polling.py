"""Pages that refresh themselves: the script requests them every few seconds and gets 304 if nothing has changed.

The ETag is made of the page's data before rendering, so an unchanged page costs only its statements. Countdowns and
“up to date” run in the browser.
"""

from datetime import datetime
from hashlib import sha256
from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseNotModified
from django.shortcuts import render
from django.utils import timezone

from leasehold.database import clock
from leasehold.leases import HeldLease
from leasehold.templatetags.parts import clock_words


def render_polled(request: HttpRequest, template: str, context: dict[str, Any], *, data: Any) -> HttpResponse:
    """Return the page, or 304 if the script has it already. `data`: what the page displays; anything with a `repr`."""
    at: datetime = context.get("at") or clock.now()
    today = timezone.localtime(at).date()  # “tomorrow 17:20” is “17:20” after midnight
    etag = sha256(repr((request.get_full_path(), request.user.pk, today, data)).encode()).hexdigest()[:32]
    is_poll = request.headers.get("HX-Request") == "true"
    if is_poll and request.headers.get("If-None-Match") == f'W/"{etag}"':
        response: HttpResponse = HttpResponseNotModified()
    else:
        response = render(request, template, {**context, "at": at, "etag": etag})
    if is_poll:
        response["ETag"] = f'W/"{etag}"'
        response["As-Of"] = clock_words(at, at)
        response["Cache-Control"] = "no-store"  # the script sends the ETag itself; the browser's cache must not
    return response


def lease_data(lease: HeldLease | None) -> Any:
    """Return what a page displays of a lease, without the time left."""
    if lease is None:
        return None
    return lease.holder, lease.fence, lease.expires_at, lease.is_lapsed, lease.purpose, lease.participant
