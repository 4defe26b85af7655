"""The ground floor's tables. Only `leasehold.actions`, `leasehold.leases` and `leasehold.journal` write them.

user.py       accounts
token.py      API tokens
sign_in.py    failed sign-ins, for the throttle
project.py    projects and memberships
lease.py      leases
ticket.py     tickets, scope keys, sessions, checkpoints and failures
journal.py    journal entries, and the triggers that keep them append-only
site.py       the identity of the installation
answer.py     first answers to requests with an `Idempotency-Key`
"""

from leasehold.models.answer import Answer
from leasehold.models.journal import Entry
from leasehold.models.lease import Lease
from leasehold.models.project import Membership, Project, Role, WritePolicy
from leasehold.models.sign_in import SignInFailure
from leasehold.models.site import Site
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
    "Site",
    "Ticket",
    "Token",
    "User",
    "WritePolicy",
]
