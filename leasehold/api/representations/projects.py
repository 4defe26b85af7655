"""Projects and members as plain dicts."""

from typing import Any

from leasehold.database import clock
from leasehold.models import Membership, Project


def project(row: Project, role: str | None) -> dict[str, Any]:
    """`role` is the caller's own in the project, or None."""
    return {
        "slug": row.slug,
        "name": row.name,
        "role": role,
        "write_policy": row.write_policy,
        "two_person": row.two_person,
        "created_at": clock.as_iso(row.created_at),
    }


def member(row: Membership) -> dict[str, Any]:
    return {"user": row.user.username, "name": row.user.name, "kind": row.user.kind, "role": row.role}
