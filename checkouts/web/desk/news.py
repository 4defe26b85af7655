"""What others did to mine, from the journal: breaks, take-overs, hand-overs, decisions, lapses."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.urls import reverse

from checkouts.models import Artifact, Checkout, Proposal
from checkouts.selectors import artifacts_for
from leasehold.actors import Actor
from leasehold.models import Entry, Session

LOOKED_AT = 60  # of one's own last check-outs, proposals and sessions, each
ENTRIES = 200  # of the journal on those
SHOWN = 20


@dataclass(frozen=True, slots=True)
class News:
    """`text` says what happened to `name`; `why` is the reason that was given."""

    at: datetime
    role: str
    drawing: str
    text: str
    name: str
    url: str
    why: str


Said = tuple[str, str, str, Callable[[dict[str, Any]], str]]

#: kind → which fact of the entry says whose it was, the icon, the role, and the sentence after the actor's name
OF_MINE: dict[str, Said] = {
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
OF_MY_WORK: dict[str, tuple[str, str, str]] = {
    "session_expired": ("lapsed", "is-lapsed", "Your session ran out at"),
    "session_stop_requested": ("pause", "is-stale", "asked you to stop at"),
    "ticket_accepted": ("approve", "is-free", "accepted"),
    "ticket_cancelled": ("cancelled", "is-danger", "cancelled"),
    "ticket_sent_back": ("send-back", "is-stale", "sent back"),
}
BY_THE_CLOCK = ("lease_lapsed", "session_expired")


def news_for(actor: Actor, records: Sequence[Checkout]) -> list[News]:
    """The newest first, about the files and tickets that one had to do with of late. `records`: the open check-outs."""
    mine = actor.user
    files = {record.artifact_id for record in records[:LOOKED_AT]}
    files |= set(Checkout.objects.filter(actor=mine).values_list("artifact_id", flat=True)[:LOOKED_AT])
    files |= set(Proposal.objects.filter(author=mine).values_list("artifact_id", flat=True)[:LOOKED_AT])
    tickets = set(Session.objects.filter(worker=mine).values_list("ticket_id", flat=True)[:LOOKED_AT])
    subjects = [f"artifact:{pk}" for pk in files] + [f"ticket:{pk}" for pk in tickets]
    kinds = [*OF_MINE, "checkout_handed_over", *OF_MY_WORK]
    entries = (
        Entry.objects.filter(subject__in=subjects, kind__in=kinds).exclude(actor=mine).order_by("-id")[:ENTRIES]
        if subjects
        else []
    )
    found = [(entry, said) for entry in entries if (said := about_me(actor.participant, entry))][:SHOWN]
    names = artifacts_for(actor).in_bulk([number_of(entry) for entry, _ in found if is_file(entry)])
    return [news(entry, said, names.get(number_of(entry))) for entry, said in found]


def about_me(me: str, entry: Entry) -> tuple[str, str, str] | None:
    """(icon, role, sentence) if the entry is about something of mine."""
    if entry.kind in OF_MY_WORK:
        return OF_MY_WORK[entry.kind]
    if entry.kind == "checkout_handed_over":
        if entry.data.get("to") == me:
            return "hand-over", "is-mine", "handed you"
        if entry.data.get("holder") == me:
            return "hand-over", "is-danger", f"handed {_name(entry.data.get('to'))} your check-out of"
        return None
    fact, drawing, role, say = OF_MINE[entry.kind]
    return (drawing, role, say(entry.data)) if entry.data.get(fact) == me else None


def news(entry: Entry, said: tuple[str, str, str], file: Artifact | None) -> News:
    drawing, role, sentence = said
    text = sentence if entry.kind in BY_THE_CLOCK else f"{_name(entry.participant)} {sentence}"
    if is_file(entry):
        name, url = (file.name, reverse("artifact", args=[file.pk])) if file else ("a file that you no longer see", "")
    else:
        name, url = f"ticket {number_of(entry)}", reverse("ticket", args=[number_of(entry)])
    return News(entry.at, role, drawing, text, name, url, str(entry.data.get("reason") or ""))


def is_file(entry: Entry) -> bool:
    return entry.subject.startswith("artifact:")


def number_of(entry: Entry) -> int:
    return int(entry.subject.partition(":")[2])


def _name(participant: Any) -> str:
    return str(participant or "somebody").partition(":")[2] or "Somebody"
