"""Values read from forms and query parameters, errors by field, and messages for the next page."""

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from django.contrib import messages
from django.http import HttpRequest
from django.utils.dateparse import parse_datetime

from leasehold import names
from leasehold.database import clock
from leasehold.database.ids import id_in
from leasehold.exceptions import Invalid, NotFound
from leasehold.models import Project

EXPECTED_ID = "Expected a number, as the page gave it."


def whole_number(request: HttpRequest, field: str, *, expected: str = "a whole number") -> int | None:
    """Return the form's field as a whole number, or None if it is empty. Raises `Invalid`, with what was `expected`."""
    text = request.POST.get(field, "").strip()
    if not text:
        return None
    if not (text.isascii() and text.isdecimal() and len(text) < 19):
        raise Invalid.of(field, f"Expected {expected}.")
    return int(text)


def id_param(request: HttpRequest, name: str) -> int | None:
    """Return an id from the query, as in `?before=17`, or None without one. Raises `Invalid`."""
    text = request.GET.get(name, "")
    if not text:
        return None
    if (number := id_in(text)) is None:
        raise Invalid.of(name, EXPECTED_ID)
    return number


def choice_param(request: HttpRequest, name: str, choices: Any, default: str = "") -> str:
    """Return a query parameter that is one of `choices`, or `default` without one. Raises `Invalid`."""
    value = request.GET.get(name, "") or default
    if value and value not in choices:
        raise Invalid.of(name, f"Expected one of {', '.join(choices)}.")
    return value


def project_param(request: HttpRequest, projects: Iterable[Project]) -> str:
    """Return the slug in `?project=`, or "" without one. Raises `NotFound` if none of `projects` has it."""
    slug = names.checked_text(request.GET.get("project"), "project", 50)
    if slug and slug not in {project.slug for project in projects}:
        raise NotFound
    return slug


def posted_time(request: HttpRequest, field: str) -> datetime | None:
    """Return a time that the page put into its form, or None if it is empty. Raises `Invalid`."""
    text = request.POST.get(field, "")
    if not text:
        return None
    try:
        time = parse_datetime(text)
        if time is not None and time.tzinfo is not None:
            return clock.as_utc(time)
    except (ValueError, OverflowError):  # not a time, or before the year 1 in UTC
        pass
    raise Invalid.of(field, "Expected a time, as the page gave it.")


def lines_of(text: str) -> list[str]:
    """Return the lines of `text` without the spaces around them; empty lines are left out."""
    return [line.strip() for line in text.splitlines() if line.strip()]


def errors_by_field(refusal: Invalid) -> dict[str, str]:
    """Return field → what is wrong with it, for the form to show beside the field."""
    errors: dict[str, str] = {}
    for error in refusal.errors or []:
        errors[error["field"]] = f"{errors.get(error['field'], '')} {error['detail']}".strip()
    return errors


def add_message(request: HttpRequest, text: str, role: str) -> None:
    """Add a message to the next page. The first line of `text` stands out; `role` is a class of the stylesheet."""
    messages.add_message(request, messages.INFO, text, extra_tags=role)
