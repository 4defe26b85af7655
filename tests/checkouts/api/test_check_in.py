"""POST /checkouts/{id}/check-in/: the verdict table through HTTP, with real bodies."""

import hashlib

import pytest

from checkouts.models import Artifact, Blob, Checkout, Proposal, Version
from leasehold.models import Membership
from tests.checkouts.api.conftest import (
    API,
    FIRST,
    SECOND,
    THIRD,
    a_file,
    check_in,
    checked_out,
    content_of,
    statements,
    stored,
)


def digest(content: bytes) -> str:
    return f"sha256:{hashlib.sha256(content).hexdigest()}"


def head_of(artifact) -> Version:
    return Artifact.objects.get(pk=artifact["id"]).head


def lapse(clock, checkout) -> None:
    clock.forward(seconds=checkout["lease"]["expires_in"] + 1)


# --- the verdict table, row by row ----------------------------------------------------------------------


def test_bob_cannot_check_in_what_alice_has(as_, alice, bob, olga, hero, blobs):
    checkout = checked_out(as_(alice), hero)
    for somebody in (bob, olga):
        refused = check_in(as_(somebody), checkout, SECOND)
        assert (refused.status_code, refused.json()["code"]) == (403, "forbidden")
    assert head_of(hero).number == 1
    assert len(stored(blobs)) == 1


def test_the_same_bytes_again_give_the_first_answer_again(as_, alice, hero, blobs):
    client = as_(alice)
    checkout = checked_out(client, hero)
    first = check_in(client, checkout, SECOND, "?comment=Darker")
    again = check_in(client, checkout, SECOND, "?comment=Something+else")
    assert (first.status_code, again.status_code) == (201, 200)
    assert (first.json()["replayed"], again.json()["replayed"]) == (False, True)
    assert again.json() | {"replayed": False} == first.json()
    assert Version.objects.count() == Blob.objects.count() == len(stored(blobs)) == 2


def test_a_replayed_proposal_is_the_same_proposal(as_, alice, bob, hero, clock, blobs):
    stale = checked_out(as_(alice), hero, ttl=60)
    lapse(clock, stale)
    checked_out(as_(bob), hero)
    first, again = (check_in(as_(alice), stale, SECOND) for _ in range(2))
    assert (first.status_code, again.status_code) == (202, 200)
    assert again.json() | {"replayed": False} == first.json()
    assert Proposal.objects.count() == 1
    assert len(stored(blobs)) == 2


def test_other_bytes_on_a_closed_check_out_are_refused_and_not_stored(as_, alice, hero, blobs):
    client = as_(alice)
    checkout = checked_out(client, hero)
    check_in(client, checkout, SECOND)
    refused = check_in(client, checkout, THIRD)
    assert refused.status_code == 409
    assert (refused.json()["code"], refused.json()["outcome"]) == ("checkout_closed", "committed")
    assert len(stored(blobs)) == 2


def test_a_discarded_check_out_takes_no_check_in(as_, alice, hero):
    client = as_(alice)
    checkout = checked_out(client, hero)
    client.post(f"{API}/checkouts/{checkout['id']}/discard/")
    refused = check_in(client, checkout, SECOND)
    assert (refused.status_code, refused.json()["outcome"]) == (409, "discarded")


def test_the_heads_bytes_commit_nothing_and_end_the_check_out(as_, alice, bob, hero, blobs):
    client = as_(alice)
    response = check_in(client, checked_out(client, hero), FIRST)
    assert response.status_code == 200
    body = response.json()
    assert (body["outcome"], body["replayed"], body["version"]["number"]) == ("unchanged", False, 1)
    assert (body["checkout"]["state"], body["checkout"]["outcome"]) == ("closed", "unchanged")
    assert Version.objects.count() == len(stored(blobs)) == 1
    checked_out(as_(bob), hero)


def test_the_heads_bytes_are_unchanged_even_while_bob_has_it(as_, alice, bob, hero, clock):
    lapsed = checked_out(as_(alice), hero, ttl=60)
    lapse(clock, lapsed)
    bobs = checked_out(as_(bob), hero)
    assert check_in(as_(alice), lapsed, FIRST).json()["outcome"] == "unchanged"
    assert as_(bob).get(f"{API}/checkouts/{bobs['id']}/").json()["lease"]


def test_while_bob_has_it_alices_bytes_are_kept_as_a_proposal(as_, alice, bob, hero, clock):
    lapsed = checked_out(as_(alice), hero, ttl=60)
    lapse(clock, lapsed)
    bobs = checked_out(as_(bob), hero)
    response = check_in(as_(alice), lapsed, SECOND, "?comment=Late")
    assert response.status_code == 202
    body = response.json()
    assert (body["outcome"], body["replayed"]) == ("proposed", False)
    assert (body["proposal"]["base"]["number"], body["proposal"]["digest"]) == (1, digest(SECOND))
    assert (body["proposal"]["comment"], body["proposal"]["state"]) == ("Late", "open")
    assert body["proposal"]["provenance"]["checkout"] == lapsed["id"]
    assert body["checkout"]["result"] == {
        "version": None, "proposal": body["proposal"]["id"], "digest": digest(SECOND)
    }  # fmt: skip
    assert head_of(hero).number == 1
    assert as_(bob).get(f"{API}/checkouts/{bobs['id']}/").json()["lease"]
    kept = as_(alice).get(f"{API}/proposals/{body['proposal']['id']}/content/")
    assert content_of(kept) == SECOND


def test_after_bobs_commit_alices_check_in_becomes_a_proposal(as_, alice, bob, hero, clock):
    stale = checked_out(as_(alice), hero, ttl=60)
    lapse(clock, stale)
    assert check_in(as_(bob), checked_out(as_(bob), hero), THIRD).status_code == 201
    response = check_in(as_(alice), stale, SECOND)
    assert response.status_code == 202
    assert response.json()["proposal"]["base"] == {"number": 2, "digest": digest(THIRD)}
    assert response.json()["proposal"]["provenance"]["base_version"] == 1
    assert head_of(hero).digest == digest(THIRD)


def test_a_former_editors_check_in_becomes_a_proposal(as_, alice, vera, hero):
    client = as_(alice)
    checkout = checked_out(client, hero)
    Membership.objects.filter(user=alice).delete()
    assert client.get(f"{API}/artifacts/{hero['id']}/").status_code == 404
    assert client.get(f"{API}/checkouts/{checkout['id']}/").status_code == 200
    response = check_in(client, checkout, SECOND)
    assert (response.status_code, response.json()["outcome"]) == (202, "proposed")
    assert content_of(client.get(f"{API}/proposals/{response.json()['proposal']['id']}/content/")) == SECOND


def test_alice_commits_what_she_has(as_, alice, bob, hero):
    client = as_(alice)
    response = check_in(client, checked_out(client, hero), SECOND, "?comment=Darker")
    assert response.status_code == 201
    body = response.json()
    assert (body["outcome"], body["replayed"]) == ("committed", False)
    assert (body["version"]["number"], body["version"]["digest"]) == (2, digest(SECOND))
    assert (body["version"]["size"], body["version"]["comment"]) == (len(SECOND), "Darker")
    assert (body["version"]["author"], body["version"]["participant"]) == ("alice", "user:alice")
    assert (body["checkout"]["state"], body["checkout"]["lease"]) == ("closed", None)
    assert content_of(as_(bob).get(f"{API}/artifacts/{hero['id']}/content/")) == SECOND
    checked_out(as_(bob), hero)


def test_a_lapsed_lease_that_nobody_took_still_commits(as_, alice, hero, clock):
    checkout = checked_out(as_(alice), hero, ttl=60)
    lapse(clock, checkout)
    assert check_in(as_(alice), checkout, SECOND).status_code == 201
    entry = as_(alice).get(f"{API}/entries/?kind=version_committed").json()["results"][0]
    assert entry["data"]["renewed_lapsed_lease"] is True


def test_it_commits_if_bob_held_the_file_and_changed_nothing(as_, alice, bob, hero, clock):
    checkout = checked_out(as_(alice), hero, ttl=60)
    lapse(clock, checkout)
    bobs = checked_out(as_(bob), hero)
    as_(bob).post(f"{API}/checkouts/{bobs['id']}/discard/")
    assert check_in(as_(alice), checkout, SECOND).status_code == 201


# --- who may --------------------------------------------------------------------------------------------


def test_an_agent_checks_in(as_, planner, hero):
    response = check_in(as_(planner), checked_out(as_(planner), hero), SECOND)
    assert (response.status_code, response.json()["version"]["participant"]) == (201, "agent:planner")


def test_a_read_only_token_cannot_check_in(as_, alice, hero, blobs):
    checkout = checked_out(as_(alice), hero)
    refused = check_in(as_(alice, "read"), checkout, SECOND)
    assert (refused.status_code, refused.json()["code"]) == (403, "forbidden")
    assert Checkout.objects.get().is_open
    assert len(stored(blobs)) == 1


def test_a_viewer_gets_403_and_a_stranger_the_404_of_an_unknown_id(as_, alice, vera, mallory, hero):
    checkout = checked_out(as_(alice), hero)
    assert check_in(as_(vera), checkout, SECOND).status_code == 403
    foreign, unknown = check_in(as_(mallory), checkout, SECOND), check_in(as_(mallory), {"id": 2**63 - 1}, SECOND)
    assert foreign.status_code == unknown.status_code == 404
    assert {**foreign.json(), "request_id": ""} == {**unknown.json(), "request_id": ""}


# --- If-Match -------------------------------------------------------------------------------------------


def test_the_etag_of_a_check_in_is_the_if_match_of_the_next(as_, alice, hero):
    client = as_(alice)
    etag = client.get(f"{API}/artifacts/{hero['id']}/content/", HTTP_ACCEPT_ENCODING="gzip")["ETag"]
    assert etag == client.head(f"{API}/artifacts/{hero['id']}/content/")["ETag"] == f'"{digest(FIRST)}"'
    first = check_in(client, checked_out(client, hero), SECOND, **{"If-Match": etag, "Accept-Encoding": "gzip"})
    assert first.status_code == 201
    assert first["ETag"] == client.get(f"{API}/artifacts/{hero['id']}/content/")["ETag"]
    assert check_in(client, checked_out(client, hero), THIRD, **{"If-Match": first["ETag"]}).status_code == 201


@pytest.mark.parametrize("tags", ['"{other}"', '"{other}", "nonsense"', 'W/"{head}"', '""'])
def test_a_failed_if_match_is_412_and_stores_nothing(as_, alice, hero, blobs, tags):
    client = as_(alice)
    checkout = checked_out(client, hero)
    header = tags.format(other=digest(THIRD), head=digest(FIRST))
    refused = check_in(client, checkout, SECOND, **{"If-Match": header})
    assert (refused.status_code, refused.json()["code"]) == (412, "precondition_failed")
    assert refused.json()["etag"] == digest(FIRST)
    assert head_of(hero).number == 1
    assert Checkout.objects.get().is_open
    assert len(stored(blobs)) == 1


@pytest.mark.parametrize("tags", ["*", '"{other}", "{head}"'])
def test_a_matching_if_match_commits(as_, alice, hero, tags):
    client = as_(alice)
    header = tags.format(other=digest(THIRD), head=digest(FIRST))
    assert check_in(client, checked_out(client, hero), SECOND, **{"If-Match": header}).status_code == 201


@pytest.mark.parametrize("header", ["", " ", "sha256:abc", '"open', 'a "b"', '"a" "b"', '"a",', "'a'", '"a\tb"', "W/"])
def test_a_malformed_if_match_is_400(as_, alice, hero, blobs, header):
    client = as_(alice)
    refused = check_in(client, checked_out(client, hero), SECOND, **{"If-Match": header})
    assert (refused.status_code, refused.json()["code"]) == (400, "invalid")
    assert refused.json()["errors"][0]["field"] == "If-Match"
    assert head_of(hero).number == 1
    assert len(stored(blobs)) == 1


def test_a_replay_precedes_the_if_match(as_, alice, hero):
    client = as_(alice)
    checkout = checked_out(client, hero)
    etag = f'"{digest(FIRST)}"'
    assert check_in(client, checkout, SECOND, **{"If-Match": etag}).status_code == 201
    assert check_in(client, checkout, SECOND, **{"If-Match": etag}).json()["replayed"] is True


# --- bodies ---------------------------------------------------------------------------------------------


def test_a_check_in_can_be_a_form(as_, alice, hero):
    client = as_(alice)
    checkout = checked_out(client, hero)
    form = {"file": a_file(SECOND, "../../etc/passwd"), "comment": "Darker", "digest": digest(SECOND)}
    response = client.post(f"{API}/checkouts/{checkout['id']}/check-in/", form)
    assert response.status_code == 201
    assert (response.json()["version"]["comment"], response.json()["version"]["digest"]) == ("Darker", digest(SECOND))


def test_a_query_beside_a_form_is_refused(as_, alice, hero, blobs):
    checkout = checked_out(as_(alice), hero)
    refused = as_(alice).post(f"{API}/checkouts/{checkout['id']}/check-in/?comment=Darker", {"file": a_file(SECOND)})
    assert (refused.status_code, refused.json()["errors"][0]["field"]) == (400, "comment")
    assert len(stored(blobs)) == 1


def test_an_empty_file_is_a_file(as_, alice, hero):
    client = as_(alice)
    as_form = client.post(f"{API}/checkouts/{checked_out(client, hero)['id']}/check-in/", {"file": a_file(b"")})
    assert (as_form.status_code, as_form.json()["version"]["size"]) == (201, 0)
    check_in(client, checked_out(client, hero), SECOND)
    raw = check_in(client, checked_out(client, hero), b"", CONTENT_LENGTH="0")
    assert (raw.status_code, raw.json()["version"]["size"]) == (201, 0)


@pytest.mark.parametrize(
    ("query", "field"),
    [("?keep=perhaps", "keep"), ("?coment=x", "coment"), ("?comment=%00", "comment"), ("?digest=x", "digest")],
)
def test_an_unknown_or_malformed_field_is_refused(as_, alice, hero, blobs, query, field):
    refused = check_in(as_(alice), checked_out(as_(alice), hero), SECOND, query)
    assert (refused.status_code, refused.json()["errors"][0]["field"]) == (400, field)
    assert Checkout.objects.get().is_open
    assert len(stored(blobs)) == 1


def test_bytes_that_differ_from_the_digest_are_refused(as_, alice, hero, blobs):
    refused = check_in(as_(alice), checked_out(as_(alice), hero), SECOND, f"?digest={digest(THIRD)}")
    assert (refused.status_code, refused.json()["code"]) == (422, "digest_mismatch")
    assert (refused.json()["expected"], refused.json()["actual"]) == (digest(THIRD), digest(SECOND))
    assert Checkout.objects.get().is_open
    assert len(stored(blobs)) == 1


def test_one_byte_over_the_limit_is_413(as_, alice, hero, blobs, settings):
    checkout = checked_out(as_(alice), hero)
    settings.LEASEHOLD_UPLOAD_LIMIT = len(SECOND) - 1
    refused = check_in(as_(alice), checkout, SECOND)
    assert (refused.status_code, refused.json()["code"]) == (413, "too_large")
    assert refused.json()["limit"] == len(SECOND) - 1
    settings.LEASEHOLD_UPLOAD_LIMIT = len(SECOND)
    assert check_in(as_(alice), checkout, SECOND).status_code == 201


def test_strangers_and_viewers_are_refused_before_the_body_is_read(as_, alice, vera, mallory, hero, monkeypatch):
    checkout = checked_out(as_(alice), hero)
    monkeypatch.setattr("checkouts.api.check_ins.received_upload", None)  # whoever calls it fails
    assert check_in(as_(vera), checkout, SECOND).status_code == 403
    assert check_in(as_(mallory), checkout, SECOND).status_code == 404
    assert check_in(as_(alice, "read"), checkout, SECOND).status_code == 403


def test_a_check_in_costs_at_most_fourteen_statements(as_, alice, hero):
    client = as_(alice)
    checkout = checked_out(client, hero)
    with statements(client, at_most=14):
        assert check_in(client, checkout, SECOND).status_code == 201
