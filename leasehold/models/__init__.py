"""The ground floor's tables. Only `leasehold.actions` and the engine (`leases.py`, `journal.py`) write them."""

from leasehold.models.answer import Answer
from leasehold.models.journal import Entry
from leasehold.models.lease import Lease
from leasehold.models.project import Membership, Project, Role, WritePolicy
from leasehold.models.sign_in import SignInFailure
from leasehold.models.ticket import LIVE, Checkpoint, Failure, ScopeKey, Session, Ticket
from leasehold.models.token import Scope, Token
from leasehold.models.user import User

__all__ = [
    "LIVE",
    "Answer",
    "Checkpoint",
    "Entry",
    "Failure",
    "Lease",
    "Membership",
    "Project",
    "Role",
    "Scope",
    "ScopeKey",
    "Session",
    "SignInFailure",
    "Ticket",
    "Token",
    "User",
    "WritePolicy",
]
