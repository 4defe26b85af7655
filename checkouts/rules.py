"""The upper floor's rules: pure functions from facts to verdicts. No database, no clock; tested by tables."""

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
    """The facts that decide a check-in or the upload of an edit, read under its locks.

    is_what_it_ended_with: the attempt is closed, and was closed with the same bytes.
    is_held_by_another: another holder's lease on the artifact is live.
    must_propose: an agent acts, and the write policy is `propose`.
    is_reserved_by_another: the attempt's lease has ended, and another participant's ticket covers the path.
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
    """Return the verdict on a check-in: the first rule that fits, from the top.

    An upload on the actor's own open check-out is always kept: if it cannot become a version, it becomes a proposal.
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
    """Return the verdict on an edit's upload. It may be refused: unlike a person, a program can make its bytes again.

    An edit whose lease has ended still commits if nobody else holds the file and its base is the head.
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
class ProposalFacts:
    """The facts that decide what one reader may do with a proposal, read without locks.

    may_decide: the reader is a human operator of its project. is_base_head: it was kept against the newest version.
    """

    is_open: bool
    is_author: bool
    may_decide: bool
    is_archived: bool
    is_base_head: bool
    is_held: bool


def allowed_verbs(facts: ProposalFacts) -> list[str]:
    """Return what the reader may do with a proposal now, for a page to offer. The actions check again under locks."""
    is_allowed = {
        "accept": facts.may_decide and facts.is_base_head and not facts.is_held and not facts.is_archived,
        "rebuild": facts.may_decide and not facts.is_base_head and not facts.is_archived,
        "reject": facts.may_decide,
        "withdraw": facts.is_author,
    }
    return [verb for verb in is_allowed if facts.is_open and is_allowed[verb]]
