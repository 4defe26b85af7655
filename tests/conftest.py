"""Fixtures for all tests: the people, their project, a file, and the clock that tests can move."""

import os
import shutil
from datetime import datetime, timedelta
from pathlib import Path
from uuid import UUID

import pytest
from django.apps import apps
from django.db.backends.sqlite3.base import DatabaseOperations
from django.db.models.signals import post_migrate

from checkouts.bytes import site_file
from checkouts.models import Artifact
from leasehold.database import clock as leasehold_clock
from leasehold.models import Project, Role, Site, User
from leasehold.sites import readiness
from tests.factories import make_account, make_account_in, make_project
from tests.invariants import assert_sound
from tests.scenes import put


def pytest_report_header() -> str:
    from django import get_version
    from django.conf import settings

    return f"database: {settings.DATABASES['default']['ENGINE'].rpartition('.')[2]}, django {get_version()}"


def pytest_itemcollected(item: pytest.Item) -> None:
    """Give races and browser tests real transactions: other threads see only what was committed."""
    if item.get_closest_marker("races") or item.get_closest_marker("browser"):
        item.add_marker(pytest.mark.django_db(transaction=True))


@pytest.fixture(scope="session", autouse=True)
def flush_without_triggers():
    """Drop the journal's triggers when Django flushes SQLite after a test with real transactions.

    Django empties every table by DELETE, which the triggers refuse. The `post_migrate` after the flush creates them
    again.
    """
    original = DatabaseOperations.sql_flush

    def sql_flush(self, *args, **kwargs):
        triggers = ["journal_no_update", "journal_no_delete"]
        return [*(f"DROP TRIGGER IF EXISTS {trigger}" for trigger in triggers), *original(self, *args, **kwargs)]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(DatabaseOperations, "sql_flush", sql_flush)
        yield


@pytest.fixture(scope="session", autouse=True)
def one_identity():
    """Give the site the same identity again after a flush of the database, which the folder of bytes outlives."""

    def name_site(using: str = "default", **_):
        Site.objects.using(using).update(identity=UUID("5173e5e1-7e57-4000-8000-000000000001"))

    post_migrate.connect(name_site, sender=apps.get_app_config("leasehold"), dispatch_uid="name_site")
    yield
    post_migrate.disconnect(sender=apps.get_app_config("leasehold"), dispatch_uid="name_site")


@pytest.fixture(scope="session", autouse=True)
def fresh_readiness():
    """Let /readyz look at the folder of bytes at every request: it is another folder in most tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(readiness, "SECONDS", -1)
        yield


class MovedClock:
    """The database's clock, moved on by whole seconds."""

    def __init__(self) -> None:
        self.seconds = 0

    def forward(self, **by: float) -> None:
        """Move the clock on: `clock.forward(hours=9)` takes the arguments of `timedelta`."""
        self.seconds += int(timedelta(**by).total_seconds())

    def now(self) -> datetime:
        return leasehold_clock.now()


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> MovedClock:
    """The database's clock, which the test can move. All threads of this process see it, other processes do not."""
    moved = MovedClock()
    real = leasehold_clock.sql
    monkeypatch.setattr(leasehold_clock, "sql", lambda seconds=0: real(seconds + moved.seconds))
    return moved


@pytest.fixture
def blobs(settings, tmp_path: Path) -> Path:
    """The folder in which this test stores the bytes of files. It is empty, and not there yet."""
    settings.LEASEHOLD_BLOBS = tmp_path / "blobs"
    return settings.LEASEHOLD_BLOBS


@pytest.fixture
def lone_blobs(blobs: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of stored bytes for a test without a database, with which the folder would be compared."""
    monkeypatch.setattr(site_file, "demand_own_folder", lambda: None)
    return blobs


@pytest.fixture
def art(db) -> Project:
    return make_project("art", "Art")


@pytest.fixture
def alice(art: Project) -> User:
    """An editor of the project art."""
    return make_account_in(art, "alice", Role.EDITOR, name="Alice Ames")


@pytest.fixture
def bob(art: Project) -> User:
    """Another editor of art."""
    return make_account_in(art, "bob", Role.EDITOR, name="Bob Byrne")


@pytest.fixture
def vera(art: Project) -> User:
    """A viewer of art: reads and downloads."""
    return make_account_in(art, "vera", Role.VIEWER, name="Vera Voss")


@pytest.fixture
def olga(art: Project) -> User:
    """The operator of art: approves, decides, breaks."""
    return make_account_in(art, "olga", Role.OPERATOR, name="Olga Orr")


@pytest.fixture
def planner(art: Project) -> User:
    """An agent, which is an editor of art."""
    return make_account_in(art, "planner", Role.EDITOR, kind=User.Kind.AGENT)


@pytest.fixture
def mallory(db) -> User:
    """An account without a membership."""
    return make_account("mallory")


@pytest.fixture
def admin(db) -> User:
    """The superuser."""
    return make_account("admin", is_staff=True, is_superuser=True)


@pytest.fixture
def sound(db):
    """Assert the invariants of `tests/invariants.py` after the test."""
    yield
    assert_sound()


@pytest.fixture
def hero(alice: User) -> Artifact:
    """The file heroes/hero.psd in art, with one version, whose bytes are `one`."""
    return put(alice)


@pytest.fixture(scope="session")
def chromium() -> str:
    """The path of Chromium. Without one the test is skipped, except in CI, where it fails."""
    path = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
    if path is None:
        (pytest.fail if os.environ.get("CI") else pytest.skip)("no Chromium on this machine")
    return path
