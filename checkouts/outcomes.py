"""What bringing bytes back can come to. Outcomes are values: an expected alternative is never an exception."""

from dataclasses import dataclass
from typing import ClassVar

from checkouts.models import Checkout, Edit, Proposal, Version

Record = Checkout | Edit


@dataclass(frozen=True, slots=True)
class Committed:
    """The bytes are version `version.number` now. `replayed`: this is the first answer again, nothing was written."""

    record: Record
    version: Version
    replayed: bool = False
    code: ClassVar[str] = "committed"


@dataclass(frozen=True, slots=True)
class Unchanged:
    """The bytes are those of `version`, the head: nothing to commit."""

    record: Record
    version: Version
    replayed: bool = False
    code: ClassVar[str] = "unchanged"


@dataclass(frozen=True, slots=True)
class Proposed:
    """The bytes are kept as `proposal`, since they could not be committed."""

    record: Record
    proposal: Proposal
    replayed: bool = False
    code: ClassVar[str] = "proposed"


Outcome = Committed | Unchanged | Proposed


def afterwards(outcome: Outcome) -> str:
    """What a check-in leaves behind, in a sentence. Only a new version was certainly under one's own lease: after the
    same bytes, or the same answer again, somebody else may have the file."""
    if isinstance(outcome.record, Checkout) and outcome.record.next_checkout_id:
        return "It is still checked out to you."
    is_free = isinstance(outcome, Committed) and not outcome.replayed
    return "It is free again." if is_free else "Your check-out has ended."


def keeps_upload(outcome: Outcome) -> bool:
    """Did this call give the uploaded bytes a row? Otherwise whoever stored them discards them."""
    return not outcome.replayed and not isinstance(outcome, Unchanged)


def replay(record: Record) -> Outcome:
    """The outcome that a closed record ended with, once more. Not for a discarded one, which has none."""
    if record.outcome == Proposed.code and record.result_proposal:
        return Proposed(record, record.result_proposal, replayed=True)
    if record.result_version is None:
        raise ValueError(f"{record} ended as {record.outcome}, without a result")
    kind = Committed if record.outcome == Committed.code else Unchanged
    return kind(record, record.result_version, replayed=True)
