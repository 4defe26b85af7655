import io
import json

import pytest
from django.core.management import CommandError, call_command
from django.db import transaction

from leasehold import leases
from leasehold.actions.accounts import COMMAND_LINE
from leasehold.actors import Actor
from leasehold.models import Entry, Token, User
from leasehold.passes.lease_table import LeaseRoleContextLocks
from tests.scenes import out


def run(*arguments):
    out = io.StringIO()
    call_command(*arguments, stdout=out, stderr=io.StringIO())
    return out.getvalue()


def take(resource, holder, participant, ttl, purpose=""):
    with transaction.atomic():
        leases.acquire_one(resource, holder=holder, participant=participant, ttl=ttl, purpose=purpose)


def test_create_user_prints_a_persons_new_password(db):
    name, _, password = run("create_user", "carol").strip().partition(": password ")
    assert User.objects.get(username=name).check_password(password)


def test_create_user_accepts_a_weak_password(db):
    assert run("create_user", "carol", "--password", "pw") == ""
    assert User.objects.get().check_password("pw")


def test_create_user_gives_an_agent_no_password(db):
    assert run("create_user", "planner", "--kind", "agent") == ""
    assert not User.objects.get().has_usable_password()


def test_create_user_explains_a_wrong_name(alice):
    with pytest.raises(CommandError, match="This name is taken"):
        run("create_user", "Alice")


def test_create_project_and_set_member(planner):
    assert run("create_project", "levels", "Levels") == ""
    assert run("set_member", "levels", "Planner", "viewer") == ""
    assert run("set_member", "levels", "planner", "editor") == ""
    assert planner.memberships.values_list("role", flat=True).get(project__slug="levels") == "editor"
    entries = Entry.objects.filter(project__slug="levels").order_by("id")
    assert [entry.kind for entry in entries] == ["project_created", "member_added", "member_added"]
    assert {entry.participant for entry in entries} == {COMMAND_LINE}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["create_project", "Art!"], "Expected 1 to 50"),
        (["create_project", "art"], "There is a project with this slug"),
        (["set_member", "nowhere", "alice", "editor"], "There is no project nowhere"),
        (["set_member", "art", "nobody", "editor"], "There is no account nobody"),
    ],
)
def test_create_project_and_set_member_explain_errors(arguments, message, alice):
    with pytest.raises(CommandError, match=message):
        run(*arguments)


def test_create_token_prints_only_the_token(planner):
    text = run("create_token", "planner")
    token = Token.objects.get()
    assert text.strip().startswith("lh_")
    assert text.count("\n") == 1
    assert (token.user, token.scope) == (planner, "write")
    run("create_token", "PLANNER", "--scope", "read", "--days", "3")
    assert Token.objects.first().scope == "read"
    with pytest.raises(CommandError, match="There is no account nobody"):
        run("create_token", "nobody")


def test_who_holds_shows_live_and_lapsed_leases(db, clock):
    assert run("who_holds") == "Nobody holds anything.\n"
    take("artifact:1", "checkout:1:user:alice", "user:alice", 60, "the cape")
    take("role:critic/a", "pass:1:p", "agent:planner", 0)
    clock.forward(seconds=61)
    lines = run("who_holds").splitlines()
    assert len(lines) == 3
    assert lines[1].startswith("artifact:1")
    assert "lapsed" in lines[1]
    assert lines[1].endswith("the cape")
    assert "until released" in lines[2]
    assert len(run("who_holds", "artifact:1").splitlines()) == 2
    assert run("who_holds", "artifact:2") == "Nobody holds anything at artifact:2.\n"


def test_who_holds_finds_files_and_folders_by_path(hero, bob):
    out(bob, hero)
    for what in ("art/heroes/hero.psd", "art/heroes", "ART/Heroes/hero.PSD", "art"):
        assert "user:bob" in run("who_holds", what), what
    assert "begins with its project's slug" in run("who_holds", "heroes/hero.psd")
    with pytest.raises(CommandError, match="neither begins nor ends"):
        run("who_holds", "/art/")


def test_who_holds_as_json(db):
    take("artifact:1", "checkout:1:user:alice", "user:alice", 60, "the cape")
    (row,) = json.loads(run("who_holds", "--json"))
    assert row["participant"] == "user:alice"
    assert row["expires_in"] == 60
    assert row["expires_at"].endswith("Z")
    assert row["is_lapsed"] is False


def test_passes_marks_lapsed_passes(planner, clock):
    assert run("passes") == "No pass runs.\n"
    locks = LeaseRoleContextLocks(Actor(planner))
    locks.try_acquire("critic", "a/b", "p1", 60)
    locks.try_acquire("writer", "a", "p2")
    clock.forward(seconds=61)
    first, second = run("passes").splitlines()
    assert first.startswith("critic on a/b: p1 of agent:planner, until ")
    assert first.endswith("lapsed")
    assert second == "writer on a: p2 of agent:planner, until its release"
    assert run("passes", "--role", "writer").splitlines() == [second]
    (row,) = json.loads(run("passes", "--context", "a/b", "--json"))
    assert (row["role"], row["pass_id"], row["expires_in"], row["is_lapsed"]) == ("critic", "p1", 0, True)


def test_passes_expire_frees_lapsed_passes(planner, clock):
    locks = LeaseRoleContextLocks(Actor(planner))
    locks.try_acquire("critic", "a", "p1", 60)
    locks.try_acquire("critic", "b", "p2")
    assert run("passes", "--expire") == "0 passes had run out.\n"
    clock.forward(seconds=61)
    assert run("passes", "--expire") == "1 passes had run out.\n"
    assert "p1" not in run("passes")
    entry = Entry.objects.get(kind="lease_lapsed")
    assert (entry.subject, entry.participant) == ("role:critic/a", COMMAND_LINE)
