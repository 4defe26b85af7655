"""The ground floor's tables. Only `leasehold.actions` and the engine (`leases.py`, `journal.py`) write them."""

from leasehold.models.journal import Entry
from leasehold.models.lease import Lease
from leasehold.models.project import Membership, Project, Role
from leasehold.models.sign_in import SignInFailure
from leasehold.models.token import Scope, Token
from leasehold.models.user import User

__all__ = ["Entry", "Lease", "Membership", "Project", "Role", "Scope", "SignInFailure", "Token", "User"]
