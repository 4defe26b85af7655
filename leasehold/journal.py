"""Write the journal: append-only, one entry for each change, in the transaction of that change.

`KINDS` lists every kind of entry; the floor above adds its own kinds when it starts.
"""

from datetime import datetime
from typing import Any

from django.db.models import Expression, F, QuerySet, Value
from django.db.models.functions import JSONObject

from leasehold.actors import Actor
from leasehold.database.sets import insert, insert_from
from leasehold.models import Entry
from leasehold.registry import Registry
from leasehold.request_ids import request_id

#: kind of entry → what it means
KINDS: Registry[str, str] = Registry(
    {
        "account_activated": "An account may sign in again.",
        "account_created": "An account was made.",
        "account_deactivated": "An account was stopped: its tokens and sign-ins end at once.",
        "lease_lapsed": "A lease ran out and was written down as free.",
        "member_added": "Somebody became a member, or changed role.",
        "member_removed": "Somebody is no longer a member.",
        "pass_acquired": "A pass took the lock of its role and context.",
        "pass_broken": "Staff ended a pass.",
        "pass_released": "A pass gave its lock back.",
        "password_set": "A password was set.",
        "profile_changed": "Somebody changed their name or time zone.",
        "project_changed": "A project's settings were changed.",
        "project_created": "A project was made.",
        "session_blocked": "A worker could not go on.",
        "session_checkpointed": "A worker gave a sign of life.",
        "session_expired": "A session ran out; its ticket is blocked.",
        "session_resumed": "An operator let a blocked ticket go on.",
        "session_started": "A worker took a ticket; its scope is reserved.",
        "session_stop_requested": "An operator asked a worker to stop.",
        "session_submitted": "A worker submitted the work for review.",
        "staff_rights_set": "What somebody may do in the admin was set.",
        "ticket_accepted": "The work was accepted; the reservation is freed.",
        "ticket_approved": "An operator approved a ticket.",
        "ticket_cancelled": "A ticket was cancelled.",
        "ticket_created": "A ticket was drafted.",
        "ticket_edited": "A ticket's text or scope was changed.",
        "ticket_sent_back": "A ticket was sent back; the reservation is freed.",
        "token_created": "A token was made.",
        "token_revoked": "A token was revoked.",
    }
)

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
    """Append one entry and return it.

    `at`: the clock as the action read it. `data`: JSON values. Without `actor` and `participant` the entry names the
    system. Raises `ValueError` for an unknown kind.
    """
    return Entry.objects.create(**_columns(kind, at, subject, actor, participant, project_id, data))


def write_many(entries: list[dict[str, Any]]) -> None:
    """Append many entries in one statement; each is a dict of the arguments of `write`."""
    insert(
        Entry,
        [
            _columns(
                entry.pop("kind"),
                entry.pop("at"),
                entry.pop("subject"),
                entry.pop("actor", None),
                entry.pop("participant", ""),
                entry.pop("project_id", None),
                entry,
            )
            for entry in map(dict, entries)
        ],
    )


def write_from(
    rows: QuerySet[Any, Any], kind: str, *, at: datetime, subject: Expression, project: F, **data: Expression | F
) -> None:
    """Append one entry of the system for each of `rows`, in one statement.

    `subject`, `project` and `data` are expressions over those rows.
    """
    insert_from(
        rows,
        Entry,
        kind=Value(_known(kind)),
        at=Value(at),
        participant=Value(SYSTEM),
        subject=subject,
        project=project,
        request_id=Value(request_id.get()),
        data=JSONObject(**data),
    )


def _columns(
    kind: str,
    at: datetime,
    subject: str,
    actor: Actor | None,
    participant: str,
    project_id: int | None,
    data: dict[str, Any],
) -> dict[str, Any]:
    return {
        "kind": _known(kind),
        "at": at,
        "subject": subject,
        "actor_id": actor.user.pk if actor else None,
        "participant": participant or (actor.participant if actor else SYSTEM),
        "project_id": project_id,
        "request_id": request_id.get(),
        "data": data,
    }


def _known(kind: str) -> str:
    if kind not in KINDS:
        raise ValueError(f"{kind!r} is not a kind of journal entry")
    return kind
