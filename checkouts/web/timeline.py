"""The journal of one file as sentences."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from leasehold.actors import Actor
from leasehold.models import Entry

Data = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Line:
    """`why` is said more quietly: a purpose, a reason, a comment."""

    at: datetime
    role: str
    drawing: str
    text: str
    why: str


#: kind → icon, what it says after the actor's name, and which fact of the entry is the why
SAID: dict[str, tuple[str, Callable[[Data], str], str]] = {
    "artifact_added": ("add", lambda _: "added the file", "comment"),
    "artifact_archived": ("delete", lambda _: "archived it", ""),
    "artifact_renamed": ("same", lambda data: f"renamed it from {data.get('before')}", ""),
    "artifact_unarchived": ("restore", lambda _: "brought it back from the archive", ""),
    "checkout_broken": ("break", lambda data: f"ended {_name(data.get('holder'))}’s check-out", "reason"),
    "checkout_discarded": ("discard", lambda _: "discarded the check-out", ""),
    "checkout_extended": ("extend", lambda _: "extended the check-out", ""),
    "checkout_handed_over": ("hand-over", lambda data: f"handed it over to {_name(data.get('to'))}", "reason"),
    "checkout_opened": ("check-out", lambda data: f"checked out version {data.get('version')}", "purpose"),
    "checkout_taken_over": ("take-over", lambda data: f"took it over from {_name(data.get('holder'))}", "reason"),
    "edit_broken": ("break", lambda data: f"ended {_name(data.get('holder'))}’s edit", "reason"),
    "edit_discarded": ("discard", lambda _: "ended an edit without a change", ""),
    "edit_opened": ("agent", lambda data: f"opened version {data.get('version')} to edit it", "purpose"),
    "lease_lapsed": ("lapsed", lambda data: f"{_name(data.get('held_by'))}’s lease lapsed", ""),
    "proposal_accepted": ("approve", lambda data: f"accepted proposal {data.get('proposal')}", "reason"),
    "proposal_kept": ("proposal", lambda data: f"sent what is kept as proposal {data.get('proposal')}", "comment"),
    "proposal_rebuilt": ("rebuild", lambda data: f"rebuilt proposal {data.get('proposal')}", ""),
    "proposal_rejected": ("cancelled", lambda data: f"rejected proposal {data.get('proposal')}", "reason"),
    "proposal_withdrawn": ("send-back", lambda data: f"withdrew proposal {data.get('proposal')}", ""),
    "version_committed": ("check-in", lambda data: f"checked in version {data.get('version')}", "comment"),
    "version_restored": ("restore", lambda data: f"restored version {data.get('restored')}", "comment"),
    "version_unchanged": ("same", lambda data: f"checked in version {data.get('version')} as it was", ""),
    "write_policy_changed": (
        "agent",
        lambda data: f"set what agents may do: {data.get('policy') or 'as the project says'}",
        "",
    ),
}
ROLES = {"checkout_broken": "is-danger", "checkout_taken_over": "is-danger", "proposal_kept": "is-proposal"}


def lines(actor: Actor, entries: Iterable[Entry]) -> list[Line]:
    """One line for each entry, as `actor` reads it. A kind that is not known here is said by its name."""
    return [line(actor, entry) for entry in entries]


def line(actor: Actor, entry: Entry) -> Line:
    drawing, say, why = SAID.get(entry.kind, ("info", lambda _: entry.kind.replace("_", " "), ""))
    text = say(entry.data)
    if entry.kind == "lease_lapsed":
        return Line(entry.at, "is-lapsed", drawing, text, "")
    is_mine = entry.participant == actor.participant
    role = "is-mine" if is_mine else "is-agent" if entry.participant.startswith("agent:") else "is-person"
    who = "You" if is_mine else _name(entry.participant)
    return Line(entry.at, ROLES.get(entry.kind, role), drawing, f"{who} {text}", str(entry.data.get(why) or ""))


def _name(participant: Any) -> str:
    return str(participant or "somebody").partition(":")[2] or "somebody"
