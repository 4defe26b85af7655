"""The ground floor's rules: facts in, verdict out. No database, no clock; tested by tables."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from leasehold.models.project import Role
from leasehold.models.ticket import Ticket
from leasehold.models.token import Scope

RANK = {Role.VIEWER: 1, Role.EDITOR: 2, Role.OPERATOR: 3}

#: how far a token reaches: `read` looks, `write` does what an editor does, `admin` whatever the role allows
REACH: dict[str, Role] = {Scope.READ: Role.VIEWER, Scope.WRITE: Role.EDITOR, Scope.ADMIN: Role.OPERATOR}


def includes(role: str | None, needed: str) -> bool:
    """Does `role` allow what `needed` allows? Each role includes those before it."""
    return role is not None and RANK[Role(role)] >= RANK[Role(needed)]


_ = Ticket.Status
#: verb → the states in which it is possible, and the state that follows
TRANSITIONS: dict[str, tuple[tuple[str, ...], str]] = {
    "approve": ((_.DRAFT,), _.APPROVED),
    "start": ((_.APPROVED,), _.IN_PROGRESS),
    "submit": ((_.IN_PROGRESS,), _.REVIEW),
    "block": ((_.IN_PROGRESS,), _.BLOCKED),
    "resume": ((_.BLOCKED,), _.IN_PROGRESS),
    "send_back": ((_.BLOCKED, _.REVIEW), _.APPROVED),
    "accept": ((_.REVIEW,), _.DONE),
    "cancel": ((_.DRAFT, _.APPROVED, _.IN_PROGRESS, _.BLOCKED, _.REVIEW), _.CANCELLED),
}
#: the states that wait for an operator's decision; too long in one of them is stale
WAITING = (_.BLOCKED, _.REVIEW)
#: the states in which a ticket's text and scope may change
EDITABLE = (_.DRAFT, _.APPROVED)


def possible(status: str) -> list[str]:
    """The verbs that a ticket's state allows, whoever asks."""
    return [verb for verb, (before, _after) in TRANSITIONS.items() if status in before]


def is_stale(status: str, since: datetime, *, at: datetime, after: int) -> bool:
    """Has a ticket waited for a decision for `after` seconds or more?"""
    return status in WAITING and since + timedelta(seconds=after) <= at


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """How somebody stands to a ticket, read without locks.

    role: the one that counts in its project. is_author: wrote it. may_approve_scope: an operator wherever its keys lie.
    is_at_work: a session of it is live; is_own_work: and it is theirs.
    """

    status: str
    role: str | None
    is_person: bool
    is_author: bool
    two_person: bool
    may_approve_scope: bool
    is_at_work: bool
    is_own_work: bool


def offered(standing: Standing) -> list[str]:
    """What somebody may do with a ticket now, for a page to offer. The actions judge it again, under their locks."""
    is_editor = includes(standing.role, Role.EDITOR)
    is_operator = includes(standing.role, Role.OPERATOR)
    decides = is_operator and standing.is_person
    is_editable = standing.status in EDITABLE
    may = {
        "approve": decides and standing.may_approve_scope and not (standing.two_person and standing.is_author),
        "start": is_editor,
        "checkpoint": standing.is_own_work,
        "submit": standing.is_own_work,
        "block": standing.is_own_work,
        "stop": decides and standing.is_at_work,
        "resume": decides,
        "accept": decides,
        "send_back": decides,
        "edit": is_editable and (is_operator or (is_editor and standing.is_author)),
        "cancel": decides or (is_editable and is_editor and standing.is_author),
    }
    in_state = {
        *possible(standing.status),
        *(("checkpoint", "stop") if standing.status == _.IN_PROGRESS else ()),
        "edit",
    }
    return [verb for verb in may if may[verb] and verb in in_state]
