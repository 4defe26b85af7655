"""An act of weight is asked for on a page of its own: what will happen, what it needs to know, and then the act."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from leasehold.exceptions import Invalid

NEEDED = "Needed."  # what `names.text` says of an empty one


@dataclass(frozen=True, slots=True)
class Field:
    """Something that the page asks for. `kind`: line, text, select, choice or hidden; `options` as the kind needs."""

    name: str
    label: str = ""
    kind: str = "line"
    value: str = ""
    hint: str = ""
    options: Sequence[Any] = ()
    needed: bool = False
    limit: int = 500
    wrong: str = ""


def reason(who: str, *, needed: bool = True, label: str = "Why") -> Field:
    """`who` reads it; it goes into the journal."""
    hint = f"{who} reads this. It goes into the journal." if who else "It goes into the journal."
    return Field("reason", label, "text", hint=hint, needed=needed)


def confirmed(
    request: HttpRequest, facts: dict[str, Any], fields: Sequence[Field], act: Callable[[], HttpResponse]
) -> HttpResponse:
    """GET shows the page that `facts` describe (as `leasehold/confirm.html` reads them); POST acts.

    What is wrong with a field is said beside it; every other refusal is a page.
    """
    wrong: dict[str, str] = {}
    if request.method == "POST":
        try:
            return act()
        except Invalid as refusal:
            wrong = {error["field"]: error["detail"] for error in refusal.errors}
            if not wrong.keys() & {field.name for field in fields}:
                raise
    shown = [
        replace(
            field,
            value=request.POST.get(field.name, field.value),
            wrong=said(wrong[field.name]) if field.name in wrong else "",
        )
        for field in fields
    ]
    status = 400 if wrong else 200
    return question(request, facts, shown, status=status)


def question(
    request: HttpRequest, facts: dict[str, Any], fields: Sequence[Field] = (), *, status: int = 200
) -> HttpResponse:
    """The page that asks: `leasehold/confirm.html` says which facts it reads."""
    return render(request, "leasehold/confirm.html", {"section": "files", **facts, "fields": fields}, status=status)


def said(detail: str) -> str:
    return "Say it in a few words, so that it is understood." if detail == NEEDED else detail
