"""The upper floor's rules: facts in, verdict out. No database, no clock; tested by tables."""

from dataclasses import dataclass
from enum import StrEnum


class Verdict(StrEnum):
    FORBIDDEN = "forbidden"
    REPLAYED = "replayed"
    CLOSED = "closed"
    UNCHANGED = "unchanged"
    PROPOSED = "proposed"
    COMMITTED = "committed"


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckInFacts:
    """What a check-in is judged by, read under its locks.

    is_what_it_ended_with: the record is closed, and was closed by these very bytes.
    is_held_by_another: another holder's lease on the artifact is live.
    is_reserved_by_another: the record's lease has ended, and another's ticket covers the path.
    """

    is_own: bool
    is_open: bool
    is_what_it_ended_with: bool
    is_head_digest: bool
    is_held_by_another: bool
    is_base_head: bool
    may_edit: bool
    is_archived: bool
    is_reserved_by_another: bool


def judge_check_in(facts: CheckInFacts) -> Verdict:
    """The verdict table of a check-in, judged from the top; the first line that fits.

    Whatever is uploaded on one's own open record is kept: where it cannot become a version, it becomes a proposal.
    """
    if not facts.is_own:
        return Verdict.FORBIDDEN
    if not facts.is_open:
        return Verdict.REPLAYED if facts.is_what_it_ended_with else Verdict.CLOSED
    if facts.is_head_digest:
        return Verdict.UNCHANGED
    if facts.is_held_by_another or not facts.is_base_head:
        return Verdict.PROPOSED
    if not facts.may_edit or facts.is_archived:
        return Verdict.PROPOSED
    if facts.is_reserved_by_another:
        return Verdict.PROPOSED
    return Verdict.COMMITTED
