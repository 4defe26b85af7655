"""Create accounts of people and programs, set their passwords and rights, activate and deactivate them."""

import secrets
from collections.abc import Collection
from datetime import datetime
from typing import Any

from django.contrib.auth.models import Permission
from django.contrib.auth.password_validation import validate_password
from django.contrib.auth.validators import ASCIIUsernameValidator
from django.core.exceptions import ValidationError

from leasehold import journal, names
from leasehold.actions import action
from leasehold.actors import APPROVE, BREAK, DECIDE, Actor
from leasehold.database import clock
from leasehold.exceptions import Forbidden, Invalid
from leasehold.models import Scope, User

COMMAND_LINE = "system:command"  # the participant for commands, which run without an account
ADMINISTRATOR = "admin"


@action
def create_user(
    *,
    actor: Actor | None,
    username: str,
    kind: str = User.Kind.PERSON,
    password: str | None = None,
    name: str = "",
    is_superuser: bool = False,
) -> User:
    """Create an account. Only for superusers and for the command line (actor None). An agent never has a password.

    Names are ASCII, since the databases do not compare other letters reliably without regard to case. Raises `Invalid`
    for a malformed or taken name, and for a weak password; the command line may set a weak one.
    """
    if actor is not None:
        actor.demand_superuser()
    if kind not in User.Kind.values:
        raise Invalid.of("kind", f"Expected one of {', '.join(User.Kind.values)}.")
    user = User(username=_username(username), kind=kind, name=names.checked_text(name, "name", 150))
    if user.is_agent and (password or is_superuser):
        raise Invalid.of("kind", "An agent has no password and is no superuser.")
    user.is_superuser = user.is_staff = is_superuser
    _give_password(user, password, weak_allowed=actor is None)
    _insert(user, actor)
    return user


@action
def set_password(*, actor: Actor | None, user: User, password: str) -> None:
    """Set an account's password, and end its other sessions.

    People set their own; superusers and the command line (actor None) set anybody's.
    """
    if actor is not None and actor.user.pk == user.pk:
        if actor.scope != Scope.ADMIN:
            raise Forbidden
    elif actor is not None:
        actor.demand_superuser()
    set_new_password(user, password, actor=actor)


def set_new_password(user: User, password: str, *, actor: Actor | None) -> None:
    """Set a valid password and write the journal. The calling action has checked who may do this."""
    if user.is_agent:
        raise Invalid.of("password", "An agent signs in by token only.")
    _give_password(user, password or "", weak_allowed=actor is None)
    user.save(update_fields=["password"])
    write_account_entry("password_set", actor, user, clock.now())


@action
def create_first_administrator(*, password: str | None = None) -> str | None:
    """Create the superuser `admin` and return its password, a random one if none is given.

    Returns None and changes nothing if there is a superuser.
    """
    if User.objects.filter(is_superuser=True).exists():
        return None
    password = password or secrets.token_urlsafe(12)
    user = User(username=_username(ADMINISTRATOR), is_superuser=True, is_staff=True)
    user.set_password(password)
    _insert(user, None)
    return password


@action
def deactivate_user(*, actor: Actor, user: User) -> User:
    """Stop an account's tokens and browser sessions at once. Only for superusers, and not for their own account.

    Doing it again changes nothing. The account keeps its leases and check-outs; an operator can break them.
    """
    actor.demand_superuser()
    if user.pk == actor.user.pk:
        raise Forbidden("Nobody can deactivate their own account.")
    _set_active(user, actor, is_active=False)
    return user


@action
def activate_user(*, actor: Actor, user: User) -> User:
    """Let a deactivated account sign in again. Only for superusers. Its tokens work again unless they have expired."""
    actor.demand_superuser()
    _set_active(user, actor, is_active=True)
    return user


@action
def set_staff_rights(*, actor: Actor, user: User, is_staff: bool, permissions: Collection[str] = ()) -> User:
    """Give or take a person's access to the admin, and set their permissions there. Only for superusers.

    `permissions`: any of `actors.APPROVE`, `DECIDE` and `BREAK`. They count in every project.
    """
    actor.demand_superuser()
    if user.is_agent:
        raise Invalid.of("user", "An agent does not use the admin.")
    if user.is_superuser:
        raise Invalid.of("user", "A superuser may do everything already.")
    if unknown := sorted(set(permissions) - {APPROVE, DECIDE, BREAK}):
        raise Invalid.of("permissions", f"There is no permission {', '.join(unknown)}.")
    if permissions and not is_staff:
        raise Invalid.of("permissions", "Only staff has permissions.")
    user = User.objects.select_for_update(no_key=True).get(pk=user.pk)
    user.is_staff = is_staff
    user.save(update_fields=["is_staff"])
    grantable = Permission.objects.filter(
        content_type__app_label="leasehold", codename__in=[name.partition(".")[2] for name in (APPROVE, DECIDE, BREAK)]
    )
    wanted = [permission for permission in grantable if f"leasehold.{permission.codename}" in permissions]
    user.user_permissions.remove(*grantable)
    user.user_permissions.add(*wanted)
    data = {"is_staff": is_staff, "permissions": sorted(permissions)}
    write_account_entry("staff_rights_set", actor, user, clock.now(), **data)
    return user


def write_account_entry(kind: str, actor: Actor | None, user: User, at: datetime, **data: Any) -> None:
    """Append a journal entry about an account. Without an actor it names the command line."""
    participant = "" if actor else COMMAND_LINE
    journal.write(kind, at=at, actor=actor, participant=participant, subject=f"user:{user.pk}", **data)


def faults_of_password(password: str, user: User) -> list[str]:
    """Return the rules that a password violates, one sentence each."""
    try:
        validate_password(password, user)
    except ValidationError as error:
        return [str(message) for message in error.messages]
    return []


def _insert(user: User, actor: Actor | None) -> None:
    user.date_joined = at = clock.now()
    user.save(force_insert=True)
    data = {"name": user.username, "account_kind": user.kind, "is_superuser": user.is_superuser}
    write_account_entry("account_created", actor, user, at, **data)


def _username(value: object) -> str:
    username = names.checked_text(value, "username", 150, needed=True)
    try:
        ASCIIUsernameValidator()(username)
    except ValidationError as error:
        raise Invalid.of("username", "Expected letters (a to z), digits and @ . + - _ only.") from error
    if User.objects.named(username).exists():
        raise Invalid.of("username", "This name is taken.")
    return username


def _give_password(user: User, password: str | None, *, weak_allowed: bool) -> None:
    if password is None:
        user.set_unusable_password()
        return
    if not isinstance(password, str) or not password or "\0" in password or len(password) > 4096:
        raise Invalid.of("password", "A password is needed.")
    if not weak_allowed and (faults := faults_of_password(password, user)):
        raise Invalid(errors=[{"field": "password", "detail": fault} for fault in faults])
    user.set_password(password)


def _set_active(user: User, actor: Actor, *, is_active: bool) -> None:
    if User.objects.filter(pk=user.pk, is_active=not is_active).update(is_active=is_active):
        kind = "account_activated" if is_active else "account_deactivated"
        write_account_entry(kind, actor, user, clock.now(), name=user.username)
    user.is_active = is_active
