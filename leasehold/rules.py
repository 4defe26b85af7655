"""The ground floor's rules as pure functions, without database or clock."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from leasehold.models.project import Role
from leasehold.models.ticket import Ticket
from leasehold.models.token import Scope

RANK = {Role.VIEWER: 1, Role.EDITOR: 2, Role.OPERATOR: 3}

#: a token's scope → the highest role that counts with it
REACH: dict[str, Role] = {Scope.READ: Role.VIEWER, Scope.WRITE: Role.EDITOR, Scope.ADMIN: Role.OPERATOR}


def includes(role: str | None, needed: str) -> bool:
    """Return whether `role` allows what `needed` allows. Each role includes those before it."""
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
#: the states that wait for an operator's decision; a ticket that stays too long in one of them is stale
WAITING = (_.BLOCKED, _.REVIEW)
#: the states in which a ticket's text and scope may change
EDITABLE = (_.DRAFT, _.APPROVED)


def possible_verbs(status: str) -> list[str]:
    """Return the verbs that a ticket's status allows, without regard to who uses them."""
    return [verb for verb, (before, _after) in TRANSITIONS.items() if status in before]


def is_stale(status: str, since: datetime, *, at: datetime, after: int) -> bool:
    """Return whether a ticket has waited for a decision for `after` seconds or more."""
    return status in WAITING and since + timedelta(seconds=after) <= at


@dataclass(frozen=True, slots=True, kw_only=True)
class TicketFacts:
    """A ticket's state and a reader's relation to it, read without locks.

    role: the reader's effective role in the ticket's project. may_approve_scope: an operator in every project that a
    key names. is_at_work: the ticket has a live session. is_own_work: that session is the reader's.
    """

    status: str
    role: str | None
    is_person: bool
    is_author: bool
    two_person: bool
    may_approve_scope: bool
    is_at_work: bool
    is_own_work: bool


def allowed_verbs(facts: TicketFacts) -> list[str]:
    """Return the verbs that a page offers the reader. The actions judge again, under their locks."""
    is_editor = includes(facts.role, Role.EDITOR)
    is_operator = includes(facts.role, Role.OPERATOR)
    decides = is_operator and facts.is_person
    is_editable = facts.status in EDITABLE
    may = {
        "approve": decides and facts.may_approve_scope and not (facts.two_person and facts.is_author),
        "start": is_editor,
        "checkpoint": facts.is_own_work,
        "submit": facts.is_own_work,
        "block": facts.is_own_work,
        "stop": decides and facts.is_at_work,
        "resume": decides,
        "accept": decides,
        "send_back": decides,
        "edit": is_editable and (is_operator or (is_editor and facts.is_author)),
        "cancel": decides or (is_editable and is_editor and facts.is_author),
    }
    in_state = {
        *possible_verbs(facts.status),
        *(("checkpoint", "stop") if facts.status == _.IN_PROGRESS else ()),
        "edit",
    }
    return [verb for verb in may if may[verb] and verb in in_state]
