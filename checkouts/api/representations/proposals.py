"""Proposals."""

from typing import Any

from checkouts.models import Proposal
from leasehold.database import clock


def proposal(row: Proposal) -> dict[str, Any]:
    return {
        "id": row.pk,
        "project": row.artifact.project.slug,
        "artifact": {"id": row.artifact_id, "path": row.artifact.path},
        "base": {"number": row.base_version.number, "digest": row.test_digest},
        "digest": row.blob.digest,
        "size": row.blob.size,
        "author": row.author.username,
        "participant": row.author.participant,
        "comment": row.comment,
        "provenance": row.provenance,
        "state": row.state,
        "created_at": clock.as_iso(row.created_at),
        "decided_at": clock.as_iso(row.decided_at),
        "decided_by": row.decided_by.username if row.decided_by else None,
        "decided_by_participant": row.decided_by.participant if row.decided_by else None,
        "reason": row.reason,
    }
