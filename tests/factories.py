"""Create accounts, projects and members directly, without actions. Use them to set a test up, not for what it tests."""

from leasehold.database import clock
from leasehold.models import Membership, Project, Role, User

PASSWORD = "correct horse battery staple"


def make_account(username: str, *, kind: str = User.Kind.PERSON, **columns) -> User:
    """Create an account. A person's password is PASSWORD; an agent has none."""
    user = User(username=username, kind=kind, **columns)
    if kind == User.Kind.AGENT:
        user.set_unusable_password()
    else:
        user.set_password(PASSWORD)
    user.save()
    return user


def make_project(slug: str, name: str = "", **columns) -> Project:
    return Project.objects.create(slug=slug, name=name or slug.capitalize(), created_at=clock.now(), **columns)


def make_member(project: Project, user: User, role: Role) -> Membership:
    return Membership.objects.create(project=project, user=user, role=role, created_at=clock.now())
