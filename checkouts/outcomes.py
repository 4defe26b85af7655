"""What a check-in can come to. Outcomes are values: an expected alternative is never an exception."""

from dataclasses import dataclass

from checkouts.models import Checkout, Proposal, Version


@dataclass(frozen=True, slots=True)
class Committed:
    """The bytes are version `version.number` now. `replayed`: this is the first answer again, nothing was written."""

    checkout: Checkout
    version: Version
    replayed: bool = False
    code = "committed"


@dataclass(frozen=True, slots=True)
class Unchanged:
    """The bytes are those of `version`, the head: nothing to commit."""

    checkout: Checkout
    version: Version
    replayed: bool = False
    code = "unchanged"


@dataclass(frozen=True, slots=True)
class Proposed:
    """The bytes are kept as `proposal`, since they could not be committed."""

    checkout: Checkout
    proposal: Proposal
    replayed: bool = False
    code = "proposed"


Outcome = Committed | Unchanged | Proposed


def keeps_upload(outcome: Outcome) -> bool:
    """Did this call give the uploaded bytes a row? Otherwise whoever stored them discards them."""
    return not outcome.replayed and not isinstance(outcome, Unchanged)


def replay(checkout: Checkout) -> Outcome:
    """The outcome that a closed record ended with, once more. Not for a discarded one, which has none."""
    if checkout.outcome == Checkout.Outcome.PROPOSED and checkout.result_proposal:
        return Proposed(checkout, checkout.result_proposal, replayed=True)
    if checkout.result_version is None:
        raise ValueError(f"{checkout} ended as {checkout.outcome}, without a result")
    kind = Committed if checkout.outcome == Checkout.Outcome.COMMITTED else Unchanged
    return kind(checkout, checkout.result_version, replayed=True)
