"""What one may do in the admin: an act, its page, and how a refusal reads.

A button or a bulk action leads to a page that says what will happen and asks what must be asked. Its form calls the
action once for each row on its own, and the answer says which were refused and why.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from django import forms
from django.db.models import QuerySet
from django.http import HttpRequest

from leasehold.actors import APPROVE, BREAK, DECIDE, Actor
from leasehold.admin.columns import until_words, when
from leasehold.database.ids import id_in
from leasehold.exceptions import Invalid, Refusal, ScopeReserved
from leasehold.leases import HeldLease
from leasehold.models import User
from leasehold.ports import Holding

PERMISSIONS = (APPROVE, DECIDE, BREAK)


def actor_of(request: HttpRequest) -> Actor:
    """The account at the admin's door, with the permissions of Django's that count in every project."""
    if not isinstance(request.user, User):
        raise TypeError("nobody is signed in")
    held = frozenset(name for name in PERMISSIONS if request.user.has_perm(name))
    return Actor(user=request.user, client="admin", permissions=held)


def anyone(actor: Actor) -> bool:
    """All staff: the action itself asks for the role in the project."""
    return True


def superusers(actor: Actor) -> bool:
    return actor.user.is_superuser


def holders_of(*permissions: str) -> Callable[[Actor], bool]:
    """Staff with any of these permissions."""
    return lambda actor: bool(actor.permissions.intersection(permissions))


@dataclass(frozen=True, slots=True)
class Said:
    """What an act came to, in a sentence. `secret` is shown once and kept nowhere; `url`: where to go on."""

    text: str
    secret: str = ""
    url: str = ""


@dataclass(frozen=True, slots=True)
class Asked:
    """One row to be acted on (none for what makes something new), as the reader saw it, and the form's values."""

    actor: Actor
    row: Any
    seen: str
    values: dict[str, Any]

    @property
    def since(self) -> datetime:
        """`seen`, where the page carries the time since which the row's state stood."""
        try:
            return datetime.fromisoformat(self.seen).astimezone(UTC)
        except (ValueError, OverflowError) as error:
            raise Invalid.of("page", "It does not say what you saw. Open it again.") from error


@dataclass(frozen=True, slots=True, kw_only=True)
class Act:
    """`will` says what will happen. `may`: does the account see it at all? `fits`: does it make sense on this row?

    Neither is a rule: the action judges. `of_list` acts on no row. `carries` is what the page keeps of a row's state,
    for the action's WHERE. `holdings` is shown before the act; `starts_with` is what stands in the form at first.
    """

    name: str
    label: str
    will: str
    run: Callable[[Asked], Said]
    form: type[forms.Form] = forms.Form
    may: Callable[[Actor], bool] = anyone
    fits: Callable[[Actor, Any], bool] = lambda actor, row: True
    of_list: bool = False
    is_bulk: bool = False
    is_grave: bool = False
    carries: Callable[[Any], str] = lambda row: ""
    holdings: Callable[[Any], Sequence[Holding]] | None = None
    starts_with: Callable[[Any], dict[str, Any]] = lambda row: {}


def reason_field(*, required: bool = True, help_text: str = "The people concerned will read it.") -> forms.CharField:
    return forms.CharField(
        max_length=500, required=required, widget=forms.Textarea(attrs={"rows": 3, "cols": 60}), help_text=help_text
    )


class Reason(forms.Form):
    reason = reason_field()


def account_named(field: str, username: str) -> User:
    """The account of this name, whatever its case."""
    try:
        return User.objects.get_by_natural_key(username.strip())
    except User.DoesNotExist as error:
        raise Invalid.of(field, "There is no account of this name.") from error


def words(refusal: Refusal) -> str:
    """A refusal for people: its sentence, and who holds what, since when and until when."""
    said = str(refusal) if isinstance(refusal, Invalid) else refusal.detail
    if isinstance(refusal, ScopeReserved):
        said = refusal.words
    leases = [getattr(refusal, "lease", None), *(getattr(refusal, "leases", None) or [])]
    return " ".join([said, *(held_by(lease) for lease in leases if isinstance(lease, HeldLease))])


def held_by(lease: HeldLease) -> str:
    purpose = f", for “{lease.purpose}”" if lease.purpose else ""
    return (
        f"Held by {lease.participant or lease.holder} since {when(lease.acquired_at)}, {until_words(lease)}{purpose}."
    )


def by_id(rows: QuerySet[Any], term: str) -> QuerySet[Any]:
    """The row of this number, or nothing."""
    return rows.none() if (number := id_in(term)) is None else rows.filter(pk=number)
