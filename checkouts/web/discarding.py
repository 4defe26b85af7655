"""Before check-outs are discarded: what will happen, on a page of its own."""

from collections.abc import Sequence
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from checkouts.models import Checkout
from checkouts.web.confirming import Field
from checkouts.web.reports import counted, listed


def ask_first(
    request: HttpRequest, records: Sequence[Checkout], *, back: str, fields: Sequence[Field] = (), **facts: Any
) -> HttpResponse:
    """The page that asks; its form goes to the address that it has itself. `fields`: what the answer must carry on."""
    names = sorted(record.artifact.name for record in records)
    said = _of_one(names[0]) if len(names) == 1 else _of_many(names)
    shown = {
        "section": "files",
        "fields": fields,
        "button_icon": "discard",
        "button_class": "btn-danger",
        "back": back,
        **said,
        **facts,
    }
    return render(request, "checkouts/confirm.html", shown)


def _of_one(name: str) -> dict[str, Any]:
    return {
        "heading": f"Discard your check-out of {name}?",
        "sub": "Nothing that you have changed is committed.",
        "will": [
            ("discard", "Your check-out ends; nothing is committed."),
            ("free", "The file is free to whoever takes it first."),
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
            ("free", "The files are free to whoever takes them first."),
            ("info", "Your copies on your disk stay, but cannot be checked in any more."),
        ],
        "button": f"Discard {counted(len(names), 'check-out')}",
        "back_label": "Keep them",
    }
