"""The journal: append-only, one entry for each domain transition, written in its transaction.

`KINDS` is the closed list of what can happen; the floor above adds its own when it starts.
"""

from datetime import datetime
from typing import Any

from leasehold.actors import Actor
from leasehold.middleware import request_id
from leasehold.models import Entry

#: kind → what it says
KINDS: dict[str, str] = {
    "account_created": "An account was made.",
    "lease_lapsed": "A lease ran out and was written down as free.",
    "member_added": "Somebody became a member, or changed role.",
    "member_removed": "Somebody is no longer a member.",
    "password_set": "A password was set.",
    "project_changed": "A project's settings were changed.",
    "project_created": "A project was made.",
    "token_created": "A token was made.",
    "token_revoked": "A token was revoked.",
}

SYSTEM = "system:reconcile"


def write(
    kind: str,
    *,
    at: datetime,
    subject: str,
    actor: Actor | None = None,
    participant: str = "",
    project_id: int | None = None,
    **data: Any,
) -> Entry:
    """Append one entry. `at` is the action's own reading of the clock; `data` must be JSON. Without an actor the
    system itself acts."""
    return Entry.objects.create(**_fields(kind, at, subject, actor, participant, project_id, data))


def write_many(entries: list[dict[str, Any]]) -> None:
    """Append many entries at once; each a dict of what `write` takes."""
    Entry.objects.bulk_create(
        [
            Entry(
                **_fields(
                    entry.pop("kind"),
                    entry.pop("at"),
                    entry.pop("subject"),
                    entry.pop("actor", None),
                    entry.pop("participant", ""),
                    entry.pop("project_id", None),
                    entry,
                )
            )
            for entry in map(dict, entries)
        ],
        batch_size=500,
    )


def _fields(
    kind: str,
    at: datetime,
    subject: str,
    actor: Actor | None,
    participant: str,
    project_id: int | None,
    data: dict[str, Any],
) -> dict[str, Any]:
    if kind not in KINDS:
        raise ValueError(f"{kind!r} is not a kind of journal entry")
    return {
        "kind": kind,
        "at": at,
        "subject": subject,
        "actor": actor.user if actor else None,
        "participant": participant or (actor.participant if actor else SYSTEM),
        "project_id": project_id,
        "request_id": request_id.get(),
        "data": data,
    }
