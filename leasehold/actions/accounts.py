"""Accounts: who may sign in, and programs' accounts. Names never change."""

import secrets
from collections.abc import Collection

from django.contrib.auth.models import Permission
from django.contrib.auth.password_validation import validate_password
from django.contrib.auth.validators import ASCIIUsernameValidator
from django.core.exceptions import ValidationError
from django.db.models.functions import Lower

from leasehold import journal, names
from leasehold.actions import action
from leasehold.actors import APPROVE, BREAK, DECIDE, Actor
from leasehold.database import clock
from leasehold.exceptions import Forbidden, Invalid
from leasehold.models import Scope, User

COMMAND_LINE = "system:command"  # whoever has the machine and its database
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
    """Make an account; superusers and the command line (actor none) only. An agent gets tokens, never a password.

    Names are ASCII: neither database can be relied on to compare other letters without regard to case. Raises `Invalid`
    for a name that is malformed or taken, and for a weak password; the command line may choose a weak one.
    """
    if actor is not None:
        actor.demand_superuser()
    if kind not in User.Kind.values:
        raise Invalid.of("kind", f"Expected one of {', '.join(User.Kind.values)}.")
    user = User(username=_username(username), kind=kind, name=names.text(name, "name", 150))
    if user.is_agent and (password or is_superuser):
        raise Invalid.of("kind", "An agent has no password and is no superuser.")
    user.is_superuser = user.is_staff = is_superuser
    _give_password(user, password, weak_allowed=actor is None)
    user.date_joined = at = clock.now()
    user.save(force_insert=True)
    journal.write(
        "account_created",
        at=at,
        subject=f"user:{user.pk}",
        actor=actor,
        participant="" if actor else COMMAND_LINE,
        name=user.username,
        account_kind=user.kind,
        is_superuser=user.is_superuser,
    )
    return user


@action
def set_password(*, actor: Actor | None, user: User, password: str) -> None:
    """Set one's own password, or as a superuser or on the command line somebody else's. Ends the other sessions."""
    if actor is not None and actor.user.pk == user.pk:
        if actor.scope != Scope.ADMIN:
            raise Forbidden
    elif actor is not None:
        actor.demand_superuser()
    set_new_password(user, password, actor=actor)


def set_new_password(user: User, password: str, *, actor: Actor | None) -> None:
    """Of an action: the password's rules, the row and the journal. Who may do it was judged before."""
    if user.is_agent:
        raise Invalid.of("password", "An agent signs in by token only.")
    _give_password(user, password or "", weak_allowed=actor is None)
    user.save(update_fields=["password"])
    journal.write(
        "password_set",
        at=clock.now(),
        subject=f"user:{user.pk}",
        actor=actor,
        participant="" if actor else COMMAND_LINE,
    )


@action
def create_first_administrator(*, password: str | None = None) -> str | None:
    """Make the superuser `admin` with this password, or with a new one, and return it; none if there is a superuser."""
    if User.objects.filter(is_superuser=True).exists():
        return None
    password = password or secrets.token_urlsafe(12)
    user = User(username=_username(ADMINISTRATOR), is_superuser=True, is_staff=True)
    user.set_password(password)
    user.date_joined = at = clock.now()
    user.save(force_insert=True)
    journal.write(
        "account_created",
        at=at,
        subject=f"user:{user.pk}",
        participant=COMMAND_LINE,
        name=user.username,
        account_kind=user.kind,
        is_superuser=True,
    )
    return password


@action
def deactivate_user(*, actor: Actor, user: User) -> User:
    """Stop an account's tokens and browser sessions at once; superusers, and never oneself. Again, it changes nothing.

    Nothing that the account holds is dropped: leases run on, and whatever was checked out is there for an operator.
    """
    actor.demand_superuser()
    if user.pk == actor.user.pk:
        raise Forbidden("Nobody can deactivate their own account.")
    _switch(user, actor, is_active=False)
    return user


@action
def activate_user(*, actor: Actor, user: User) -> User:
    """Let an account in again; superusers. Its tokens that have not run out work again."""
    actor.demand_superuser()
    _switch(user, actor, is_active=True)
    return user


@action
def set_staff_rights(*, actor: Actor, user: User, is_staff: bool, permissions: Collection[str] = ()) -> User:
    """Open or close the admin to a person, and say what they may do there in every project; superusers.

    `permissions` are those of `actors`: approve_ticket, decide_ticket, break_lease.
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
    ours = Permission.objects.filter(
        content_type__app_label="leasehold", codename__in=[name.partition(".")[2] for name in (APPROVE, DECIDE, BREAK)]
    )
    wanted = [permission for permission in ours if f"leasehold.{permission.codename}" in permissions]
    user.user_permissions.remove(*ours)
    user.user_permissions.add(*wanted)
    journal.write(
        "staff_rights_set",
        at=clock.now(),
        subject=f"user:{user.pk}",
        actor=actor,
        is_staff=is_staff,
        permissions=sorted(permissions),
    )
    return user


def faults_of_password(password: str, user: User) -> list[str]:
    """What the password rules have against it, one sentence each."""
    try:
        validate_password(password, user)
    except ValidationError as error:
        return [str(message) for message in error.messages]
    return []


def _username(value: object) -> str:
    username = names.text(value, "username", 150, needed=True)
    try:
        ASCIIUsernameValidator()(username)
    except ValidationError as error:
        raise Invalid.of("username", "Expected letters (a to z), digits and @ . + - _ only.") from error
    if User.objects.alias(key=Lower("username")).filter(key=username.lower()).exists():
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


def _switch(user: User, actor: Actor, *, is_active: bool) -> None:
    if User.objects.filter(pk=user.pk, is_active=not is_active).update(is_active=is_active):
        kind = "account_activated" if is_active else "account_deactivated"
        journal.write(kind, at=clock.now(), subject=f"user:{user.pk}", actor=actor, name=user.username)
    user.is_active = is_active
