"""The version that a proposal is based on, and the later versions that it does not contain.

A late proposal is kept against the newest version, so that it can be accepted. But its author started from an older
version, and every page that offers a decision says so.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Q

from checkouts.models import Proposal, Version

MAX_NAMES = 3  # authors by name
MAX_VERSIONS = 1_000  # versions read for their authors


@dataclass(frozen=True, slots=True)
class ProposalBase:
    """The number of the version that a proposal started from; numbers and authors of the versions missing from it."""

    number: int
    numbers: Sequence[int]
    authors: Sequence[str]

    @property
    def missing(self) -> str:
        """Return `version 4 by bob is not in it`, or an empty string."""
        if not self.numbers:
            return ""
        who = ", ".join(self.authors[:MAX_NAMES]) + (" and others" if len(self.authors) > MAX_NAMES else "")
        if len(self.numbers) == 1:
            return f"version {self.numbers[0]} by {who} is not in it"
        return f"versions {self.numbers[0]} to {self.numbers[-1]}, by {who}, are not in it"

    def __str__(self) -> str:
        return f"started from version {self.number}" + (f"; {self.missing}" if self.missing else "")


def bases_of(proposals: Sequence[Proposal]) -> dict[int, ProposalBase]:
    """Return the base of each proposal, by the proposal's id. One statement for all.

    An open proposal is compared with the newest version, a decided one with the version that it was decided against.
    The proposals need their base, artifact and head loaded, as `proposals_for` does.
    """
    reach = {proposal.pk: (base_number(proposal), last_number(proposal)) for proposal in proposals}
    wanted = Q(pk__in=[])
    for proposal in proposals:
        first, last = reach[proposal.pk]
        if first < last:
            wanted |= Q(artifact=proposal.artifact_id, number__gt=first, number__lte=last)
    rows = Version.objects.filter(wanted).order_by("-pk").values_list("artifact", "number", "author__username")
    rows = rows[:MAX_VERSIONS]
    authors = {(artifact, number): name for artifact, number, name in rows}
    found = {}
    for proposal in proposals:
        first, last = reach[proposal.pk]
        numbers = range(first + 1, last + 1)
        names = [authors[key] for number in reversed(numbers) if (key := (proposal.artifact_id, number)) in authors]
        found[proposal.pk] = ProposalBase(first, numbers, list(dict.fromkeys(reversed(names))))
    return found


def with_bases(proposals: Sequence[Proposal]) -> list[tuple[Proposal, ProposalBase]]:
    """Return the proposals in their order, each with its base. No statement if there are none."""
    bases = bases_of(proposals) if proposals else {}
    return [(proposal, bases[proposal.pk]) for proposal in proposals]


def base_of(proposal: Proposal) -> ProposalBase:
    return bases_of([proposal])[proposal.pk]


def base_number(proposal: Proposal) -> int:
    """Return the version that the author checked out or edited, which may be older than `base_version`."""
    return int(proposal.provenance.get("base_version") or proposal.base_version.number)


def last_number(proposal: Proposal) -> int:
    """Return the newest version that the proposal is compared with."""
    head = proposal.artifact.head
    if proposal.state == Proposal.State.OPEN and head is not None:
        return head.number
    return proposal.base_version.number
