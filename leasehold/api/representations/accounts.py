"""Accounts and tokens as plain dicts."""

from typing import Any

from leasehold.actors import Actor
from leasehold.database import clock
from leasehold.models import Membership, Token, User


def account(user: User) -> dict[str, Any]:
    return {"username": user.username, "name": user.name, "kind": user.kind, "participant": user.participant}


def me(actor: Actor, memberships: list[Membership]) -> dict[str, Any]:
    return {
        **account(actor.user),
        "time_zone": actor.user.time_zone,
        "is_superuser": actor.user.is_superuser,
        "scope": str(actor.scope),
        "memberships": [
            {"project": {"slug": member.project.slug, "name": member.project.name}, "role": member.role}
            for member in memberships
        ],
    }


def token(row: Token) -> dict[str, Any]:
    """Without the token's text, which is not stored."""
    return {
        "id": row.pk,
        "name": row.name,
        "scope": row.scope,
        "created_at": clock.as_iso(row.created_at),
        "expires_at": clock.as_iso(row.expires_at),
        "revoked_at": clock.as_iso(row.revoked_at),
        "last_used_at": clock.as_iso(row.last_used_at),
    }
