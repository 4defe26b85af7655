"""Files and their versions."""

from typing import Any

from checkouts.models import Artifact, Version
from leasehold.database import clock
from leasehold.http.json_values import to_json
from leasehold.leases import HeldLease


def artifact(row: Artifact, lease: HeldLease | None) -> dict[str, Any]:
    """`row` with its project, its head and the head's author; `lease` only while it is live."""
    return {
        "id": row.pk,
        "project": row.project.slug,
        "path": row.path,
        "name": row.name,
        "head": version(row.newest),
        "lease": to_json(lease),
        "write_policy": row.write_policy or None,
        "effective_write_policy": row.policy,
        "created_at": clock.as_iso(row.created_at),
        "archived_at": clock.as_iso(row.archived_at),
    }


def version(row: Version) -> dict[str, Any]:
    return {
        "number": row.number,
        "digest": row.digest,
        "size": row.size,
        "author": row.author.username,
        "participant": row.author.participant,
        "comment": row.comment,
        "provenance": row.provenance,
        "created_at": clock.as_iso(row.created_at),
    }
