"""The page that asks before an action that matters: what will happen, the inputs that it needs, and the button."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from leasehold.exceptions import Invalid

NEEDED = "Needed."  # the detail of `names.checked_text` for an empty text


@dataclass(frozen=True, slots=True)
class Field:
    """One input of the page. `kind`: line, text, select, choice or hidden; `options` as the kind needs them.

    error: the message beside it, if a POST was refused.
    """

    name: str
    label: str = ""
    kind: str = "line"
    value: str = ""
    hint: str = ""
    options: Sequence[Any] = ()
    required: bool = False
    limit: int = 500
    error: str = ""


def reason_input(reader: str, *, required: bool = True, label: str = "Why") -> Field:
    """Return the input for a reason, which goes into the journal. `reader`: who will read it; may be empty."""
    hint = f"{reader} reads this. It goes into the journal." if reader else "It goes into the journal."
    return Field("reason", label, "text", hint=hint, required=required)


def confirm(
    request: HttpRequest, context: dict[str, Any], fields: Sequence[Field], action: Callable[[], HttpResponse]
) -> HttpResponse:
    """Render the page on a GET; on a POST call `action` and return its response.

    `context` is for `confirmation.html`. Errors of the `fields` are displayed beside them; every other refusal is
    raised, and becomes a page of its own.
    """
    errors: dict[str, str] = {}
    if request.method == "POST":
        try:
            return action()
        except Invalid as refusal:
            errors = {error["field"]: error["detail"] for error in refusal.errors}
            if not errors.keys() & {field.name for field in fields}:
                raise
    fields = [
        replace(
            field,
            value=request.POST.get(field.name, field.value),
            error=error_words(errors[field.name]) if field.name in errors else "",
        )
        for field in fields
    ]
    return confirmation_page(request, context, fields, status=400 if errors else 200)


def confirmation_page(
    request: HttpRequest, context: dict[str, Any], fields: Sequence[Field] = (), *, status: int = 200
) -> HttpResponse:
    """Render `confirmation.html`; the template names the context that it reads."""
    return render(request, "confirmation.html", {"section": "files", **context, "fields": fields}, status=status)


def error_words(detail: str) -> str:
    return "Say it in a few words, so that it is understood." if detail == NEEDED else detail
