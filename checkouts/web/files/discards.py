"""Before check-outs are discarded: what will happen, on a page of its own."""

from collections.abc import Sequence
from typing import Any

from django.http import HttpRequest, HttpResponse

from checkouts import wording
from checkouts.models import Checkout
from checkouts.web.reports import counted, listed
from leasehold.web.confirmation import Field, confirmation_page
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
    return confirmation_page(request, shown, fields)


def _of_one(name: str, hold: Hold | None) -> dict[str, Any]:
    taken = ("held", f"{hold.name} has the file now, and keeps it.") if hold and not hold.is_mine else None
    return {
        "heading": f"Discard your check-out of {name}?",
        "sub": "Nothing that you have changed is committed.",
        "will": wording.discard_consequences(1, free=taken),
        "button": "Discard",
        "back_label": "Keep it",
    }


def _of_many(names: list[str]) -> dict[str, Any]:
    return {
        "heading": f"Discard your check-outs of {counted(len(names))}?",
        "sub": f"{listed(names)}.",
        "will": wording.discard_consequences(len(names)),
        "button": f"Discard {counted(len(names), 'check-out')}",
        "back_label": "Keep them",
    }
