"""Journal entries as plain dicts."""

from typing import Any

from leasehold.database import clock
from leasehold.models import Entry


def entry(row: Entry) -> dict[str, Any]:
    return {
        "id": row.pk,
        "at": clock.as_iso(row.at),
        "kind": row.kind,
        "participant": row.participant,
        "subject": row.subject,
        "project": row.project.slug if row.project else None,
        "request_id": row.request_id,
        "data": row.data,
    }
