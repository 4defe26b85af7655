"""What an action in the admin is, who may use it, and how the admin words a refusal.

A button or a bulk action leads to a page that says what will happen and holds the action's form. The form calls the
domain's action for each row on its own, and the page after it says which rows were refused, and why.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from django import forms
from django.db.models import QuerySet
from django.http import HttpRequest

from leasehold.actors import APPROVE, BREAK, DECIDE, Actor
from leasehold.admin.columns import time_text, until_text
from leasehold.database.ids import id_in
from leasehold.exceptions import Invalid, Refusal, ScopeReserved
from leasehold.leases import HeldLease
from leasehold.models import User
from leasehold.ports import Holding

PERMISSIONS = (APPROVE, DECIDE, BREAK)


def actor_of(request: HttpRequest) -> Actor:
    """Return the signed-in account as an actor, with those of Django's permissions that count in every project."""
    if not isinstance(request.user, User):
        raise TypeError("nobody is signed in")
    granted = frozenset(name for name in PERMISSIONS if request.user.has_perm(name))
    return Actor(user=request.user, client="admin", permissions=granted)


def anyone(actor: Actor) -> bool:
    """All staff: the domain's action asks for the role in the project."""
    return True


def superusers(actor: Actor) -> bool:
    return actor.user.is_superuser


def holders_of(*permissions: str) -> Callable[[Actor], bool]:
    """Staff with any of these permissions."""
    return lambda actor: bool(actor.permissions.intersection(permissions))


@dataclass(frozen=True, slots=True)
class ActionResult:
    """The result of an action in a sentence. `secret` is shown once and stored nowhere; `url`: the next page."""

    text: str
    secret: str = ""
    url: str = ""


@dataclass(frozen=True, slots=True)
class ActionCall:
    """One call of an action: on one row, or on None where it needs none.

    seen: the row's state as its reader saw it, from `AdminAction.seen_state`. values: the form's cleaned data.
    """

    actor: Actor
    row: Any
    seen: str
    values: dict[str, Any]

    @property
    def since(self) -> datetime:
        """`seen` as a time, for actions whose page carries the time of the row's last change of state."""
        try:
            return datetime.fromisoformat(self.seen).astimezone(UTC)
        except (ValueError, OverflowError) as error:
            raise Invalid.of("page", "It does not say what you saw. Open it again.") from error


@dataclass(frozen=True, slots=True, kw_only=True)
class AdminAction:
    """An action of the admin. `may` and `fits` decide only what is offered: the domain's action judges.

    name, label: its name in the address, and the text of its button. consequences: what will happen.
    run: calls the domain's action. form: what the page asks for. initial: the form's first values for a row.
    may: does the account see the action at all? fits: does the action make sense on this row?
    is_rowless: it needs no row. is_bulk: it takes several rows. is_grave: its button warns.
    seen_state: what the page keeps of the row's state, for the WHERE of the domain's action.
    holdings: what the row's account holds, listed on the page.
    """

    name: str
    label: str
    consequences: str
    run: Callable[[ActionCall], ActionResult]
    form: type[forms.Form] = forms.Form
    may: Callable[[Actor], bool] = anyone
    fits: Callable[[Actor, Any], bool] = lambda actor, row: True
    is_rowless: bool = False
    is_bulk: bool = False
    is_grave: bool = False
    seen_state: Callable[[Any], str] = lambda row: ""
    holdings: Callable[[Any], Sequence[Holding]] | None = None
    initial: Callable[[Any], dict[str, Any]] = lambda row: {}


def add_action(
    label: str,
    form: type[forms.Form],
    run: Callable[[ActionCall], ActionResult],
    consequences: str,
    may: Callable[[Actor], bool] = superusers,
) -> AdminAction:
    """Return the action that adds a row, on the page of the list."""
    return AdminAction(name="add", label=label, form=form, run=run, consequences=consequences, may=may, is_rowless=True)


def reason_field(*, required: bool = True, help_text: str = "The people concerned will read it.") -> forms.CharField:
    return forms.CharField(
        max_length=500, required=required, widget=forms.Textarea(attrs={"rows": 3, "cols": 60}), help_text=help_text
    )


class Reason(forms.Form):
    reason = reason_field()


def refusal_text(refusal: Refusal) -> str:
    """Return the refusal's sentence, and for each lease in it who holds it, since when and until when."""
    text = str(refusal) if isinstance(refusal, Invalid) else refusal.detail
    if isinstance(refusal, ScopeReserved):
        text = refusal.words
    leases = [getattr(refusal, "lease", None), *(getattr(refusal, "leases", None) or [])]
    return " ".join([text, *(holder_sentence(lease) for lease in leases if isinstance(lease, HeldLease))])


def holder_sentence(lease: HeldLease) -> str:
    holder, since = lease.participant or lease.holder, time_text(lease.acquired_at)
    purpose = f", for “{lease.purpose}”" if lease.purpose else ""
    return f"Held by {holder} since {since}, {until_text(lease)}{purpose}."


def by_id(rows: QuerySet[Any], term: str, column: str = "pk") -> QuerySet[Any]:
    """Return the rows with this id in `column`; none if `term` is no id."""
    return rows.none() if (number := id_in(term)) is None else rows.filter(**{column: number})
