"""The ground floor's rules: facts in, verdict out. No database, no clock; tested by tables."""

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
