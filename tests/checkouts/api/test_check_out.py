"""POST /artifacts/{id}/checkouts/."""

import pytest

from checkouts.models import Checkout
from leasehold import leases
from tests.checkouts.api.conftest import API, added, checked_out, statements


def test_a_check_out_returns_base_and_lease(as_, alice, hero):
    checkout = checked_out(as_(alice), hero, ttl=3600, purpose="New cape")
    assert checkout["project"] == "art"
    assert checkout["artifact"] == {"id": hero["id"], "path": "heroes/hero.psd"}
    assert checkout["base"] == {"number": 1, "digest": hero["head"]["digest"]}
    assert (checkout["user"], checkout["participant"]) == ("alice", "user:alice")
    assert (checkout["state"], checkout["outcome"], checkout["client"]) == ("open", None, "api")
    assert (checkout["is_lapsed"], checkout["broken"], checkout["result"]) == (False, None, None)
    lease = checkout["lease"]
    assert set(lease) == {
        "resource", "holder", "kind", "participant", "purpose", "acquired_at", "expires_at", "expires_in", "fence",
    }  # fmt: skip
    assert lease["resource"] == f"artifact:{hero['id']}"
    assert lease["holder"] == f"checkout:{checkout['id']}:user:alice"
    assert (lease["kind"], lease["participant"], lease["purpose"]) == ("checkout", "user:alice", "New cape")
    assert 3590 < lease["expires_in"] <= 3600
    assert lease["expires_at"].endswith("Z")
    assert lease["expires_at"] == checkout["expires_at"]


def test_without_a_body_it_lasts_eight_hours(as_, alice, hero):
    response = as_(alice).post(f"{API}/artifacts/{hero['id']}/checkouts/")
    assert response.status_code == 201
    assert 8 * 3600 - 10 < response.json()["lease"]["expires_in"] <= 8 * 3600


def test_a_busy_refusal_says_who_why_and_until_when(as_, alice, bob, hero):
    held = checked_out(as_(alice), hero, ttl=600, purpose="New cape")
    refused = as_(bob).post(f"{API}/artifacts/{hero['id']}/checkouts/")
    assert refused.status_code == 409
    assert refused["Content-Type"] == "application/problem+json"
    problem = refused.json()
    assert problem["code"] == "artifact_busy"
    assert problem["lease"] | {"expires_in": 0} == held["lease"] | {"expires_in": 0}
    assert 590 < int(refused["Retry-After"]) <= 600


def test_a_second_check_out_by_its_holder_is_refused_with_her_lease(as_, alice, hero):
    held = checked_out(as_(alice), hero)
    refused = as_(alice).post(f"{API}/artifacts/{hero['id']}/checkouts/")
    assert refused.status_code == 409
    assert refused.json()["lease"]["holder"] == held["lease"]["holder"]
    assert Checkout.objects.count() == 1


def test_a_lapsed_file_can_be_checked_out(as_, alice, bob, hero, clock):
    checked_out(as_(alice), hero, ttl=60)
    clock.forward(seconds=61)
    assert checked_out(as_(bob), hero)["lease"]["fence"] == 2


def test_an_agent_can_check_out(as_, planner, hero):
    checkout = checked_out(as_(planner), hero)
    assert checkout["participant"] == checkout["lease"]["participant"] == "agent:planner"


@pytest.mark.parametrize("who", ["vera", "mallory", "alice, reading"])
def test_who_may_not_check_out(as_, who, alice, vera, mallory, hero):
    client = {"vera": as_(vera), "mallory": as_(mallory), "alice, reading": as_(alice, "read")}[who]
    refused = client.post(f"{API}/artifacts/{hero['id']}/checkouts/")
    unknown = client.post(f"{API}/artifacts/{hero['id'] + 1}/checkouts/")
    if who == "mallory":
        assert refused.status_code == unknown.status_code == 404
        assert {**refused.json(), "request_id": ""} == {**unknown.json(), "request_id": ""}
    else:
        assert (refused.status_code, refused.json()["code"]) == (403, "forbidden")
    assert not Checkout.objects.exists()
    assert leases.read([f"artifact:{hero['id']}"]) == []


def test_without_a_token_it_is_401(client, hero):
    refused = client.post(f"{API}/artifacts/{hero['id']}/checkouts/")
    assert (refused.status_code, refused.json()["code"]) == (401, "unauthenticated")


@pytest.mark.parametrize(
    "body",
    [
        '{"ttl": -1}', '{"ttl": 0}', '{"ttl": 0.5e-9}', '{"ttl": NaN}', '{"ttl": Infinity}', '{"ttl": 1e400}',
        '{"ttl": 1e12}', '{"ttl": 1000000000000}', '{"ttl": 9223372036854775808}', '{"ttl": "900s"}', '{"ttl": "8h"}',
        '{"ttl": "900"}', '{"ttl": true}', '{"ttl": null}', '{"ttl": 2592001}', '{"ttl": 900.0}', '{"ttl": [900]}',
        '{"purpose": 7}', '{"purpose": null}', '{"purpose": "a\\u0000b"}', '{"purpose": "\\ud800"}',
        '{"tll": 900}', '{"session": 7}', '{"ttl": 900, "ttl": 901}',
    ],
)  # fmt: skip
def test_an_invalid_ttl_or_purpose_writes_nothing(as_, alice, hero, body):
    client = as_(alice)
    refused = client.generic("POST", f"{API}/artifacts/{hero['id']}/checkouts/", body, content_type="application/json")
    assert (refused.status_code, refused.json()["code"]) == (400, "invalid")
    assert refused.json()["errors"][0]["detail"]
    assert not Checkout.objects.exists()
    assert leases.read([f"artifact:{hero['id']}"]) == []


def test_thirty_days_is_the_longest(as_, alice, hero):
    assert checked_out(as_(alice), hero, ttl=30 * 86400)["lease"]["expires_in"] == 30 * 86400


def test_a_check_out_costs_at_most_eight_statements(as_, alice, hero):
    client = as_(alice)
    with statements(client, at_most=8):
        checked_out(client, hero)


def test_a_busy_refusal_costs_at_most_three_statements_and_writes_nothing(as_, alice, bob, hero):
    checked_out(as_(alice), hero)
    client = as_(bob)
    with statements(client, at_most=3) as found:
        assert client.post(f"{API}/artifacts/{hero['id']}/checkouts/").status_code == 409
    assert not [sql for sql in found if not sql.startswith("SELECT")]


def test_two_files_are_two_check_outs(as_, alice, bob, hero):
    other = added(as_(alice), "heroes/other.psd")
    assert checked_out(as_(alice), hero)["id"] != checked_out(as_(bob), other)["id"]
