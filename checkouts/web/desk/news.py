"""News for the desk, from the journal: breaks, take-overs, hand-overs, decisions and lapses."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.urls import reverse

from checkouts.models import Artifact, Checkout, Proposal
from checkouts.selectors import artifacts_for
from leasehold.actors import Actor
from leasehold.models import Entry, Session

MAX_RECORDS = 60  # the reader's last check-outs, proposals and sessions, each
MAX_ENTRIES = 200  # entries of the journal about those
MAX_NEWS = 20


@dataclass(frozen=True, slots=True)
class News:
    """One line. `text`: what happened to `name`. `why`: the reason given. `role`: a class of the stylesheet."""

    at: datetime
    role: str
    icon: str
    text: str
    name: str
    url: str
    why: str


NewsRule = tuple[str, str, str, Callable[[dict[str, Any]], str]]
NewsText = tuple[str, str, str]  # icon, role, the sentence after the actor's name

#: kind → the field of the entry's data that names the owner, the icon, the role, the sentence after the actor's name
FILE_NEWS: dict[str, NewsRule] = {
    "checkout_broken": ("holder", "break", "is-danger", lambda _: "broke your check-out of"),
    "checkout_taken_over": ("holder", "take-over", "is-danger", lambda _: "took over your check-out of"),
    "edit_broken": ("holder", "break", "is-danger", lambda _: "broke your edit of"),
    "lease_lapsed": ("held_by", "lapsed", "is-lapsed", lambda _: "Your lease lapsed on"),
    "proposal_accepted": (
        "author", "approve", "is-free",
        lambda data: f"accepted your proposal {data.get('proposal')} as version {data.get('version')} of",
    ),
    "proposal_rebuilt": (
        "author", "rebuild", "is-proposal",
        lambda data: f"rebuilt your proposal {data.get('supersedes')} as proposal {data.get('proposal')} of",
    ),
    "proposal_rejected": (
        "author", "cancelled", "is-stale", lambda data: f"rejected your proposal {data.get('proposal')} of"
    ),
}  # fmt: skip
#: kind → icon, role, the sentence after the actor's name
TICKET_NEWS: dict[str, NewsText] = {
    "session_expired": ("lapsed", "is-lapsed", "Your session ran out at"),
    "session_stop_requested": ("pause", "is-stale", "asked you to stop at"),
    "ticket_accepted": ("approve", "is-free", "accepted"),
    "ticket_cancelled": ("cancelled", "is-danger", "cancelled"),
    "ticket_sent_back": ("send-back", "is-stale", "sent back"),
}
#: kinds that time causes: the sentence is complete without a name
WITHOUT_ACTOR = ("lease_lapsed", "session_expired")


def news_for(actor: Actor, checkouts: Sequence[Checkout]) -> list[News]:
    """Return the news about the reader's latest files and tickets, the newest first.

    `checkouts`: the reader's open check-outs.
    """
    user = actor.user
    files = {checkout.artifact_id for checkout in checkouts[:MAX_RECORDS]}
    files |= set(Checkout.objects.filter(actor=user).values_list("artifact_id", flat=True)[:MAX_RECORDS])
    files |= set(Proposal.objects.filter(author=user).values_list("artifact_id", flat=True)[:MAX_RECORDS])
    tickets = set(Session.objects.filter(worker=user).values_list("ticket_id", flat=True)[:MAX_RECORDS])
    subjects = [f"artifact:{pk}" for pk in files] + [f"ticket:{pk}" for pk in tickets]
    kinds = [*FILE_NEWS, "checkout_handed_over", *TICKET_NEWS]
    entries = (
        Entry.objects.filter(subject__in=subjects, kind__in=kinds).exclude(actor=user).order_by("-id")[:MAX_ENTRIES]
        if subjects
        else []
    )
    found = [(entry, text) for entry in entries if (text := text_for(actor.participant, entry))][:MAX_NEWS]
    files_by_id = artifacts_for(actor).in_bulk([number_of(entry) for entry, _ in found if is_file(entry)])
    return [news_of(entry, text, files_by_id.get(number_of(entry))) for entry, text in found]


def text_for(reader: str, entry: Entry) -> NewsText | None:
    """Return the text if the entry is about something of the reader's, else None. `reader`: a participant."""
    if entry.kind in TICKET_NEWS:
        return TICKET_NEWS[entry.kind]
    if entry.kind == "checkout_handed_over":
        if entry.data.get("to") == reader:
            return "hand-over", "is-mine", "handed you"
        if entry.data.get("holder") == reader:
            return "hand-over", "is-danger", f"handed {_name(entry.data.get('to'))} your check-out of"
        return None
    field, icon, role, sentence = FILE_NEWS[entry.kind]
    return (icon, role, sentence(entry.data)) if entry.data.get(field) == reader else None


def news_of(entry: Entry, news_text: NewsText, file: Artifact | None) -> News:
    """`file`: the entry's file, if the reader may see it."""
    icon, role, sentence = news_text
    text = sentence if entry.kind in WITHOUT_ACTOR else f"{_name(entry.participant)} {sentence}"
    if is_file(entry):
        name, url = (file.name, reverse("artifact", args=[file.pk])) if file else ("a file that you no longer see", "")
    else:
        name, url = f"ticket {number_of(entry)}", reverse("ticket", args=[number_of(entry)])
    why = str(entry.data.get("reason") or "")
    return News(at=entry.at, role=role, icon=icon, text=text, name=name, url=url, why=why)


def is_file(entry: Entry) -> bool:
    return entry.subject.startswith("artifact:")


def number_of(entry: Entry) -> int:
    return int(entry.subject.partition(":")[2])


def _name(participant: Any) -> str:
    return str(participant or "somebody").partition(":")[2] or "Somebody"
