"""What the author of a proposal never saw: versions committed after the one that the work started from.

A late proposal is kept against the newest version, so that it can be accepted; but its bytes began earlier, and every
page that offers a decision says so.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Q

from checkouts.models import Proposal, Version

NAMED = 3  # authors by name
READ = 1_000  # versions looked at for their authors


@dataclass(frozen=True, slots=True)
class Start:
    """The version that a proposal started from, and the numbers and authors of those that are not in it."""

    number: int
    numbers: Sequence[int]
    authors: Sequence[str]

    @property
    def missing(self) -> str:
        """`version 4 by bob is not in it`, or nothing."""
        if not self.numbers:
            return ""
        who = ", ".join(self.authors[:NAMED]) + (" and others" if len(self.authors) > NAMED else "")
        if len(self.numbers) == 1:
            return f"version {self.numbers[0]} by {who} is not in it"
        return f"versions {self.numbers[0]} to {self.numbers[-1]}, by {who}, are not in it"

    def __str__(self) -> str:
        return f"started from version {self.number}" + (f"; {self.missing}" if self.missing else "")


def starts_of(proposals: Sequence[Proposal]) -> dict[int, Start]:
    """Proposal → where it started. Up to the newest version while it is open, else up to what it was decided against.

    One statement for all. The proposals come with their base, their artifact and its head, as `proposals_for` gives.
    """
    reach = {one.pk: (started_from(one), reached(one)) for one in proposals}
    wanted = Q(pk__in=[])
    for one in proposals:
        first, last = reach[one.pk]
        if first < last:
            wanted |= Q(artifact=one.artifact_id, number__gt=first, number__lte=last)
    rows = Version.objects.filter(wanted).order_by("-pk").values_list("artifact", "number", "author__username")[:READ]
    authors = {(artifact, number): name for artifact, number, name in rows}
    found = {}
    for one in proposals:
        first, last = reach[one.pk]
        numbers = range(first + 1, last + 1)
        names = [authors[key] for number in reversed(numbers) if (key := (one.artifact_id, number)) in authors]
        found[one.pk] = Start(first, numbers, list(dict.fromkeys(reversed(names))))
    return found


def with_starts(proposals: Sequence[Proposal]) -> list[tuple[Proposal, Start]]:
    """The same in their order, each with its start; no statement where there are none."""
    starts = starts_of(proposals) if proposals else {}
    return [(one, starts[one.pk]) for one in proposals]


def start_of(proposal: Proposal) -> Start:
    return starts_of([proposal])[proposal.pk]


def started_from(proposal: Proposal) -> int:
    """The number of the version that its author had: of the check-out or edit, not of what it was kept against."""
    return int(proposal.provenance.get("base_version") or proposal.base_version.number)


def reached(proposal: Proposal) -> int:
    head = proposal.artifact.head
    if proposal.state == Proposal.State.OPEN and head is not None:
        return head.number
    return proposal.base_version.number
