"""`manage.py demo` creates a demo project, once."""

import hashlib
import io
import re
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from checkouts import selectors
from checkouts.bytes import storage
from checkouts.demo.files import DEMO_FILES
from checkouts.management.commands import demo
from checkouts.models import Artifact, Blob, Checkout, Version
from leasehold.actors import Actor
from leasehold.models import Entry, Lease, Membership, Project, User
from tests.factories import make_account

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def stage(settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    settings.LEASEHOLD_BLOBS = tmp_path / "blobs"
    for variable in (demo.DEMO_PASSWORD, demo.ADMIN_PASSWORD):
        monkeypatch.delenv(variable, raising=False)


@pytest.fixture(scope="module", autouse=True)
def drawn_once():
    """Every test here gets the same files; drawing them takes a second."""
    drawn = demo.draw()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(demo, "draw", lambda: drawn)
        yield


def run() -> str:
    output = io.StringIO()
    call_command("demo", stdout=output)
    return output.getvalue()


def password_of(name: str, output: str) -> str:
    return re.search(rf"^  {name} +\S+ +(\S.*)$", output, re.MULTILINE)[1]


def account(name: str) -> User:
    return User.objects.get(username=name)


def test_everybody_has_their_role_and_the_printed_password(admin: User):
    output = run()
    roles = Membership.objects.filter(project__slug="demo", project__name="Demo").values_list("user__username", "role")
    assert dict(roles) == {"alice": "editor", "bob": "editor", "vera": "viewer", "olga": "operator"}
    passwords = {name: password_of(name, output) for name in ("alice", "bob", "vera", "olga")}
    assert len(set(passwords.values())) == 4
    assert all(account(name).check_password(password) for name, password in passwords.items())
    assert "superuser" not in output
    assert not User.objects.filter(is_superuser=True).exclude(pk=admin.pk).exists()


def test_every_file_is_added_with_its_bytes_and_comment(admin: User):
    run()
    first = {version.artifact.path: version for version in Version.objects.filter(number=1)}
    assert set(first) == {file.path for file in DEMO_FILES}
    for file in DEMO_FILES:
        with storage.open_blob(first[file.path].blob.key) as blob:
            content = blob.read()
        assert content == file.make(1)
        assert first[file.path].digest == "sha256:" + hashlib.sha256(content).hexdigest()
        assert first[file.path].comment == file.comments[0]
    assert {version.author.username for version in first.values()} == {"alice", "bob"}
    assert sorted(key for key, _ in storage.stored_keys()) == sorted(Blob.objects.values_list("key", flat=True))


def test_the_hero_has_versions_by_bob_and_alice(admin: User):
    run()
    hero = Artifact.objects.get(path="heroes/hero.psd")
    history = [(version.number, version.author.username) for version in selectors.versions_of(hero)]
    assert history == [(3, "alice"), (2, "bob"), (1, "alice")]
    assert len({version.digest for version in hero.versions.all()}) == 3
    outcomes = Checkout.objects.filter(artifact=hero).order_by("pk").values_list("actor__username", "outcome")
    assert list(outcomes) == [("bob", "committed"), ("alice", "committed")]


def test_bob_holds_the_budget_and_nothing_else_is_held(admin: User):
    run()
    (lease,) = Lease.objects.exclude(holder="")
    budget = Artifact.objects.get(path="costs/Budget 2026.xlsx")
    assert (lease.resource, lease.participant) == (budget.resource, "user:bob")
    assert lease.purpose == "Add the travel to the festival"
    assert selectors.open_checkout_of(Actor(account("bob")), budget).base_version.number == 1


def test_a_second_run_says_so_and_changes_nothing(admin: User):
    run()
    before = [model.objects.count() for model in (Project, User, Membership, Artifact, Version, Checkout, Entry)]
    passwords = list(User.objects.values_list("password", flat=True))
    assert run() == "The project “demo” is there already; nothing was changed.\n"
    assert before == [
        model.objects.count() for model in (Project, User, Membership, Artifact, Version, Checkout, Entry)
    ]
    assert passwords == list(User.objects.values_list("password", flat=True))


def test_one_password_for_all_comes_from_the_environment_and_is_not_printed(
    admin: User, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("LEASEHOLD_DEMO_PASSWORD", "open sesame")
    output = run()
    assert "open sesame" not in output
    assert password_of("vera", output) == "(in LEASEHOLD_DEMO_PASSWORD)"
    assert all(account(name).check_password("open sesame") for name in ("alice", "bob", "vera", "olga"))


def test_an_account_that_is_there_already_keeps_its_password(admin: User):
    alice = make_account("Alice")
    output = run()
    assert password_of("alice", output) == "(as before)"
    assert User.objects.get(pk=alice.pk).password == alice.password
    assert Membership.objects.get(user=alice).role == "editor"


def test_a_disabled_bob_stops_the_command(admin: User):
    make_account("bob", is_active=False)
    with pytest.raises(CommandError, match="bob is disabled"):
        run()
    assert not Project.objects.exists()
    assert set(User.objects.values_list("username", flat=True)) == {"admin", "bob"}


def test_the_first_administrator_is_created_on_an_empty_database(db):
    output = run()
    admin = account("admin")
    assert admin.is_superuser
    assert admin.check_password(password_of("admin", output))
