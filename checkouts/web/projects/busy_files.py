"""Files that somebody has, on a page that takes several at once: who, until when, what for, and where each is seen."""

from dataclasses import dataclass
from typing import Any

from checkouts.selectors import ArtifactWithLease
from checkouts.web.holds import hold_for
from checkouts.web.links import artifact_url
from checkouts.web.reports import counted
from leasehold.actors import Actor
from leasehold.templatetags.parts import clock_words

SHOWN = 50  # busy files listed on a page


@dataclass(frozen=True, slots=True)
class Busy:
    """As `leasehold/confirm.html` lists it: the file's path, its page, and a sentence about who has it."""

    what: str
    url: str
    note: str


def busy_files(actor: Actor, files: list[ArtifactWithLease]) -> dict[str, Any]:
    """The facts of a page that asks; none where nobody has any of them."""
    if not files:
        return {}
    more = len(files) - SHOWN
    return {
        "holdings": [Busy(one.artifact.path, artifact_url(one.artifact), held_by(actor, one)) for one in files[:SHOWN]],
        "holdings_heading": f"Left with who has them: {counted(len(files))}" + (f", {SHOWN} shown" if more > 0 else ""),
    }


def held_by(actor: Actor, seen: ArtifactWithLease) -> str:
    hold = hold_for(actor, seen.lease)
    if hold is None:
        return "Somebody had it just now."
    until = f"until {clock_words(hold.until, seen.at)}" if hold.until else "until it is released"
    who = "You have it" if hold.is_mine else f"Held by {hold.name}"
    return f"{who} {until}{f', for “{hold.purpose}”' if hold.purpose else ''}"
