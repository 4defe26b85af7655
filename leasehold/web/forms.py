"""What a form or an address says, as values for the actions; and what an act came to, for the page shown next."""

from datetime import datetime
from typing import Any

from django.contrib import messages
from django.http import HttpRequest
from django.utils.dateparse import parse_datetime

from leasehold.database import clock
from leasehold.database.ids import id_in
from leasehold.exceptions import Invalid

EXPECTED_ID = "Expected a number, as the page gave it."


def whole_number(request: HttpRequest, field: str) -> int | None:
    """The form's field as a whole number; none where it is empty, so that the default holds."""
    text = request.POST.get(field, "").strip()
    if not text:
        return None
    if not (text.isascii() and text.isdecimal() and len(text) < 19):
        raise Invalid.of(field, "Expected a whole number.")
    return int(text)


def id_asked(request: HttpRequest, name: str) -> int | None:
    """An id in the address, `?before=17`; none where there is none."""
    text = request.GET.get(name, "")
    if not text:
        return None
    if (number := id_in(text)) is None:
        raise Invalid.of(name, EXPECTED_ID)
    return number


def choice_asked(request: HttpRequest, name: str, choices: Any, default: str = "") -> str:
    """One of `choices` in the address, or `default` where nothing is said."""
    value = request.GET.get(name, "") or default
    if value and value not in choices:
        raise Invalid.of(name, f"Expected one of {', '.join(choices)}.")
    return value


def moment_sent(request: HttpRequest, field: str) -> datetime | None:
    """A time that the page carried, as it stood there; none where it is empty."""
    text = request.POST.get(field, "")
    if not text:
        return None
    try:
        found = parse_datetime(text)
        if found is not None and found.tzinfo is not None:
            return clock.as_utc(found)
    except (ValueError, OverflowError):  # no time, or one before the first year in UTC
        pass
    raise Invalid.of(field, "Expected a time, as the page gave it.")


def lines_of(text: str) -> list[str]:
    """One value on each line; empty lines and spaces around them count for nothing."""
    return [line.strip() for line in text.splitlines() if line.strip()]


def faults_of(refusal: Invalid) -> dict[str, str]:
    """Field → what is wrong with it, for the form to show beside it."""
    faults: dict[str, str] = {}
    for error in refusal.errors or []:
        faults[error["field"]] = f"{faults.get(error['field'], '')} {error['detail']}".strip()
    return faults


def say(request: HttpRequest, text: str, role: str) -> None:
    """What an act came to, on the page shown next: the first line of `text` stands out; `role` is the stylesheet's."""
    messages.add_message(request, messages.INFO, text, extra_tags=role)
