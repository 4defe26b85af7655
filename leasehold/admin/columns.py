"""Who, when and until when, in words and in marks; every text of a user's is escaped."""

from datetime import datetime, timedelta
from typing import Any

from django.template.defaultfilters import filesizeformat
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString

from leasehold.database import clock
from leasehold.leases import HeldLease


def when(at: datetime | str | None) -> str:
    """A time in the reader's zone, the year left out."""
    return timezone.localtime(clock.as_utc(at)).strftime("%-d %b %H:%M") if at else "–"


def mark(word: str, role: str) -> SafeString:
    """A state as a word in the colour of its role: free, mine, person, lapsed, stale, proposal, danger."""
    return format_html('<span class="mark is-{}">{}</span>', role, word)


def until_words(lease: HeldLease) -> str:
    if lease.expires_at is None:
        return "until somebody decides"
    return f"lapsed at {when(lease.expires_at)}" if lease.is_lapsed else f"until {when(lease.expires_at)}"


def lease_state(lease: HeldLease | None) -> SafeString:
    """Free, live or lapsed."""
    if lease is None:
        return mark("free", "free")
    return mark("lapsed", "lapsed") if lease.is_lapsed else mark("live", "person")


def is_past(moment: datetime, at: Any) -> bool:
    return moment <= clock.as_utc(at)


def is_older_than(moment: datetime, seconds: int, at: Any) -> bool:
    return moment + timedelta(seconds=seconds) <= clock.as_utc(at)


def size(count: int) -> str:
    return filesizeformat(count).replace("\xa0", " ")
