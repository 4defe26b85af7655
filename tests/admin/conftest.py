"""Fixtures of the admin's tests: staff accounts, and a browser for each."""

from collections.abc import Callable

import pytest
from django.contrib.auth.models import Permission
from django.test import Client

from leasehold.models import User
from tests.factories import browser_of


@pytest.fixture
def browser() -> Callable[[User], Client]:
    """`browser(olga)`: a client in which she is signed in."""
    return browser_of


@pytest.fixture
def staff() -> Callable[..., User]:
    """`staff(olga, "break_lease")`: she can use the admin, with these permissions."""

    def make_staff(user: User, *codenames: str) -> User:
        user.is_staff = True
        user.save(update_fields=["is_staff"])
        user.user_permissions.set(Permission.objects.filter(codename__in=codenames))
        return User.objects.get(pk=user.pk)  # drops the permissions that Django has cached

    return make_staff
