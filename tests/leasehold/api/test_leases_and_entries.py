import pytest
from django.db import transaction

from leasehold import journal, leases
from leasehold.actions.projects import set_project
from leasehold.actors import Actor
from leasehold.database import clock as the_clock
from tests.factories import make_project

LEASES, ENTRIES = "/api/v1/leases/", "/api/v1/entries/"


def take(resource, holder, participant, *, place="", ttl=600):
    with transaction.atomic():
        leases.acquire_one(resource, holder=holder, participant=participant, ttl=ttl, place=place, purpose="why")


@pytest.fixture
def held(art):
    make_project("art-2")
    take("artifact:1", "checkout:1:user:alice", "user:alice", place="art/hero.psd")
    take("artifact:2", "edit:u:agent:planner", "agent:planner", place="art/props/cape.psd", ttl=45)
    take("artifact:3", "checkout:3:user:carol", "user:carol", place="art-2/hero.psd")
    take("artifact:4", "checkout:4:user:mallory", "user:mallory", place="art-2/left.psd")
    take("scope:art", "ticket:7", "", place="art", ttl=0)
    take("scope:terminal-1", "ticket:8", "", place="terminal-1", ttl=0)
    take("role:critic/a", "pass:u:p1", "agent:other", ttl=0)


def resources(client, **query):
    return [row["resource"] for row in client.get(LEASES, query).json()["results"]]


def test_members_see_their_projects_leases_and_all_passes(as_, vera, held):
    assert resources(as_(vera)) == ["artifact:1", "artifact:2", "role:critic/a", "scope:art"]


def test_a_stranger_sees_passes_and_their_own_leases(as_, mallory, held):
    assert resources(as_(mallory)) == ["artifact:4", "role:critic/a"]


def test_a_superuser_sees_every_lease(as_, admin, held):
    assert len(resources(as_(admin))) == 7


def test_leases_are_filtered(as_, admin, held):
    client = as_(admin)
    assert resources(client, kind="checkout") == ["artifact:1", "artifact:3", "artifact:4"]
    assert resources(client, kind="pass") == ["role:critic/a"]
    assert resources(client, holder="alice") == resources(client, holder="user:alice") == ["artifact:1"]
    assert resources(client, holder="checkout:3:user:carol") == ["artifact:3"]
    assert resources(client, holder="planner", kind="checkout") == []
    assert resources(client, resource="artifact:2") == ["artifact:2"]
    assert resources(client, project="art") == ["artifact:1", "artifact:2", "scope:art"]
    assert resources(client, project="nothing") == []


def test_a_foreign_project_is_as_empty_as_an_unknown_one(as_, vera, held):
    assert resources(as_(vera), project="art-2") == resources(as_(vera), project="nothing") == []


def test_a_lapsed_lease_is_listed_and_marked(as_, vera, held, clock):
    clock.forward(seconds=46)
    rows = {row["resource"]: row for row in as_(vera).get(LEASES).json()["results"]}
    lapsed, live, endless = rows["artifact:2"], rows["artifact:1"], rows["role:critic/a"]
    assert (lapsed["is_lapsed"], lapsed["expires_in"], lapsed["participant"]) == (True, 0, "agent:planner")
    assert (live["is_lapsed"], live["kind"], live["purpose"]) == (False, "checkout", "why")
    assert 0 < live["expires_in"] <= 554
    assert (endless["is_lapsed"], endless["expires_at"], endless["expires_in"]) == (False, None, None)


def test_a_released_lease_is_not_listed(as_, vera, held):
    with transaction.atomic():
        leases.release("artifact:1", holder="checkout:1:user:alice")
    assert "artifact:1" not in resources(as_(vera))


def test_members_read_the_journal_of_their_projects(as_, vera, mallory, olga, art, clock):
    set_project(actor=Actor(olga), project=art, name="One")
    other = make_project("other")
    journal.write("project_created", at=the_clock.now(), subject="project:2", actor=Actor(olga), project_id=other.pk)
    clock.forward(hours=1)
    since = the_clock.as_iso(the_clock.now())
    set_project(actor=Actor(olga), project=art, name="Two")

    def names(client, **query):
        return [row["data"].get("name") for row in client.get(ENTRIES, query).json()["results"] if row["project"]]

    assert names(as_(vera)) == ["Two", "One"]
    assert names(as_(mallory)) == []
    assert names(as_(olga)) == ["Two", None, "One"]
    assert names(as_(vera), since=since) == ["Two"]
    assert names(as_(vera), actor="olga") == ["Two", "One"]
    assert names(as_(vera), actor="user:alice") == []
    assert names(as_(vera), subject=f"project:{art.pk}", kind="project_changed") == ["Two", "One"]
    assert names(as_(vera), project="other") == []


def test_an_entry_says_who_did_what_to_what_and_in_which_request(as_, olga, art):
    client = as_(olga)
    client.patch("/api/v1/projects/art/", {"name": "New"}, format="json", headers={"X-Request-Id": "build-7"})
    row = client.get(ENTRIES).json()["results"][0]
    assert row.pop("id")
    assert row.pop("at").endswith("Z")
    assert row == {
        "kind": "project_changed",
        "participant": "user:olga",
        "subject": f"project:{art.pk}",
        "project": "art",
        "request_id": "build-7",
        "data": {"name": "New", "name_before": "Art"},
    }


def test_leases_of_a_disabled_account_stay_listed(as_, alice, vera, held):
    alice.is_active = False
    alice.save()
    assert "artifact:1" in resources(as_(vera), holder="alice")


def test_a_lease_that_no_account_holds_has_no_participant(as_, vera, held):
    (row,) = as_(vera).get(LEASES, {"kind": "ticket"}).json()["results"]
    assert row["participant"] is None
