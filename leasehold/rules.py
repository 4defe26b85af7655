"""The ground floor's rules: facts in, verdict out. No database, no clock; tested by tables."""

from leasehold.models.project import Role
from leasehold.models.token import Scope

RANK = {Role.VIEWER: 1, Role.EDITOR: 2, Role.OPERATOR: 3}

#: how far a token reaches: `read` looks, `write` does what an editor does, `admin` whatever the role allows
REACH: dict[str, Role] = {Scope.READ: Role.VIEWER, Scope.WRITE: Role.EDITOR, Scope.ADMIN: Role.OPERATOR}


def includes(role: str | None, needed: str) -> bool:
    """Does `role` allow what `needed` allows? Each role includes those before it."""
    return role is not None and RANK[Role(role)] >= RANK[Role(needed)]
