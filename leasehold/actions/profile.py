"""Change one's own full name, time zone and password."""

import zoneinfo

from leasehold import names
from leasehold.actions import action
from leasehold.actions.accounts import set_new_password, write_account_entry
from leasehold.actors import Actor
from leasehold.database import clock
from leasehold.exceptions import Forbidden, Invalid
from leasehold.models import Scope, User


@action
def set_profile(*, actor: Actor, name: str | None = None, time_zone: str | None = None) -> User:
    """Change one's own full name or time zone (`Europe/Berlin`; empty: the server's). None leaves a value as it is."""
    _demand_oneself(actor)
    user = User.objects.select_for_update(no_key=True).get(pk=actor.user.pk)
    before = (user.name, user.time_zone)
    if name is not None:
        user.name = names.checked_text(name, "name", 150)
    if time_zone is not None:
        user.time_zone = _time_zone(time_zone)
    if (user.name, user.time_zone) == before:
        return user
    user.save(update_fields=["name", "time_zone"])
    write_account_entry("profile_changed", actor, user, clock.now(), name=user.name, time_zone=user.time_zone)
    return user


@action
def change_password(*, actor: Actor, current: str, password: str) -> User:
    """Change one's own password, for which the current one is needed. Other browsers are signed out.

    Raises `Invalid` on `current` or `password`.
    """
    _demand_oneself(actor)
    user = User.objects.select_for_update(no_key=True).get(pk=actor.user.pk)
    if not isinstance(current, str) or not user.check_password(current):
        raise Invalid.of("current", "This is not your password.")
    set_new_password(user, password, actor=actor)
    return user


def _demand_oneself(actor: Actor) -> None:
    if actor.scope != Scope.ADMIN:
        raise Forbidden("This token does not reach that far.")


def _time_zone(value: object) -> str:
    name = names.checked_text(value, "time_zone", 64)
    if name and name not in zoneinfo.available_timezones():
        raise Invalid.of("time_zone", "Expected a zone like Europe/Berlin.")
    return name
