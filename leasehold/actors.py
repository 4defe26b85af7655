"""Who acts: an account, the door it came through, and how far its credential reaches."""

from dataclasses import dataclass

from leasehold.exceptions import Forbidden
from leasehold.models import Project, Role, Scope, User
from leasehold.rules import REACH, includes

APPROVE, DECIDE, BREAK = "leasehold.approve_ticket", "leasehold.decide_ticket", "leasehold.break_lease"


@dataclass(frozen=True, slots=True)
class Actor:
    """What every action is given in place of a request.

    user: the account. scope: a token's reach; a signed-in browser reaches as far as the role does.
    client: the door, as the records of check-outs keep it (browser, api, admin, command).
    permissions: Django's, which the admin alone looks up and passes on; they count in every project.
    """

    user: User
    scope: str = Scope.ADMIN
    client: str = "command"
    permissions: frozenset[str] = frozenset()

    @property
    def participant(self) -> str:
        return self.user.participant

    def effective(self, role: str | None) -> str | None:
        """The role that counts: the membership's, capped by what the credential reaches; none = not a member."""
        if self.user.is_superuser:
            role = Role.OPERATOR
        if role is None:
            return None
        cap = REACH[Scope(self.scope)]
        return role if includes(cap, role) else cap

    @property
    def sees_everything(self) -> bool:
        """A superuser, or staff in the admin."""
        return self.user.is_superuser or bool(self.permissions)

    def demand(self, needed: Role, role: str | None, *, permission: str = "") -> None:
        """Raise `Forbidden` unless `role`, as it counts here, includes `needed`, or staff may by `permission`."""
        if permission in self.permissions:
            return
        if not includes(self.effective(role), needed):
            raise Forbidden(f"This needs the role “{needed}” in the project.")

    def demand_writing(self) -> None:
        """What is one's own for good (a check-out in a project one left) asks for no role, but for a writing token."""
        if self.scope == Scope.READ:
            raise Forbidden("This token may only read.")

    def demand_superuser(self) -> None:
        if not (self.user.is_superuser and self.scope == Scope.ADMIN):
            raise Forbidden("Only a superuser may do this.")

    def demand_person(self) -> None:
        """Some things are for people: an agent never approves, decides, breaks or takes over."""
        if self.user.is_agent:
            raise Forbidden("An agent may not do this.")

    def role_in(self, project: Project) -> str | None:
        """The membership's role, one query; none for a stranger."""
        return project.memberships.filter(user=self.user).values_list("role", flat=True).first()
