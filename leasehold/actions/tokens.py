"""Tokens: a program's key. The text is shown once; only its digest is stored."""

import secrets
from datetime import datetime, timedelta
from hashlib import sha256

from django.db.models import Q

from leasehold import journal, names
from leasehold.actions import action
from leasehold.actions.accounts import COMMAND_LINE
from leasehold.actors import Actor
from leasehold.database import clock
from leasehold.exceptions import Forbidden, Invalid
from leasehold.models import Scope, Token, User

PREFIX = "lh_"  # lets secret scanners, and people, know one when they see it
MAX_DAYS = 3650
NOTED_EVERY = timedelta(hours=1)


def digest_of(text: str) -> str:
    """32 random bytes need no slow hash: there is nothing to guess."""
    return sha256(text.encode(errors="surrogatepass")).hexdigest()


@action
def create_token(
    *, actor: Actor | None, user: User, name: str, scope: str | None = None, days: int = 90
) -> tuple[Token, str]:
    """Make a token for oneself, or as a superuser or on the command line for any account; returns it and its text.

    Without a scope a person's reaches as far as the role does (`admin`), an agent's as far as an editor's (`write`).
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
        name=names.text(name, "name", 100, needed=True),
        digest=digest_of(text),
        scope=scope,
        created_at=at,
        expires_at=at + timedelta(days=days),
    )
    _write("token_created", at, token, actor)
    return token, text


@action
def revoke_token(*, actor: Actor | None, token: Token) -> None:
    """End a token at once: its owner, a superuser or the command line. Ending it again changes nothing."""
    _demand_may_manage(actor, token.user)
    at = clock.now()
    if Token.objects.filter(pk=token.pk, revoked_at=None).update(revoked_at=at):
        _write("token_revoked", at, token, actor)


def note_use(token: Token, at: datetime) -> None:
    """Write down that the token was used, at most hourly: a request that is refused must not cost a write."""
    if token.last_used_at and at - token.last_used_at < NOTED_EVERY:
        return
    due = Q(last_used_at=None) | Q(last_used_at__lte=at - NOTED_EVERY)
    Token.objects.filter(due, pk=token.pk).update(last_used_at=at)


def _demand_may_manage(actor: Actor | None, user: User) -> None:
    """A token that could make tokens would outlive its own end, so the reach must be whole."""
    if actor is None:
        return
    if actor.scope != Scope.ADMIN or (actor.user.pk != user.pk and not actor.user.is_superuser):
        raise Forbidden


def _write(kind: str, at: datetime, token: Token, actor: Actor | None) -> None:
    journal.write(
        kind,
        at=at,
        subject=f"user:{token.user_id}",
        actor=actor,
        participant="" if actor else COMMAND_LINE,
        token=token.pk,
        name=token.name,
        scope=token.scope,
    )
