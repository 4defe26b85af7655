"""Accounts by name, an account's tokens, and everything that it holds at the moment."""

from django.db.models import QuerySet

from leasehold import names
from leasehold.exceptions import Invalid, NotFound
from leasehold.models import Lease, Session, Token, User
from leasehold.ports import Holding, holdings_of
from leasehold.selectors.leases import _with_prefix


def account_named(username: str, field: str, *, unknown: str = "There is no account of this name.") -> User:
    """Return the account of this name, ignoring case. Raises `Invalid` on `field`; `unknown` is its detail."""
    found = User.objects.named(names.checked_text(username, field, 150, needed=True)).first()
    if found is None:
        raise Invalid.of(field, unknown)
    return found


def list_holdings(user: User) -> list[Holding]:
    """Return what an account holds: its active sessions, its passes, and what the floor above adds through `ports`."""
    sessions = Session.objects.filter(worker=user, status=Session.Status.ACTIVE).order_by("pk")
    passes = Lease.objects.filter(_with_prefix("resource", "role:"), participant=user.participant).exclude(holder="")
    return [
        *(Holding(f"session {session.pk} at ticket {session.ticket_id}", "") for session in sessions),
        *(Holding(f"the pass {lease.resource.removeprefix('role:')}", "") for lease in passes.order_by("resource")),
        *holdings_of(user),
    ]


def tokens_of(user: User) -> QuerySet[Token]:
    """Return the account's tokens, also those that have ended, the newest first."""
    return Token.objects.filter(user=user).select_related("user").order_by("-id")


def token_of(user: User, token_id: int) -> Token:
    """Return one of the account's tokens. Raises `NotFound` for any other id."""
    if (found := tokens_of(user).filter(pk=token_id).first()) is None:
        raise NotFound
    return found
