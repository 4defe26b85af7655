"""The results of a check-out and of a check-in, as values: an expected alternative is never an exception."""

from dataclasses import dataclass
from typing import ClassVar

from checkouts.models import Attempt, Checkout, Edit, Proposal, Version
from leasehold.leases import HeldLease


@dataclass(frozen=True, slots=True)
class Granted:
    """A check-out and the lease that it holds."""

    checkout: Checkout
    lease: HeldLease


@dataclass(frozen=True, slots=True)
class GrantedEdit:
    """An edit and the lease that it holds."""

    edit: Edit
    lease: HeldLease


@dataclass(frozen=True, slots=True)
class Successor:
    """The check-out that `keep` opened at a check-in, and its lease while that is live."""

    checkout: Checkout
    lease: HeldLease | None


@dataclass(frozen=True, slots=True)
class EndedAtVersion:
    """The attempt ended at `version`. `replayed`: this is the first answer again, nothing was written."""

    attempt: Attempt
    version: Version
    replayed: bool = False
    successor: Successor | None = None


class Committed(EndedAtVersion):
    """The bytes are version `version.number` now."""

    __slots__ = ()
    code: ClassVar[str] = "committed"


class Unchanged(EndedAtVersion):
    """The bytes are those of `version`, the head: nothing to commit."""

    __slots__ = ()
    code: ClassVar[str] = "unchanged"


@dataclass(frozen=True, slots=True)
class Proposed:
    """The bytes are kept as `proposal`, since they could not be committed."""

    attempt: Attempt
    proposal: Proposal
    replayed: bool = False
    successor: ClassVar[None] = None
    code: ClassVar[str] = "proposed"


Outcome = Committed | Unchanged | Proposed


def keeps_upload(outcome: Outcome) -> bool:
    """Did this call give the uploaded bytes a row? Otherwise whoever stored them discards them."""
    return not outcome.replayed and not isinstance(outcome, Unchanged)


def replay(attempt: Attempt, *, successor: Successor | None = None) -> Outcome:
    """Return the outcome that a closed attempt ended with, once more. A discarded one has none: ValueError."""
    if attempt.outcome == Proposed.code and attempt.result_proposal:
        return Proposed(attempt, attempt.result_proposal, replayed=True)
    if attempt.result_version is None:
        raise ValueError(f"{attempt} ended as {attempt.outcome}, without a result")
    kind = Committed if attempt.outcome == Committed.code else Unchanged
    return kind(attempt, attempt.result_version, replayed=True, successor=successor)
