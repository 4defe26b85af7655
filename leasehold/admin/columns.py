"""Cells of the admin's lists: times, sizes, states and leases as text. Text from users is escaped."""

from datetime import datetime, timedelta
from typing import Any

from django.template.defaultfilters import filesizeformat
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString

from leasehold.database import clock
from leasehold.leases import HeldLease


def time_text(at: datetime | str | None) -> str:
    """Return a time in the reader's zone without its year; `–` for None."""
    return timezone.localtime(clock.as_utc(at)).strftime("%-d %b %H:%M") if at else "–"


def state_mark(word: str, role: str) -> SafeString:
    """Return a state as a word in the colour of `role`: free, mine, person, lapsed, stale, proposal or danger."""
    return format_html('<span class="mark is-{}">{}</span>', role, word)


def until_text(lease: HeldLease) -> str:
    if lease.expires_at is None:
        return "until somebody decides"
    return f"lapsed at {time_text(lease.expires_at)}" if lease.is_lapsed else f"until {time_text(lease.expires_at)}"


def lease_state(lease: HeldLease | None) -> SafeString:
    """Return the mark of a lease: free, live or lapsed."""
    if lease is None:
        return state_mark("free", "free")
    return state_mark("lapsed", "lapsed") if lease.is_lapsed else state_mark("live", "person")


def is_past(time: datetime, at: Any) -> bool:
    return time <= clock.as_utc(at)


def is_older_than(time: datetime, seconds: int, at: Any) -> bool:
    return time + timedelta(seconds=seconds) <= clock.as_utc(at)


def size_text(count: int) -> str:
    return filesizeformat(count).replace("\xa0", " ")
