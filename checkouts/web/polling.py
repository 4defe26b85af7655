"""Pages that keep themselves up to date ask every few seconds, and are answered 304 while nothing has changed.

The mark is made of what the page shows, before it is rendered: a page that has not changed costs its statements and no
more. Countdowns and “up to date” run on in the browser.
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


def polled(request: HttpRequest, template: str, facts: dict[str, Any], *, shows: Any) -> HttpResponse:
    """The page, or 304 for our script that has it already. `shows`: what is on it, in anything that has a `repr`."""
    at: datetime = facts.get("at") or clock.now()
    today = timezone.localtime(at).date()  # “tomorrow 17:20” is “17:20” after midnight
    etag = sha256(repr((request.get_full_path(), request.user.pk, today, shows)).encode()).hexdigest()[:32]
    is_poll = request.headers.get("HX-Request") == "true"
    if is_poll and request.headers.get("If-None-Match") == f'W/"{etag}"':
        answer: HttpResponse = HttpResponseNotModified()
    else:
        answer = render(request, template, {**facts, "at": at, "etag": etag})
    if is_poll:
        answer["ETag"] = f'W/"{etag}"'
        answer["As-Of"] = clock_words(at, at)
        answer["Cache-Control"] = "no-store"  # the script says what it has; the browser's own cache stays out of it
    return answer


def mark(lease: HeldLease | None) -> Any:
    """What a page shows of a lease, without the time that passes."""
    if lease is None:
        return None
    return lease.holder, lease.fence, lease.expires_at, lease.is_lapsed, lease.purpose, lease.participant
