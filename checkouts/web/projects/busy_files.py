"""The held files of a selection, for the list in `confirmation.html`: who holds each, until when and what for."""

from dataclasses import dataclass
from typing import Any

from checkouts.selectors import ArtifactWithLease
from checkouts.web.holds import hold_for
from checkouts.web.links import artifact_url
from checkouts.web.reports import count_text
from leasehold.actors import Actor
from leasehold.templatetags.parts import clock_words

MAX_ROWS = 50  # held files listed on a page


@dataclass(frozen=True, slots=True)
class BusyFile:
    """A held file. `what`: its path. `url`: its page. `note`: a sentence about its holder."""

    what: str
    url: str
    note: str


def busy_files(actor: Actor, files: list[ArtifactWithLease]) -> dict[str, Any]:
    """Return the context for the confirmation page; empty if no file is held."""
    if not files:
        return {}
    more = len(files) - MAX_ROWS
    return {
        "holdings": [
            BusyFile(what=file.artifact.path, url=artifact_url(file.artifact), note=holder_text(actor, file))
            for file in files[:MAX_ROWS]
        ],
        "holdings_heading": f"Left with who has them: {count_text(len(files))}"
        + (f", {MAX_ROWS} shown" if more > 0 else ""),
    }


def holder_text(actor: Actor, file: ArtifactWithLease) -> str:
    hold = hold_for(actor, file.lease)
    if hold is None:
        return "Somebody had it just now."
    until = f"until {clock_words(hold.until, file.at)}" if hold.until else "until it is released"
    who = "You have it" if hold.is_mine else f"Held by {hold.name}"
    return f"{who} {until}{f', for “{hold.purpose}”' if hold.purpose else ''}"
