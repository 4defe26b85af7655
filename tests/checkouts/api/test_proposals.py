"""GET /proposals/, /proposals/{id}/, …/content/, and what is decided on one: accept, reject, withdraw, rebuild."""

import pytest

from checkouts.models import Proposal
from leasehold.models import Lease, Membership
from tests.checkouts.api.conftest import API, SECOND, THIRD, check_in, checked_out, content_of, list_costs

PROPOSALS = f"{API}/proposals/"


@pytest.fixture
def kept(as_, alice, bob, hero, clock):
    """Alice's late check-in, kept as a proposal while bob has the file."""
    late = checked_out(as_(alice), hero, ttl=60)
    clock.forward(seconds=61)
    checked_out(as_(bob), hero)
    return check_in(as_(alice), late, SECOND, "?comment=Late").json()["proposal"]


def test_a_proposal_is_listed_read_and_downloaded(as_, alice, bob, vera, hero, kept):
    for client in (as_(alice), as_(bob), as_(vera), as_(vera, "read")):
        assert client.get(PROPOSALS).json()["results"] == [kept]
        assert client.get(f"{PROPOSALS}{kept['id']}/").json() == kept
        response = client.get(f"{PROPOSALS}{kept['id']}/content/")
        assert content_of(response) == SECOND
        assert response["ETag"] == f'"{kept["digest"]}"'
        assert 'filename="hero.psd"' in response["Content-Disposition"]
        assert content_of(client.head(f"{PROPOSALS}{kept['id']}/content/")) == b""


def test_a_proposal_names_its_author_and_base(kept, hero):
    assert (kept["project"], kept["artifact"]) == ("art", {"id": hero["id"], "path": "heroes/hero.psd"})
    assert (kept["author"], kept["participant"], kept["comment"]) == ("alice", "user:alice", "Late")
    assert kept["base"] == {"number": 1, "digest": hero["head"]["digest"]}
    assert (kept["state"], kept["decided_by"], kept["decided_at"]) == ("open", None, None)


def test_filters(as_, alice, kept):
    client = as_(alice)
    assert len(client.get(PROPOSALS, {"state": "open", "project": "art"}).json()["results"]) == 1
    assert client.get(PROPOSALS, {"state": "accepted"}).json()["results"] == []
    assert client.get(PROPOSALS, {"project": "other"}).json()["results"] == []
    for query in ("state=lost", "project=%00"):
        assert client.get(f"{PROPOSALS}?{query}").json()["code"] == "invalid"


def test_a_foreign_proposal_is_unknown(as_, mallory, kept):
    unknown = as_(mallory).get(f"{PROPOSALS}{2**63 - 1}/")
    for below in ("", "content/"):
        foreign = as_(mallory).get(f"{PROPOSALS}{kept['id']}/{below}")
        assert foreign.status_code == unknown.status_code == 404
        assert {**foreign.json(), "request_id": ""} == {**unknown.json(), "request_id": ""}
    assert as_(mallory).get(PROPOSALS).json()["results"] == []


def test_own_proposals_stay_visible_after_leaving_the_project(as_, alice, kept):
    Membership.objects.filter(user=alice).delete()
    assert as_(alice).get(PROPOSALS).json()["results"] == [kept]
    assert content_of(as_(alice).get(f"{PROPOSALS}{kept['id']}/content/")) == SECOND


def test_a_proposal_cannot_be_posted(as_, olga, kept):
    refused = as_(olga).post(PROPOSALS, {"artifact": 1})
    assert (refused.status_code, refused.json()["code"]) == (405, "method_not_allowed")


def test_a_list_costs_the_same_for_ten_proposals_and_for_three_hundred(as_, alice, kept):
    counts = list_costs(as_(alice), f"{PROPOSALS}?limit=200&state=open&project=art", Proposal.objects.get(), at_most=5)
    assert counts[0] == counts[1]


def test_the_newest_comes_first(as_, alice, bob, hero, kept, clock):
    clock.forward(hours=9)
    late = checked_out(as_(alice), hero, ttl=60)
    clock.forward(seconds=61)
    checked_out(as_(bob), hero)
    other = check_in(as_(alice), late, THIRD).json()["proposal"]
    assert [row["id"] for row in as_(bob).get(PROPOSALS).json()["results"]] == [other["id"], kept["id"]]


# --- deciding on one ---


def decide(client, kept, verb, **body):
    return client.post(f"{PROPOSALS}{kept['id']}/{verb}/", body, format="json")


@pytest.fixture
def free(kept, clock):
    """The proposal, after bob has released the file."""
    clock.forward(hours=9)
    return kept


def test_an_accepted_proposal_is_the_next_version(as_, olga, hero, free):
    response = decide(as_(olga), free, "accept")
    assert response.status_code == 201
    version = response.json()
    assert (version["number"], version["digest"], version["author"], version["comment"]) == (
        2,
        free["digest"],
        "alice",
        "Late",
    )
    assert version["provenance"] == {**free["provenance"], "proposal": free["id"], "accepted_by": "user:olga"}
    assert response["ETag"] == f'"{free["digest"]}"'
    seen = as_(olga).get(f"{PROPOSALS}{free['id']}/").json()
    assert (seen["state"], seen["decided_by"], seen["reason"]) == ("accepted", "olga", "")
    for path in (f"proposals/{free['id']}/content/", f"artifacts/{hero['id']}/content/"):
        assert content_of(as_(olga).get(f"{API}/{path}")) == SECOND
    again = decide(as_(olga), free, "accept")
    assert (again.status_code, again.json()["code"], again.json()["state"]) == (409, "wrong_state", "accepted")


def test_accepting_is_refused_while_anybody_holds_the_file(as_, bob, olga, hero, kept, clock):
    refused = decide(as_(olga), kept, "accept")
    assert (refused.status_code, refused.json()["code"]) == (409, "artifact_busy")
    assert refused.json()["lease"]["participant"] == "user:bob"
    clock.forward(hours=9)
    checked_out(as_(olga), hero)
    assert decide(as_(olga), kept, "accept").json()["lease"]["participant"] == "user:olga"
    assert Proposal.objects.get().state == "open"


def test_a_decided_proposal_is_not_busy(as_, olga, kept):
    decide(as_(olga), kept, "reject", reason="Too dark")
    assert decide(as_(olga), kept, "accept").json()["code"] == "wrong_state"


def test_a_stale_proposal_can_be_accepted_after_a_rebuild(as_, alice, bob, olga, hero, free):
    check_in(as_(bob), checked_out(as_(bob), hero), THIRD)
    stale = decide(as_(olga), free, "accept")
    assert (stale.status_code, stale.json()["code"]) == (409, "stale_proposal")
    assert (stale.json()["base"], stale.json()["head"]) == (1, 2)
    assert not Lease.objects.exclude(holder="").exists()
    rebuilt = decide(as_(olga), free, "rebuild")
    assert rebuilt.status_code == 201
    new = rebuilt.json()
    assert (new["base"]["number"], new["digest"], new["author"], new["state"]) == (2, free["digest"], "alice", "open")
    assert new["provenance"] == {**free["provenance"], "rebuilt_from": free["id"]}
    assert as_(alice).get(f"{PROPOSALS}{free['id']}/").json()["state"] == "superseded"
    assert decide(as_(olga), new, "accept").json()["number"] == 3
    for row in (free, new):
        assert content_of(as_(alice).get(f"{PROPOSALS}{row['id']}/content/")) == SECOND


def test_a_rebuild_without_effect_is_refused(as_, bob, olga, hero, free):
    refused = decide(as_(olga), free, "rebuild")
    assert (refused.status_code, refused.json()["code"]) == (409, "wrong_state")
    check_in(as_(bob), checked_out(as_(bob), hero), SECOND)
    same = decide(as_(olga), free, "rebuild")
    assert (same.json()["code"], same.json()["allowed"]) == ("wrong_state", ["reject"])
    assert Proposal.objects.count() == 1


def test_a_rejection_has_a_reason(as_, olga, alice, kept):
    for reason in ("", "  ", None, 7):
        refused = decide(as_(olga), kept, "reject", reason=reason)
        assert (refused.status_code, refused.json()["errors"][0]["field"]) == (400, "reason")
    response = decide(as_(olga), kept, "reject", reason="Too dark")
    assert response.status_code == 200
    assert (response.json()["state"], response.json()["reason"], response.json()["decided_by"]) == (
        "rejected",
        "Too dark",
        "olga",
    )
    assert content_of(as_(alice).get(f"{PROPOSALS}{kept['id']}/content/")) == SECOND
    for verb in ("accept", "rebuild", "withdraw"):
        client = as_(alice) if verb == "withdraw" else as_(olga)
        assert decide(client, kept, verb).json()["state"] == "rejected"


def test_only_the_author_withdraws(as_, alice, bob, olga, kept):
    for client in (as_(bob), as_(olga)):
        assert decide(client, kept, "withdraw").status_code == 403
    Membership.objects.filter(user=alice).delete()
    response = decide(as_(alice), kept, "withdraw")
    assert (response.status_code, response.json()["state"]) == (200, "withdrawn")


def test_only_human_operators_decide(as_, alice, bob, vera, olga, planner, mallory, kept):
    verbs = {"accept": {}, "reject": {"reason": "no"}, "rebuild": {}}
    Membership.objects.filter(user=planner).update(role="operator")
    for verb, body in verbs.items():
        for client in (as_(alice), as_(bob), as_(vera), as_(planner, "admin"), as_(olga, "write"), as_(olga, "read")):
            assert decide(client, kept, verb, **body).status_code == 403, verb
        assert decide(as_(mallory), kept, verb, **body).status_code == 404
    assert Proposal.objects.get().state == "open"


def test_unknown_fields_are_refused(as_, olga, kept):
    for verb in ("accept", "rebuild", "withdraw"):
        assert decide(as_(olga), kept, verb, force=True).json()["errors"][0]["field"] == "force"
