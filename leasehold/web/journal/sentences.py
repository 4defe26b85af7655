"""Journal entries as sentences. The upper floor adds the sentences of its kinds, and names its subjects."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.urls import reverse

from leasehold.actors import Actor
from leasehold.models import Entry, User
from leasehold.registry import Registry
from leasehold.selectors import projects_for, tickets_for
from leasehold.templatetags.parts import span

Data = dict[str, Any]
#: icon, the text after the actor's name, and the key in the entry's data that has the reason, or ""
Sentence = tuple[str, Callable[[Data], str], str]


@dataclass(frozen=True, slots=True)
class JournalLine:
    """An entry as one reader sees it. `why`, in a quieter colour: its purpose, reason or comment."""

    at: datetime
    role: str
    icon: str
    text: str
    why: str
    entry: Entry


@dataclass(frozen=True, slots=True)
class Subject:
    """What an entry is about, as text. `url` is empty if the reader has no page about it."""

    words: str
    url: str


def name_of(participant: Any) -> str:
    """Return the name in `user:alice`; `somebody` without one."""
    return str(participant or "somebody").partition(":")[2] or "somebody"


def _project_changes(data: Data) -> str:
    changes = []
    if "name" in data:
        changes.append(f"called it {data['name']}")
    if "write_policy" in data:
        changes.append("let agents commit" if data["write_policy"] == "direct" else "let agents only propose")
    if "two_person" in data:
        changes.append(
            "asked for two people on a ticket" if data["two_person"] else "let authors approve their tickets"
        )
    return ", ".join(changes) or "changed its settings"


def _member_change(data: Data) -> str:
    who, role = name_of(data.get("member")), data.get("role")
    return f"made {who} {role}" if data.get("role_before") else f"added {who} as {role}"


#: kind → its sentence
SENTENCES: Registry[str, Sentence] = Registry(
    {
        "account_activated": ("person", lambda _: "let the account in again", ""),
        "account_created": ("add", lambda data: f"made an account for {data.get('name')}", ""),
        "account_deactivated": ("blocked", lambda _: "deactivated the account", ""),
        "lease_lapsed": (
            "lapsed",
            lambda data: f"{name_of(data.get('held_by') or data.get('holder'))}’s lease lapsed",
            "",
        ),
        "member_added": ("person", _member_change, ""),
        "member_removed": ("discard", lambda data: f"removed {name_of(data.get('member'))}", ""),
        "pass_acquired": ("pass", lambda data: f"began pass {data.get('pass_id')}", ""),
        "pass_broken": ("break", lambda data: f"broke pass {data.get('pass_id') or ''}".strip(), "reason"),
        "pass_released": ("free", lambda _: "gave the pass back", ""),
        "password_set": ("token", lambda _: "set the password", ""),
        "profile_changed": ("person", lambda _: "changed the profile", ""),
        "project_changed": ("project", _project_changes, ""),
        "project_created": ("project", lambda _: "made the project", ""),
        "session_blocked": ("blocked", lambda data: f"blocked it, session {data.get('session')}", "note"),
        "session_checkpointed": (
            "session",
            lambda data: f"sent a checkpoint, good for {span(int(data.get('ttl') or 0))}",
            "note",
        ),
        "session_expired": (
            "lapsed",
            lambda data: f"{name_of(data.get('worker'))}’s session {data.get('session')} lapsed; the ticket is blocked",
            "",
        ),
        "session_resumed": (
            "play",
            lambda data: f"resumed it for {name_of(data.get('worker'))}, session {data.get('session')}",
            "",
        ),
        "session_started": ("play", lambda data: f"started session {data.get('session')}", ""),
        "session_stop_requested": ("pause", lambda data: f"asked session {data.get('session')} to stop", "reason"),
        "session_submitted": ("review", lambda data: f"submitted session {data.get('session')}", "note"),
        "staff_rights_set": ("person", lambda _: "set what the account may do in the administration", ""),
        "ticket_accepted": ("done", lambda _: "accepted it", ""),
        "ticket_approved": ("approve", lambda _: "approved it", ""),
        "ticket_cancelled": ("cancelled", lambda _: "cancelled it", "reason"),
        "ticket_created": ("draft", lambda _: "wrote it", ""),
        "ticket_edited": ("draft", lambda _: "edited it", ""),
        "ticket_sent_back": ("send-back", lambda _: "sent it back", "reason"),
        "token_created": ("token", lambda data: f"made the token “{data.get('name')}”", ""),
        "token_revoked": ("token", lambda data: f"revoked the token “{data.get('name')}”", ""),
    }
)
#: kind → role (a class of the stylesheet), where it is not the actor's
ROLES: Registry[str, str] = Registry(
    {
        "lease_lapsed": "is-lapsed",
        "pass_broken": "is-danger",
        "session_blocked": "is-stale",
        "session_expired": "is-lapsed",
        "session_stop_requested": "is-stale",
        "session_submitted": "is-proposal",
        "ticket_accepted": "is-free",
        "ticket_cancelled": "is-danger",
        "ticket_sent_back": "is-stale",
    }
)
#: kinds without an actor: the sentence is complete without a name
IMPERSONAL = {"lease_lapsed", "session_expired"}


def journal_lines(actor: Actor, entries: Iterable[Entry]) -> list[JournalLine]:
    """Return one line for each entry, as `actor` reads it. An entry of an unknown kind reads as the kind's name."""
    return [journal_line(actor, entry) for entry in entries]


def journal_line(actor: Actor, entry: Entry) -> JournalLine:
    unknown: Sentence = ("info", lambda _: entry.kind.replace("_", " "), "")
    icon, words, why = SENTENCES.get(entry.kind, unknown)
    text = words(entry.data)
    if entry.kind in IMPERSONAL:
        return JournalLine(entry.at, ROLES[entry.kind], icon, text, "", entry)
    is_mine = entry.participant == actor.participant
    role = "is-mine" if is_mine else "is-agent" if entry.participant.startswith("agent:") else "is-person"
    who = "You" if is_mine else name_of(entry.participant)
    if entry.participant.startswith("system:"):
        who = f"The {who}" if who == "command" else "The system"
    return JournalLine(
        at=entry.at,
        role=ROLES.get(entry.kind, role),
        icon=icon,
        text=f"{who} {text}",
        why=str(entry.data.get(why) or ""),
        entry=entry,
    )


#: kind → its label in the journal's filter: its sentence without a name
KIND_LABELS: Registry[str, str] = Registry(
    {
        "account_activated": "Let an account in again",
        "account_created": "Made an account",
        "account_deactivated": "Deactivated an account",
        "lease_lapsed": "Lapsed: a lease",
        "member_added": "Added a member, or made one something else",
        "member_removed": "Removed a member",
        "pass_acquired": "Began a pass",
        "pass_broken": "Broke a pass",
        "pass_released": "Gave a pass back",
        "password_set": "Set a password",
        "profile_changed": "Changed a profile",
        "project_changed": "Changed a project’s settings",
        "project_created": "Made a project",
        "session_blocked": "Blocked a session",
        "session_checkpointed": "Sent a checkpoint",
        "session_expired": "Lapsed: a session",
        "session_resumed": "Resumed a ticket",
        "session_started": "Started a session",
        "session_stop_requested": "Asked a session to stop",
        "session_submitted": "Submitted a session",
        "staff_rights_set": "Set what an account may do",
        "ticket_accepted": "Accepted a ticket",
        "ticket_approved": "Approved a ticket",
        "ticket_cancelled": "Cancelled a ticket",
        "ticket_created": "Wrote a ticket",
        "ticket_edited": "Edited a ticket",
        "ticket_sent_back": "Sent a ticket back",
        "token_created": "Made a token",
        "token_revoked": "Revoked a token",
    }
)


def kind_label(kind: str) -> str:
    return KIND_LABELS.get(kind) or kind.replace("_", " ").capitalize()


SubjectNames = Callable[[Actor, list[int]], dict[int, Subject]]


def ticket_subjects(actor: Actor, ids: list[int]) -> dict[int, Subject]:
    rows = tickets_for(actor).filter(pk__in=ids).values_list("pk", "title")
    return {pk: Subject(f"{pk} {title}", reverse("ticket", args=[pk])) for pk, title in rows}


def project_subjects(actor: Actor, ids: list[int]) -> dict[int, Subject]:
    rows = projects_for(actor).filter(pk__in=ids).values_list("pk", "name", "slug")
    return {pk: Subject(name, reverse("project", args=[slug])) for pk, name, slug in rows}


def account_subjects(actor: Actor, ids: list[int]) -> dict[int, Subject]:
    rows = User.objects.filter(pk__in=ids).values_list("pk", "username")
    has_page = actor.user.is_superuser
    return {pk: Subject(name, reverse("person", args=[pk]) if has_page else "") for pk, name in rows}


#: kind of subject → the function that names all subjects of this kind on a page
SUBJECT_NAMES: Registry[str, SubjectNames] = Registry(
    {
        "ticket": ticket_subjects,
        "project": project_subjects,
        "user": account_subjects,
    }
)


def subjects_of(actor: Actor, entries: Sequence[Entry]) -> dict[str, Subject]:
    """Return subject → its words and URL. One statement for each kind of subject on the page."""
    ids: dict[str, set[int]] = {}
    for entry in entries:
        kind, _, number = entry.subject.partition(":")
        if number.isdecimal():
            ids.setdefault(kind, set()).add(int(number))
    found: dict[str, Subject] = {}
    for kind, numbers in ids.items():
        if kind in SUBJECT_NAMES:
            found |= {f"{kind}:{pk}": subject for pk, subject in SUBJECT_NAMES[kind](actor, sorted(numbers)).items()}
    return found
