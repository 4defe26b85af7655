"""GET /proposals/, /proposals/{id}/ and …/content/."""

import pytest

from checkouts.models import Proposal
from leasehold.models import Membership
from tests.checkouts.api.conftest import API, SECOND, THIRD, check_in, checked_out, content_of, statements

PROPOSALS = f"{API}/proposals/"


@pytest.fixture
def kept(as_, alice, bob, hero, clock):
    """Alice's late check-in, kept while bob has the file."""
    late = checked_out(as_(alice), hero, ttl=60)
    clock.forward(seconds=61)
    checked_out(as_(bob), hero)
    return check_in(as_(alice), late, SECOND, "?comment=Late").json()["proposal"]


def test_a_proposal_is_listed_shown_and_downloaded(as_, alice, bob, vera, hero, kept):
    for client in (as_(alice), as_(bob), as_(vera), as_(vera, "read")):
        assert client.get(PROPOSALS).json()["results"] == [kept]
        assert client.get(f"{PROPOSALS}{kept['id']}/").json() == kept
        answer = client.get(f"{PROPOSALS}{kept['id']}/content/")
        assert content_of(answer) == SECOND
        assert answer["ETag"] == f'"{kept["digest"]}"'
        assert 'filename="hero.psd"' in answer["Content-Disposition"]
        assert content_of(client.head(f"{PROPOSALS}{kept['id']}/content/")) == b""


def test_it_says_from_whom_and_against_what(kept, hero):
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


def test_a_foreign_proposal_is_an_unknown_one(as_, mallory, kept):
    unknown = as_(mallory).get(f"{PROPOSALS}{2**63 - 1}/")
    for below in ("", "content/"):
        foreign = as_(mallory).get(f"{PROPOSALS}{kept['id']}/{below}")
        assert foreign.status_code == unknown.status_code == 404
        assert {**foreign.json(), "request_id": ""} == {**unknown.json(), "request_id": ""}
    assert as_(mallory).get(PROPOSALS).json()["results"] == []


def test_ones_own_stay_after_one_left_the_project(as_, alice, kept):
    Membership.objects.filter(user=alice).delete()
    assert as_(alice).get(PROPOSALS).json()["results"] == [kept]
    assert content_of(as_(alice).get(f"{PROPOSALS}{kept['id']}/content/")) == SECOND


def test_nobody_files_one_by_hand(as_, olga, kept):
    refused = as_(olga).post(PROPOSALS, {"artifact": 1})
    assert (refused.status_code, refused.json()["code"]) == (405, "method_not_allowed")


def test_a_list_costs_the_same_for_ten_proposals_and_for_three_hundred(as_, alice, kept):
    client, counts, one = as_(alice), [], Proposal.objects.get()
    columns = {
        field.attname: getattr(one, field.attname) for field in Proposal._meta.concrete_fields if not field.primary_key
    }
    for more in (9, 290):
        Proposal.objects.bulk_create(Proposal(**columns) for _ in range(more))
        with statements(client, at_most=5) as found:
            client.get(f"{PROPOSALS}?limit=200&state=open&project=art")
        counts.append(len(found))
    assert counts[0] == counts[1]


def test_the_newest_comes_first(as_, alice, bob, hero, kept, clock):
    clock.forward(hours=9)
    late = checked_out(as_(alice), hero, ttl=60)
    clock.forward(seconds=61)
    checked_out(as_(bob), hero)
    other = check_in(as_(alice), late, THIRD).json()["proposal"]
    assert [row["id"] for row in as_(bob).get(PROPOSALS).json()["results"]] == [other["id"], kept["id"]]
