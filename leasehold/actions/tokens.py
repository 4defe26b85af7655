"""Create and revoke tokens. A token's text is returned once; only its digest is stored."""

import secrets
from datetime import datetime, timedelta
from hashlib import sha256

from django.db.models import Q

from leasehold import names
from leasehold.actions import action
from leasehold.actions.accounts import write_account_entry
from leasehold.actors import Actor
from leasehold.database import clock
from leasehold.exceptions import Forbidden, Invalid
from leasehold.models import Scope, Token, User

PREFIX = "lh_"  # so that people and secret scanners recognise a token
MAX_DAYS = 3650
NOTED_EVERY = timedelta(hours=1)


def digest_of(text: str) -> str:
    """Return the digest under which a token is stored. SHA-256 is enough: 32 random bytes cannot be guessed."""
    return sha256(text.encode(errors="surrogatepass")).hexdigest()


@action
def create_token(
    *, actor: Actor | None, user: User, name: str, scope: str | None = None, days: int = 90
) -> tuple[Token, str]:
    """Create a token and return it with its text.

    Accounts create their own; superusers and the command line (actor None) create anybody's. The default scope is
    `admin` for a person and `write` for an agent.
    """
    _demand_may_manage(actor, user)
    if scope is None:
        scope = Scope.WRITE if user.is_agent else Scope.ADMIN
    if scope not in Scope.values:
        raise Invalid.of("scope", f"Expected one of {', '.join(Scope.values)}.")
    if isinstance(days, bool) or not isinstance(days, int) or not 1 <= days <= MAX_DAYS:
        raise Invalid.of("days", f"Expected 1 to {MAX_DAYS} days.")
    if not user.is_active:
        raise Invalid.of("user", "This account is disabled.")
    text = PREFIX + secrets.token_urlsafe(32)
    at = clock.now()
    token = Token.objects.create(
        user=user,
        name=names.checked_text(name, "name", 100, needed=True),
        digest=digest_of(text),
        scope=scope,
        created_at=at,
        expires_at=at + timedelta(days=days),
    )
    _write_entry("token_created", at, token, actor)
    return token, text


@action
def revoke_token(*, actor: Actor | None, token: Token) -> None:
    """Revoke a token at once. For its owner, superusers and the command line. Revoking it again changes nothing."""
    _demand_may_manage(actor, token.user)
    at = clock.now()
    if Token.objects.filter(pk=token.pk, revoked_at=None).update(revoked_at=at):
        _write_entry("token_revoked", at, token, actor)


def note_use(token: Token, at: datetime) -> None:
    """Store when the token was used, at most once an hour; otherwise even a refused request would cost a write."""
    if token.last_used_at and at - token.last_used_at < NOTED_EVERY:
        return
    due = Q(last_used_at=None) | Q(last_used_at__lte=at - NOTED_EVERY)
    Token.objects.filter(due, pk=token.pk).update(last_used_at=at)


def _demand_may_manage(actor: Actor | None, user: User) -> None:
    """Raise `Forbidden` unless the actor has the scope `admin` and may manage this account's tokens."""
    if actor is None:
        return
    if actor.scope != Scope.ADMIN or (actor.user.pk != user.pk and not actor.user.is_superuser):
        raise Forbidden


def _write_entry(kind: str, at: datetime, token: Token, actor: Actor | None) -> None:
    write_account_entry(kind, actor, token.user, at, token=token.pk, name=token.name, scope=token.scope)
