"""POST /passes/, /passes/renew/, /passes/release/, /passes/expire/, GET /passes/, and POST /leases/break/."""

import json

import pytest
from django.core import signing

from leasehold.models import Entry, Lease
from tests.factories import make_account

PASSES = "/api/v1/passes/"


def take(client, role="critic", context="chapter-3", pass_id="p1", ttl=60):  # noqa: S107  (no password)
    body = {"role": role, "context": context, "pass_id": pass_id, "ttl": ttl}
    return client.generic("POST", PASSES, json.dumps(body), content_type="application/json")


def release(client, token):
    return client.post(f"{PASSES}release/", {"token": token}, format="json")


def renew(client, token, ttl=60):
    return client.post(f"{PASSES}renew/", {"token": token, "ttl": ttl}, format="json")


def holding(client, **query):
    return [row["pass_id"] for row in client.get(PASSES, query).json()["results"]]


def test_a_pass_is_taken_listed_and_given_back(as_, planner, mallory):
    client = as_(planner)
    taken = take(client)
    assert taken.status_code == 201
    body = taken.json()
    assert (body["role"], body["context"], body["pass_id"], body["fence"], body["expires_in"]) == (
        "critic",
        "chapter-3",
        "p1",
        1,
        60,
    )
    assert body["participant"] == "agent:planner"
    (row,) = as_(mallory).get(PASSES).json()["results"]
    assert {**row, "expires_in": 0} == {
        **{key: value for key, value in body.items() if key != "token"},
        "is_lapsed": False,
        "expires_in": 0,
    }
    assert release(client, body["token"]).status_code == 204
    assert holding(client) == []
    assert take(client, pass_id="p2").json()["fence"] == 2


@pytest.mark.parametrize("pass_id", ["p1", "p2"])
def test_a_busy_refusal_names_the_running_pass_even_with_the_same_pass_id(as_, planner, alice, pass_id):
    first = take(as_(planner)).json()
    refused = take(as_(alice), pass_id=pass_id)
    assert refused.status_code == 409
    body = refused.json()
    assert body["code"] == "role_context_busy"
    assert (body["pass_id"], body["role"], body["context"]) == ("p1", "critic", "chapter-3")
    assert body["acquired_at"] == first["acquired_at"]


def test_the_ttl_is_required(as_, planner):
    body = {"role": "critic", "context": "c", "pass_id": "p"}
    refused = as_(planner).post(PASSES, body, format="json")
    assert (refused.status_code, refused.json()["errors"][0]["field"]) == (400, "ttl")
    forever = take(as_(planner), ttl=0).json()
    assert (forever["expires_at"], forever["expires_in"]) == (None, None)


@pytest.mark.parametrize("field", ["role", "context", "pass_id"])
@pytest.mark.parametrize("value", ["", "  ", "x" * 201, "é" * 101, "a\0", "\ud800", None, 7, ["a"]])
def test_an_impossible_name_is_refused_at_its_field(as_, planner, field, value):
    refused = take(as_(planner), **{field: value})
    assert (refused.status_code, refused.json()["errors"][0]["field"]) == (400, field)
    assert not Lease.objects.exists()


@pytest.mark.parametrize("ttl", [-1, 0.5, "60", True, None, 2_592_001, 2**63])
def test_an_impossible_ttl_is_refused(as_, planner, ttl):
    refused = take(as_(planner), ttl=ttl)
    assert (refused.status_code, refused.json()["errors"][0]["field"]) == (400, "ttl")
    token = take(as_(planner)).json()["token"]
    assert renew(as_(planner), token, ttl).status_code == 400


def test_the_token_alone_renews_and_releases(as_, planner, alice, clock):
    taken = take(as_(planner)).json()
    clock.forward(seconds=50)
    renewed = renew(as_(alice), taken["token"], 100)
    assert renewed.status_code == 200
    assert (renewed.json()["fence"], renewed.json()["acquired_at"]) == (taken["fence"], taken["acquired_at"])
    assert renewed.json()["expires_in"] in (99, 100)
    clock.forward(seconds=90)
    assert take(as_(planner), pass_id="p2").status_code == 409
    assert renew(as_(alice), taken["token"], 0).json()["expires_at"] is None
    clock.forward(days=400)
    assert take(as_(planner), pass_id="p2").status_code == 409
    assert release(as_(alice), renewed.json()["token"]).status_code == 204
    assert take(as_(planner), pass_id="p2").status_code == 201


def test_after_a_take_over_renew_and_release_change_nothing(as_, planner, clock):
    client = as_(planner)
    stale = take(client, ttl=10).json()["token"]
    clock.forward(seconds=11)
    new = take(client, pass_id="p2").json()
    lost = renew(client, stale)
    assert (lost.status_code, lost.json()["code"], lost.json()["lease"]["fence"]) == (409, "lease_lost", 2)
    assert release(client, stale).status_code == 204
    assert holding(client) == ["p2"]
    assert take(client, pass_id="p3").json()["pass_id"] == "p2"
    assert renew(client, new["token"]).status_code == 200


def test_a_lapsed_pass_that_nobody_took_can_be_renewed(as_, planner, clock):
    token = take(as_(planner), ttl=10).json()["token"]
    clock.forward(seconds=11)
    assert as_(planner).get(PASSES).json()["results"][0]["is_lapsed"] is True
    assert renew(as_(planner), token).status_code == 200


def test_release_always_answers_204(as_, planner):
    client = as_(planner)
    token = take(client).json()["token"]
    forged = signing.dumps(["role:critic/chapter-3", "pass:x:p1", 1], salt="mine")
    for nonsense in (forged, token[:-1], "x", ":::", "é:é"):
        assert release(client, nonsense).status_code == 204
        refused = renew(client, nonsense)
        assert (refused.status_code, refused.json()["errors"][0]["field"]) == (400, "token")
    assert holding(client) == ["p1"]
    for _ in range(3):
        assert release(client, token).status_code == 204
    assert Entry.objects.filter(kind="pass_released").count() == 1
    for wrong in ({}, {"token": 7}, {"token": None}, {"token": token, "force": True}):
        assert client.post(f"{PASSES}release/", wrong, format="json").status_code == 400


def test_tokens_cannot_be_guessed(as_, planner):
    first = take(as_(planner)).json()["token"]
    release(as_(planner), first)
    again = take(as_(planner)).json()["token"]
    assert first != again
    assert release(as_(planner), first).status_code == 204
    assert holding(as_(planner)) == ["p1"]


def test_slashes_in_names_keep_passes_apart(as_, planner):
    client = as_(planner)
    assert take(client, "a/b", "c", "p1").status_code == 201
    assert take(client, "a", "b/c", "p2").status_code == 201
    assert take(client, "a%2Fb", "c", "p3").status_code == 201
    assert take(client, "a/b", "c", "p4").status_code == 409
    assert {(row["role"], row["context"]) for row in client.get(PASSES).json()["results"]} == {
        ("a/b", "c"),
        ("a", "b/c"),
        ("a%2Fb", "c"),
    }


def test_the_list_is_filtered_by_role_context_and_both(as_, planner):
    client = as_(planner)
    for number, (role, context) in enumerate([("a", "x"), ("a", "y"), ("ab", "x"), ("A", "X"), ("%", "_")]):
        take(client, role, context, f"p{number}")
    assert holding(client, role="a") == ["p0", "p1"]
    assert sorted(holding(client, context="x")) == ["p0", "p2"]
    assert holding(client, role="a", context="x") == ["p0"]
    assert holding(client, role="%", context="_") == ["p4"]
    assert holding(client, context="%") == holding(client, role="_") == []
    assert client.get(f"{PASSES}?role=%00").status_code == 400
    first = client.get(PASSES, {"limit": 2}).json()
    assert len(first["results"]) == 2
    assert len(client.get(first["next"]).json()["results"]) == 2


def test_a_read_token_changes_no_pass(as_, planner):
    token = take(as_(planner)).json()["token"]
    reader = as_(planner, "read")
    for refused in (take(reader, pass_id="p2"), renew(reader, token), release(reader, token)):
        assert (refused.status_code, refused.json()["code"]) == (403, "forbidden")
    assert holding(reader) == ["p1"]


def test_only_staff_expire_passes(as_, planner, alice, admin, clock):
    take(as_(planner), context="short", ttl=10)
    take(as_(planner), context="long", ttl=1000)
    take(as_(planner), context="endless", ttl=0)
    clock.forward(seconds=11)
    for client in (as_(planner), as_(alice), as_(admin, "write"), as_(admin, "read")):
        assert client.post(f"{PASSES}expire/").status_code == 403
    assert as_(admin).post(f"{PASSES}expire/").json() == {"expired": 1}
    assert as_(admin).post(f"{PASSES}expire/").json() == {"expired": 0}
    assert {row["context"] for row in as_(planner).get(PASSES).json()["results"]} == {"long", "endless"}
    entry = Entry.objects.get(kind="lease_lapsed")
    assert (entry.subject, entry.data["held_by"]) == ("role:critic/short", "agent:planner")


# --- breaking ---


def break_(client, resource, reason="stuck"):
    return client.post("/api/v1/leases/break/", {"resource": resource, "reason": reason}, format="json")


def test_staff_break_a_pass_with_a_reason(as_, planner, admin):
    token = take(as_(planner), ttl=0).json()["token"]
    broken = break_(as_(admin), "role:critic/chapter-3")
    assert broken.status_code == 200
    assert (broken.json()["broken"], broken.json()["lease"]["participant"]) == (True, "agent:planner")
    assert break_(as_(admin), "role:critic/chapter-3").json() == {"broken": False, "lease": None}
    entry = Entry.objects.get(kind="pass_broken")
    assert (entry.data["reason"], entry.data["pass_id"], entry.data["holder"]) == ("stuck", "p1", "agent:planner")
    assert renew(as_(planner), token).json()["code"] == "lease_lost"
    assert take(as_(planner), pass_id="p2").status_code == 201


def test_breaking_a_pass_needs_staff_rights_and_a_reason(as_, planner, alice, olga, admin):
    take(as_(planner), ttl=0)
    for client in (as_(planner), as_(alice), as_(olga), as_(admin, "write")):
        assert break_(client, "role:critic/chapter-3").status_code == 403
    for reason in ("", "  ", None, 7, "x" * 501):
        refused = break_(as_(admin), "role:critic/chapter-3", reason)
        assert (refused.status_code, refused.json()["errors"][0]["field"]) == (400, "reason")
    assert holding(as_(admin)) == ["p1"]


def test_an_agent_breaks_no_pass_even_with_staff_rights(as_, planner):
    robot = make_account("robot", kind="agent", is_staff=True, is_superuser=True)
    take(as_(planner), ttl=0)
    assert break_(as_(robot, "admin"), "role:critic/chapter-3").status_code == 403
    assert as_(robot, "admin").post(f"{PASSES}expire/").status_code == 403


def test_breaking_nothing_leaves_no_row(as_, admin):
    assert break_(as_(admin), "role:nobody/nothing").json() == {"broken": False, "lease": None}
    for unknown in ("artifact:1", "artifact:x", "artifact:9999999999999999999999", "artifact:", "user:1", "x", "role"):
        assert break_(as_(admin), unknown).status_code == 404
    for wrong in ("", None, 7, "a\0"):
        assert break_(as_(admin), wrong).status_code == 400
    assert not Lease.objects.exists()


def test_a_reservation_ends_by_a_decision_on_its_ticket(as_, admin):
    refused = break_(as_(admin), "scope:art/heroes")
    assert (refused.status_code, refused.json()["code"]) == (409, "wrong_state")
    assert "ticket" in refused.json()["detail"]
