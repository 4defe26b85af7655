"""GET /checkouts/ and /checkouts/{id}/; extend, discard, break."""

import pytest

from checkouts.models import Checkout
from leasehold.models import Membership
from tests.checkouts.api.conftest import API, FIRST, SECOND, added, check_in, checked_out, list_costs

CHECKOUTS = f"{API}/checkouts/"


def ids(response):
    assert response.status_code == 200, response.json()
    return [row["id"] for row in response.json()["results"]]


def post(client, checkout, verb, body=None):
    return client.post(f"{CHECKOUTS}{checkout['id']}/{verb}/", body, format="json")


def still(checkout):
    """A check-out without its remaining seconds."""
    lease = checkout["lease"] and checkout["lease"] | {"expires_in": 0}
    return checkout | {"lease": lease}


# --- seeing


def test_one_check_out_reads_as_it_was_granted(as_, alice, vera, hero):
    granted = checked_out(as_(alice), hero, purpose="New cape")
    for client in (as_(alice), as_(vera)):
        assert still(client.get(f"{CHECKOUTS}{granted['id']}/").json()) == still(granted)
        assert still(client.get(CHECKOUTS).json()["results"][0]) == still(granted)


def test_states_are_derived(as_, alice, bob, olga, clock):
    client = as_(alice)
    files = [added(client, path) for path in ("closed", "held", "lapsed", "broken", "taken")]
    by_name = {
        row["path"]: checked_out(client, row, ttl=60 if row["path"] in ("lapsed", "taken") else 7200) for row in files
    }
    check_in(client, by_name["closed"], SECOND)
    post(as_(olga), by_name["broken"], "break", {"reason": "She is away"})
    clock.forward(seconds=61)
    bobs = checked_out(as_(bob), files[4])

    def of(state):
        return ids(client.get(CHECKOUTS, {"state": state, "mine": "true"}))

    number = {name: checkout["id"] for name, checkout in by_name.items()}
    assert of("closed") == [number["closed"]]
    assert of("held") == [number["held"]]
    assert of("lapsed") == [number["taken"], number["lapsed"]]
    assert of("broken") == [number["broken"]]
    assert of("open") == sorted((number[name] for name in ("held", "lapsed", "broken", "taken")), reverse=True)
    assert ids(client.get(CHECKOUTS, {"state": "held"})) == [bobs["id"], number["held"]]
    rows = {row["id"]: row for row in client.get(CHECKOUTS).json()["results"]}
    assert {name: rows[number[name]]["is_lapsed"] for name in number} == {
        "closed": False, "held": False, "lapsed": True, "broken": False, "taken": True,
    }  # fmt: skip
    assert [name for name in number if rows[number[name]]["lease"]] == ["held"]


def test_lists_by_project_and_of_ones_own(as_, alice, bob, admin, hero):
    first, second = checked_out(as_(alice), hero), checked_out(as_(bob), added(as_(bob), "b.psd"))
    assert ids(as_(alice).get(CHECKOUTS)) == [second["id"], first["id"]]
    assert ids(as_(alice).get(CHECKOUTS, {"mine": "true"})) == [first["id"]]
    assert ids(as_(alice).get(CHECKOUTS, {"project": "art"})) == [second["id"], first["id"]]
    assert ids(as_(alice).get(CHECKOUTS, {"project": "other"})) == []
    assert ids(as_(admin).get(CHECKOUTS)) == [second["id"], first["id"]]


def test_strangers_see_no_check_outs(as_, alice, mallory, hero):
    checkout = checked_out(as_(alice), hero)
    assert ids(as_(mallory).get(CHECKOUTS)) == ids(as_(mallory).get(CHECKOUTS, {"project": "art"})) == []
    unknown = as_(mallory).get(f"{CHECKOUTS}{2**63 - 1}/")
    responses = [as_(mallory).get(f"{CHECKOUTS}{checkout['id']}/")]
    responses += [post(as_(mallory), checkout, verb, {}) for verb in ("extend", "discard")]
    responses += [post(as_(mallory), checkout, "break", {"reason": "mine"})]
    for foreign in responses:
        assert foreign.status_code == unknown.status_code == 404
        assert {**foreign.json(), "request_id": ""} == {**unknown.json(), "request_id": ""}
    assert Checkout.objects.get().is_open


def test_own_check_outs_stay_visible_after_leaving_the_project(as_, alice, hero):
    checkout = checked_out(as_(alice), hero)
    Membership.objects.filter(user=alice).delete()
    assert ids(as_(alice).get(CHECKOUTS)) == [checkout["id"]]
    assert post(as_(alice), checkout, "discard").status_code == 200


@pytest.mark.parametrize("query", ["state=lost", "mine=perhaps", "project=%00", "limit=201", "cursor=e30"])
def test_an_invalid_filter_is_400(as_, alice, query):
    refused = as_(alice).get(f"{CHECKOUTS}?{query}")
    assert (refused.status_code, refused.json()["errors"][0]["field"]) == (400, query.partition("=")[0])


def test_a_list_costs_the_same_for_ten_check_outs_and_for_three_hundred(as_, alice, hero):
    client = as_(alice)
    checkout = Checkout.objects.get(pk=checked_out(client, hero)["id"])
    counts = list_costs(client, f"{CHECKOUTS}?limit=200&state=open&project=art", checkout, at_most=5)
    assert counts[0] == counts[1]


# --- extend


def test_an_extension_counts_from_now_and_keeps_the_fence(as_, alice, hero, clock):
    checkout = checked_out(as_(alice), hero, ttl=600)
    clock.forward(seconds=500)
    extended = post(as_(alice), checkout, "extend", {"ttl": 3600})
    assert extended.status_code == 200
    lease = extended.json()["lease"]
    assert 3590 < lease["expires_in"] <= 3600
    assert (lease["fence"], lease["holder"]) == (checkout["lease"]["fence"], checkout["lease"]["holder"])
    assert lease["acquired_at"] == checkout["lease"]["acquired_at"]
    assert 590 < post(as_(alice), checkout, "extend").json()["lease"]["expires_in"] <= 600


def test_a_lapsed_check_out_can_be_extended_if_the_file_is_free(as_, alice, hero, clock):
    checkout = checked_out(as_(alice), hero, ttl=60)
    clock.forward(hours=1)
    assert post(as_(alice), checkout, "extend").json()["is_lapsed"] is False


def test_a_lapsed_check_out_is_not_extended_once_bob_took_the_file(as_, alice, bob, hero, clock):
    checkout = checked_out(as_(alice), hero, ttl=60)
    clock.forward(seconds=61)
    bobs = checked_out(as_(bob), hero)
    busy = post(as_(alice), checkout, "extend")
    assert (busy.status_code, busy.json()["code"]) == (409, "artifact_busy")
    assert busy.json()["lease"]["participant"] == "user:bob"
    check_in(as_(bob), bobs, SECOND)
    stale = post(as_(alice), checkout, "extend")
    assert (stale.status_code, stale.json()["code"]) == (409, "stale_base")
    assert (stale.json()["base"], stale.json()["head"]) == (1, 2)


def test_a_closed_check_out_is_not_extended(as_, alice, hero):
    checkout = checked_out(as_(alice), hero)
    check_in(as_(alice), checkout, FIRST)
    refused = post(as_(alice), checkout, "extend")
    assert (refused.status_code, refused.json()["code"]) == (409, "checkout_closed")
    assert refused.json()["outcome"] == "unchanged"


@pytest.mark.parametrize("ttl", [-1, 0, 0.5, "900", True, None, 2592001, 2**63])
def test_an_invalid_ttl_is_400(as_, alice, hero, ttl):
    checkout = checked_out(as_(alice), hero)
    refused = post(as_(alice), checkout, "extend", {"ttl": ttl})
    assert (refused.status_code, refused.json()["errors"][0]["field"]) == (400, "ttl")
    assert still(as_(alice).get(f"{CHECKOUTS}{checkout['id']}/").json()) == still(checkout)


# --- discard


def test_a_second_discard_changes_nothing(as_, alice, bob, hero):
    checkout = checked_out(as_(alice), hero)
    first, again = (post(as_(alice), checkout, "discard") for _ in range(2))
    assert first.status_code == again.status_code == 200
    assert first.json() == again.json()
    assert (first.json()["outcome"], first.json()["result"], first.json()["lease"]) == ("discarded", None, None)
    bobs = checked_out(as_(bob), hero)
    assert post(as_(alice), checkout, "discard").status_code == 200
    assert as_(bob).get(f"{CHECKOUTS}{bobs['id']}/").json()["lease"]


def test_only_the_holder_extends_and_discards(as_, alice, bob, vera, olga, hero):
    checkout = checked_out(as_(alice), hero)
    for client in (as_(bob), as_(vera), as_(olga), as_(alice, "read")):
        for verb in ("extend", "discard"):
            refused = post(client, checkout, verb)
            assert (refused.status_code, refused.json()["code"]) == (403, "forbidden")
    assert still(as_(alice).get(f"{CHECKOUTS}{checkout['id']}/").json()) == still(checkout)


# --- break


def test_a_break_loses_no_work(as_, alice, bob, olga, hero):
    checkout = checked_out(as_(alice), hero)
    response = post(as_(olga), checkout, "break", {"reason": "She is away"})
    assert response.status_code == 200
    broken = response.json()
    assert (broken["state"], broken["is_lapsed"], broken["lease"]) == ("open", False, None)
    assert broken["broken"]["at"].endswith("Z")
    assert broken["broken"] | {"at": None} == {
        "at": None, "by": "olga", "participant": "user:olga", "how": "broken", "reason": "She is away",
    }  # fmt: skip
    assert post(as_(olga), checkout, "break", {"reason": "Again"}).json() == broken
    lost = post(as_(alice), checkout, "extend")
    assert (lost.status_code, lost.json()["code"], lost.json()["lease"]) == (409, "lease_lost", None)
    assert "user:olga" in lost.json()["detail"]
    assert "She is away" in lost.json()["detail"]
    checked_out(as_(bob), hero)
    assert check_in(as_(alice), checkout, SECOND).status_code == 202
    assert post(as_(alice), checkout, "discard").json()["outcome"] == "proposed"


def test_after_a_break_the_old_holder_still_commits_if_nothing_changed(as_, alice, olga, hero):
    checkout = checked_out(as_(alice), hero)
    post(as_(olga), checkout, "break", {"reason": "She is away"})
    assert check_in(as_(alice), checkout, SECOND).status_code == 201


@pytest.mark.parametrize("body", [{}, {"reason": ""}, {"reason": "  "}, {"reason": 7}, {"reason": "x" * 501}])
def test_a_break_without_a_reason_is_400(as_, alice, olga, hero, body):
    checkout = checked_out(as_(alice), hero)
    refused = post(as_(olga), checkout, "break", body)
    assert (refused.status_code, refused.json()["errors"][0]["field"]) == (400, "reason")
    assert Checkout.objects.get().broken_at is None


def test_only_an_operator_with_a_break_token_breaks(as_, alice, bob, vera, olga, planner, art, hero):
    checkout = checked_out(as_(alice), hero)
    Membership.objects.filter(user=planner).update(role="operator")
    for client in (as_(alice), as_(bob), as_(vera), as_(planner), as_(olga, "write"), as_(olga, "read")):
        refused = post(client, checkout, "break", {"reason": "I want it"})
        assert (refused.status_code, refused.json()["code"]) == (403, "forbidden")
    assert still(as_(alice).get(f"{CHECKOUTS}{checkout['id']}/").json()) == still(checkout)
