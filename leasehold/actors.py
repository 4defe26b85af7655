"""`Actor`: who does something, through which client, and with how much of the account's rights."""

from dataclasses import dataclass

from leasehold.exceptions import Forbidden
from leasehold.models import Project, Role, Scope, User
from leasehold.rules import REACH, includes

APPROVE, DECIDE, BREAK = "leasehold.approve_ticket", "leasehold.decide_ticket", "leasehold.break_lease"


@dataclass(frozen=True, slots=True)
class Actor:
    """The account behind an action; actions take it instead of a request.

    scope: the token's scope; a signed-in browser has all of the role's rights (`admin`).
    client: browser, api, admin or command; check-outs record it.
    permissions: Django's permissions, which count in every project. Only the admin passes them.
    """

    user: User
    scope: str = Scope.ADMIN
    client: str = "command"
    permissions: frozenset[str] = frozenset()

    @property
    def participant(self) -> str:
        return self.user.participant

    def effective(self, role: str | None) -> str | None:
        """Return the role that counts: the membership's `role`, capped by the scope; None for a stranger."""
        if self.user.is_superuser:
            role = Role.OPERATOR
        if role is None:
            return None
        cap = REACH[Scope(self.scope)]
        return role if includes(cap, role) else cap

    @property
    def sees_everything(self) -> bool:
        """Whether the actor sees every project: a superuser, or staff with a permission in the admin."""
        return self.user.is_superuser or bool(self.permissions)

    def demand(self, needed: Role, role: str | None, *, permission: str = "") -> None:
        """Raise `Forbidden` unless the effective role includes `needed`, or the actor has `permission`."""
        if permission in self.permissions:
            return
        if not includes(self.effective(role), needed):
            raise Forbidden(f"This needs the role “{needed}” in the project.")

    def demand_writing(self) -> None:
        """Raise `Forbidden` for a token that may only read.

        This is enough for one's own check-outs: they need no role, so that they can be ended after leaving the project.
        """
        if self.scope == Scope.READ:
            raise Forbidden("This token may only read.")

    def demand_superuser(self) -> None:
        """Raise `Forbidden` unless the actor is a superuser with the scope `admin`."""
        if not (self.user.is_superuser and self.scope == Scope.ADMIN):
            raise Forbidden("Only a superuser may do this.")

    def demand_person(self) -> None:
        """Raise `Forbidden` for an agent: only people approve, decide, break leases and take over."""
        if self.user.is_agent:
            raise Forbidden("An agent may not do this.")

    def role_in(self, project: Project) -> str | None:
        """Return the role of the actor's membership in `project`, None without one. One query."""
        return project.memberships.filter(user=self.user).values_list("role", flat=True).first()
