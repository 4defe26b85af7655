"""The upper floor's rules: facts in, verdict out. No database, no clock; tested by tables."""

from dataclasses import dataclass
from enum import StrEnum

from leasehold.models import WritePolicy


class Verdict(StrEnum):
    FORBIDDEN = "forbidden"
    REPLAYED = "replayed"
    CLOSED = "closed"
    UNCHANGED = "unchanged"
    PROPOSED = "proposed"
    COMMITTED = "committed"


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckInFacts:
    """What a check-in, or what an edit puts, is judged by, read under its locks.

    is_what_it_ended_with: the record is closed, and was closed by these very bytes.
    is_held_by_another: another holder's lease on the artifact is live.
    must_propose: an agent's, where the write policy says `propose`.
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
    must_propose: bool


def must_propose(*, is_agent: bool, policy: str) -> bool:
    """A write policy binds agents only; people always commit."""
    return is_agent and policy == WritePolicy.PROPOSE


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
    if facts.is_reserved_by_another or facts.must_propose:
        return Verdict.PROPOSED
    return Verdict.COMMITTED


class EditVerdict(StrEnum):
    FORBIDDEN = "forbidden"
    REPLAYED = "replayed"
    CLOSED = "closed"
    UNCHANGED = "unchanged"
    BUSY = "busy"
    STALE = "stale"
    ARCHIVED = "archived"
    RESERVED = "reserved"
    PROPOSED = "proposed"
    COMMITTED = "committed"


def judge_edit(facts: CheckInFacts) -> EditVerdict:
    """The verdict on what an edit puts. Unlike a check-in's bytes, a program's can be made again: they may be refused.

    An edit that outlived its lease still commits, if nobody else holds the file and its base is the head.
    """
    if not facts.is_own or (facts.is_open and not facts.may_edit):
        return EditVerdict.FORBIDDEN
    if not facts.is_open:
        return EditVerdict.REPLAYED if facts.is_what_it_ended_with else EditVerdict.CLOSED
    if facts.is_head_digest:
        return EditVerdict.UNCHANGED
    if facts.is_held_by_another:
        return EditVerdict.BUSY
    if not facts.is_base_head:
        return EditVerdict.STALE
    if facts.is_archived:
        return EditVerdict.ARCHIVED
    if facts.is_reserved_by_another:
        return EditVerdict.RESERVED
    return EditVerdict.PROPOSED if facts.must_propose else EditVerdict.COMMITTED


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """How somebody stands to a proposal, read without locks.

    decides: a human operator of its project. is_base_head: it was kept against what is still the newest version.
    """

    is_open: bool
    is_author: bool
    decides: bool
    is_archived: bool
    is_base_head: bool
    is_held: bool


def offered(waiting: Waiting) -> list[str]:
    """What somebody may do with a proposal now, for a page to offer. The actions judge it again, under their locks."""
    may = {
        "accept": waiting.decides and waiting.is_base_head and not waiting.is_held and not waiting.is_archived,
        "rebuild": waiting.decides and not waiting.is_base_head and not waiting.is_archived,
        "reject": waiting.decides,
        "withdraw": waiting.is_author,
    }
    return [verb for verb in may if waiting.is_open and may[verb]]
