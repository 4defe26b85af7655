"""Create accounts, projects and members directly, without actions. Use them to set a test up, not for what it tests."""

from typing import Any

from django.db.models import Model
from django.test import Client

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


def make_account_in(project: Project, username: str, role: Role, **columns) -> User:
    """Create an account, and make it a member of the project."""
    user = make_account(username, **columns)
    make_member(project, user, role)
    return user


def browser_of(user: User) -> Client:
    """Return a client in which `user` is signed in."""
    client = Client()
    client.force_login(user)
    return client


def copy_row(row: Model, number: int) -> None:
    """Insert `number` copies of a row, each with an id of its own."""
    model: Any = type(row)
    columns = [field.attname for field in model._meta.concrete_fields if not field.primary_key]
    model.objects.bulk_create(model(**{name: getattr(row, name) for name in columns}) for _ in range(number))
