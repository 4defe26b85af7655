"""The cast, the clock, and the two databases. A test is a sentence about these people."""

import os
import shutil
from datetime import datetime, timedelta

import pytest
from django.db.backends.sqlite3.base import DatabaseOperations

from checkouts.models import Artifact
from leasehold.database import clock as leasehold_clock
from leasehold.models import Project, Role, User
from tests.factories import make_account, make_member, make_project
from tests.invariants import assert_sound
from tests.scenes import put


def pytest_report_header() -> str:
    from django import get_version
    from django.conf import settings

    return f"database: {settings.DATABASES['default']['ENGINE'].rpartition('.')[2]}, django {get_version()}"


def pytest_itemcollected(item: pytest.Item) -> None:
    """Threads and a served page see only what was committed."""
    if item.get_closest_marker("races") or item.get_closest_marker("browser"):
        item.add_marker(pytest.mark.django_db(transaction=True))


@pytest.fixture(scope="session", autouse=True)
def flush_past_the_seals():
    """Between tests with real transactions Django empties every table, on SQLite by DELETE, which the journal refuses.

    The seals are broken for this one occasion, in the statements of the flush itself; the `post_migrate` that follows
    makes them again.
    """
    honest = DatabaseOperations.sql_flush

    def sql_flush(self, *args, **kwargs):
        seals = ["journal_no_update", "journal_no_delete"]
        return [*(f"DROP TRIGGER IF EXISTS {seal}" for seal in seals), *honest(self, *args, **kwargs)]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(DatabaseOperations, "sql_flush", sql_flush)
        yield


class MovedClock:
    """The database's clock, moved on by so much for everybody. Seconds are whole, as leases count them."""

    def __init__(self) -> None:
        self.seconds = 0

    def forward(self, **by: float) -> None:
        """`clock.forward(hours=9)`: what `timedelta` takes."""
        self.seconds += int(timedelta(**by).total_seconds())

    def now(self) -> datetime:
        return leasehold_clock.now()


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> MovedClock:
    """Move the one clock; nothing sleeps. All threads of this process see it, other processes do not."""
    moved = MovedClock()
    real = leasehold_clock.sql
    monkeypatch.setattr(leasehold_clock, "sql", lambda seconds=0: real(seconds + moved.seconds))
    return moved


@pytest.fixture
def art(db) -> Project:
    return make_project("art", "Art")


@pytest.fixture
def alice(art: Project) -> User:
    """An editor of the project art."""
    user = make_account("alice", name="Alice Ames")
    make_member(art, user, Role.EDITOR)
    return user


@pytest.fixture
def bob(art: Project) -> User:
    """The other editor."""
    user = make_account("bob", name="Bob Byrne")
    make_member(art, user, Role.EDITOR)
    return user


@pytest.fixture
def vera(art: Project) -> User:
    """A viewer: reads and downloads."""
    user = make_account("vera", name="Vera Voss")
    make_member(art, user, Role.VIEWER)
    return user


@pytest.fixture
def olga(art: Project) -> User:
    """The operator: approves, decides, breaks."""
    user = make_account("olga", name="Olga Orr")
    make_member(art, user, Role.OPERATOR)
    return user


@pytest.fixture
def planner(art: Project) -> User:
    """A program with an account, an editor."""
    user = make_account("planner", kind=User.Kind.AGENT)
    make_member(art, user, Role.EDITOR)
    return user


@pytest.fixture
def mallory(db) -> User:
    """A stranger: an account without a membership."""
    return make_account("mallory")


@pytest.fixture
def admin(db) -> User:
    """The superuser."""
    return make_account("admin", is_staff=True, is_superuser=True)


@pytest.fixture
def sound(db):
    """After the test, every promise about leases, records, versions, bytes and the journal is asked for."""
    yield
    assert_sound()


@pytest.fixture
def hero(alice: User) -> Artifact:
    """A file under care: heroes/hero.psd in art, with one version, whose bytes are `one`."""
    return put(alice)


@pytest.fixture(scope="session")
def chromium() -> str:
    """The path of Debian's Chromium; without one the test is skipped, except in CI, which installs it."""
    path = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
    if path is None:
        (pytest.fail if os.environ.get("CI") else pytest.skip)("no Chromium on this machine")
    return path
