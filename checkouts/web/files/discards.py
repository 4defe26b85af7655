"""The confirmation page before check-outs are discarded."""

from collections.abc import Callable, Sequence
from typing import Any

from django.http import HttpRequest, HttpResponse

from checkouts import wording
from checkouts.actions.holds import discard
from checkouts.models import Checkout
from checkouts.web.reports import count_text, list_text
from leasehold.actors import Actor
from leasehold.web.confirmation import Field, confirmation_page
from leasehold.web.holds import Hold


def confirm_discard(
    request: HttpRequest, checkouts: Sequence[Checkout], *, back: str, fields: Sequence[Field] = (), **context: Any
) -> HttpResponse:
    """Return the confirmation page. Its form posts to the page's own address. `fields`: hidden fields of that form.

    `hold`: for a single check-out, who holds the file now, if anybody.
    """
    names = sorted(checkout.artifact.name for checkout in checkouts)
    texts = _texts_of_one(names[0], context.get("hold")) if len(names) == 1 else _texts_of_many(names)
    context = {"button_icon": "discard", "button_class": "btn-danger", "back": back, **texts, **context}
    return confirmation_page(request, context, fields)


def discard_verb(actor: Actor, checkout: Checkout) -> Callable[[], Checkout]:
    """Return a call without arguments that discards the check-out, for `BatchReport.run`."""
    return lambda: discard(actor=actor, checkout_id=checkout.pk)


def _texts_of_one(name: str, hold: Hold | None) -> dict[str, Any]:
    taken = ("held", f"{hold.name} has the file now, and keeps it.") if hold and not hold.is_mine else None
    return {
        "heading": f"Discard your check-out of {name}?",
        "sub": "Nothing that you have changed is committed.",
        "will": wording.discard_effects(1, free=taken),
        "button": "Discard",
        "back_label": "Keep it",
    }


def _texts_of_many(names: list[str]) -> dict[str, Any]:
    return {
        "heading": f"Discard your check-outs of {count_text(len(names))}?",
        "sub": f"{list_text(names)}.",
        "will": wording.discard_effects(len(names)),
        "button": f"Discard {count_text(len(names), 'check-out')}",
        "back_label": "Keep them",
    }
