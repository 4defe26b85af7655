"""What bringing bytes back can come to. Outcomes are values: an expected alternative is never an exception."""

from dataclasses import dataclass
from typing import ClassVar

from checkouts.models import Attempt, Proposal, Version


@dataclass(frozen=True, slots=True)
class Committed:
    """The bytes are version `version.number` now. `replayed`: this is the first answer again, nothing was written."""

    attempt: Attempt
    version: Version
    replayed: bool = False
    code: ClassVar[str] = "committed"


@dataclass(frozen=True, slots=True)
class Unchanged:
    """The bytes are those of `version`, the head: nothing to commit."""

    attempt: Attempt
    version: Version
    replayed: bool = False
    code: ClassVar[str] = "unchanged"


@dataclass(frozen=True, slots=True)
class Proposed:
    """The bytes are kept as `proposal`, since they could not be committed."""

    attempt: Attempt
    proposal: Proposal
    replayed: bool = False
    code: ClassVar[str] = "proposed"


Outcome = Committed | Unchanged | Proposed


def keeps_upload(outcome: Outcome) -> bool:
    """Did this call give the uploaded bytes a row? Otherwise whoever stored them discards them."""
    return not outcome.replayed and not isinstance(outcome, Unchanged)


def replay(attempt: Attempt) -> Outcome:
    """Return the outcome that a closed attempt ended with, once more. A discarded one has none: ValueError."""
    if attempt.outcome == Proposed.code and attempt.result_proposal:
        return Proposed(attempt, attempt.result_proposal, replayed=True)
    if attempt.result_version is None:
        raise ValueError(f"{attempt} ended as {attempt.outcome}, without a result")
    kind = Committed if attempt.outcome == Committed.code else Unchanged
    return kind(attempt, attempt.result_version, replayed=True)
