"""How things look on the wire: plain dicts, built by hand. `plain` makes them JSON."""

from datetime import datetime
from typing import Any
from uuid import UUID

from leasehold import clock
from leasehold.actors import Actor
from leasehold.leases import HeldLease
from leasehold.models import Entry, Membership, Project, Token, User


def plain(value: Any) -> Any:
    """`value` as JSON knows it: times in UTC with `Z`, leases as section 10 of the design shows them."""
    match value:
        case datetime():
            return clock.text(value)
        case HeldLease():
            return plain(value.as_facts())
        case dict():
            return {key: plain(item) for key, item in value.items()}
        case list() | tuple() | set() | frozenset():
            return [plain(item) for item in value]
        case UUID():
            return str(value)
    return value


def lease_row(lease: HeldLease) -> dict[str, Any]:
    """A lease in a list, where lapsed ones stand too."""
    return plain({**lease.as_facts(), "is_lapsed": lease.is_lapsed})


def account(user: User) -> dict[str, Any]:
    return {"username": user.username, "name": user.name, "kind": user.kind, "participant": user.participant}


def me(actor: Actor, memberships: list[Membership]) -> dict[str, Any]:
    return {
        **account(actor.user),
        "time_zone": actor.user.time_zone,
        "is_superuser": actor.user.is_superuser,
        "scope": str(actor.scope),
        "memberships": [
            {"project": {"slug": one.project.slug, "name": one.project.name}, "role": one.role} for one in memberships
        ],
    }


def project(row: Project, role: str | None) -> dict[str, Any]:
    """With the caller's own role in it."""
    return {
        "slug": row.slug,
        "name": row.name,
        "role": role,
        "write_policy": row.write_policy,
        "two_person": row.two_person,
        "created_at": clock.text(row.created_at),
    }


def member(row: Membership) -> dict[str, Any]:
    return {"user": row.user.username, "name": row.user.name, "kind": row.user.kind, "role": row.role}


def entry(row: Entry) -> dict[str, Any]:
    return {
        "id": row.pk,
        "at": clock.text(row.at),
        "kind": row.kind,
        "participant": row.participant,
        "subject": row.subject,
        "project": row.project.slug if row.project else None,
        "request_id": row.request_id,
        "data": row.data,
    }


def token(row: Token) -> dict[str, Any]:
    """Never with its text, which is not stored."""
    return {
        "id": row.pk,
        "name": row.name,
        "scope": row.scope,
        "created_at": clock.text(row.created_at),
        "expires_at": clock.text(row.expires_at),
        "revoked_at": clock.text(row.revoked_at),
        "last_used_at": clock.text(row.last_used_at),
    }
