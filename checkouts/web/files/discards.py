"""Before check-outs are discarded: what will happen, on a page of its own."""

from collections.abc import Sequence
from typing import Any

from django.http import HttpRequest, HttpResponse

from checkouts.models import Checkout
from checkouts.web.reports import counted, listed
from leasehold.web.confirmation import Field, question
from leasehold.web.holds import Hold


def ask_first(
    request: HttpRequest, records: Sequence[Checkout], *, back: str, fields: Sequence[Field] = (), **facts: Any
) -> HttpResponse:
    """The page that asks; its form goes to the address that it has itself. `fields`: what the answer must carry on.

    `hold`, of one record only: who has the file now, if anybody.
    """
    names = sorted(record.artifact.name for record in records)
    said = _of_one(names[0], facts.get("hold")) if len(names) == 1 else _of_many(names)
    shown = {"button_icon": "discard", "button_class": "btn-danger", "back": back, **said, **facts}
    return question(request, shown, fields)


def _of_one(name: str, hold: Hold | None) -> dict[str, Any]:
    now = ("free", "The file is free to whoever takes it first.")
    if hold and not hold.is_mine:
        now = ("held", f"{hold.name} has the file now, and keeps it.")
    return {
        "heading": f"Discard your check-out of {name}?",
        "sub": "Nothing that you have changed is committed.",
        "will": [
            ("discard", "Your check-out ends; nothing is committed."),
            now,
            ("info", "Your copy on your disk stays, but cannot be checked in any more."),
        ],
        "button": "Discard",
        "back_label": "Keep it",
    }


def _of_many(names: list[str]) -> dict[str, Any]:
    return {
        "heading": f"Discard your check-outs of {counted(len(names))}?",
        "sub": f"{listed(names)}.",
        "will": [
            ("discard", "Your check-outs end; nothing is committed."),
            ("free", "What you hold is free to whoever takes it first; what somebody else has by now stays theirs."),
            ("info", "Your copies on your disk stay, but cannot be checked in any more."),
        ],
        "button": f"Discard {counted(len(names), 'check-out')}",
        "back_label": "Keep them",
    }
