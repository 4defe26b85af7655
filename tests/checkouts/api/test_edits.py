"""POST /artifacts/{id}/edits/, PUT /edits/{uuid}/content/, GET and DELETE /edits/{uuid}/."""

import uuid
from typing import Any

import pytest

from checkouts.models import Artifact, Edit, Proposal, Version
from leasehold.models import Entry, Lease, Membership
from tests.checkouts.api.conftest import (
    API,
    FIRST,
    SECOND,
    THIRD,
    a_file,
    added,
    check_in,
    checked_out,
    content_of,
    statements,
    stored,
)

NOBODYS = uuid.UUID(int=7)


def opened(client, artifact, **body) -> dict[str, Any]:
    response = client.post(f"{API}/artifacts/{artifact['id']}/edits/", body, format="json")
    assert response.status_code == 201, response.json()
    return response.json()


def put(client, edit, content: bytes, query: str = "", **headers: str) -> Any:
    address = f"{API}/edits/{edit['id']}/content/{query}"
    return client.generic("PUT", address, content, content_type="application/octet-stream", headers=headers)


def test_an_edit_is_opened_and_put(as_, planner, hero):
    client = as_(planner)
    edit = opened(client, hero, purpose="levels")
    assert edit["base"] == {"number": 1, "digest": hero["head"]["digest"]}
    lease = edit["lease"]
    assert (lease["kind"], lease["participant"], lease["purpose"], lease["expires_in"]) == (
        "edit",
        "agent:planner",
        "levels",
        45,
    )
    assert lease["holder"] == f"edit:{edit['id']}:agent:planner"
    assert client.get(f"{API}/edits/{edit['id']}/").json() == edit
    response = put(client, edit, SECOND, "?comment=Levels")
    assert response.status_code == 201
    body = response.json()
    assert (body["outcome"], body["replayed"]) == ("committed", False)
    assert (body["version"]["number"], body["version"]["comment"]) == (2, "Levels")
    assert body["version"]["provenance"] == {
        "kind": "edit",
        "edit": edit["id"],
        "base_version": 1,
        "base_digest": hero["head"]["digest"],
        "source": "api",
        "session": None,
    }
    assert response["ETag"] == f'"{body["version"]["digest"]}"'
    assert body["edit"] == client.get(f"{API}/edits/{edit['id']}/").json()
    assert (body["edit"]["state"], body["edit"]["outcome"], body["edit"]["lease"]) == ("closed", "committed", None)
    assert not Lease.objects.exclude(holder="").exists()


def test_a_put_can_be_a_form(as_, planner, hero):
    client = as_(planner)
    form = {"file": a_file(SECOND), "comment": "As a form"}
    response = client.put(f"{API}/edits/{opened(client, hero)['id']}/content/", form, format="multipart")
    assert (response.status_code, response.json()["version"]["comment"]) == (201, "As a form")
    assert content_of(client.get(f"{API}/artifacts/{hero['id']}/content/")) == SECOND


def test_identical_bytes_commit_nothing(as_, planner, hero, blobs):
    client = as_(planner)
    response = put(client, opened(client, hero), FIRST)
    assert (response.status_code, response.json()["outcome"]) == (200, "unchanged")
    assert len(stored(blobs)) == 1


def test_under_the_propose_policy_an_edit_becomes_a_proposal(as_, olga, planner, hero):
    client = as_(planner)
    as_(olga).patch(f"{API}/artifacts/{hero['id']}/", {"write_policy": "propose"}, format="json")
    response = put(client, opened(client, hero), SECOND, "?comment=Try")
    assert response.status_code == 202
    assert (response.json()["outcome"], response.json()["proposal"]["comment"]) == ("proposed", "Try")
    assert "ETag" not in response
    assert client.get(f"{API}/artifacts/{hero['id']}/").json()["head"]["number"] == 1
    assert client.get(f"{API}/artifacts/{hero['id']}/").json()["lease"] is None


@pytest.mark.parametrize("policy", ["direct", "propose"])
def test_a_repeated_put_gets_the_first_answer(as_, olga, planner, hero, blobs, policy):
    client = as_(planner)
    as_(olga).patch(f"{API}/artifacts/{hero['id']}/", {"write_policy": policy}, format="json")
    edit = opened(client, hero)
    first, again = put(client, edit, SECOND), put(client, edit, SECOND)
    assert (again.status_code, again.json()["replayed"]) == (200, True)
    assert {**again.json(), "replayed": False} == first.json()
    other = put(client, edit, THIRD)
    assert (other.status_code, other.json()["code"], other.json()["outcome"]) == (
        409,
        "edit_closed",
        first.json()["outcome"],
    )
    assert len(stored(blobs)) == 2


def test_an_agents_busy_refusal_names_the_holder(as_, alice, planner, hero):
    checked_out(as_(alice), hero, purpose="repaint", ttl=600)
    refused = as_(planner).post(f"{API}/artifacts/{hero['id']}/edits/")
    assert (refused.status_code, refused.json()["code"]) == (409, "artifact_busy")
    assert (refused.json()["lease"]["participant"], refused.json()["lease"]["purpose"]) == ("user:alice", "repaint")
    assert 0 < int(refused["Retry-After"]) <= 600
    assert not Edit.objects.exists()


def test_a_persons_busy_refusal_names_the_agent(as_, alice, planner, hero):
    opened(as_(planner), hero, ttl=30)
    refused = as_(alice).post(f"{API}/artifacts/{hero['id']}/checkouts/")
    assert refused.json()["lease"]["participant"] == "agent:planner"
    assert refused["Retry-After"] == "30"
    assert as_(planner).post(f"{API}/artifacts/{hero['id']}/edits/").json()["lease"]["kind"] == "edit"


@pytest.mark.parametrize("ttl", [0, -1, 46, 0.5, "30", True, None, 10**12])
def test_an_edit_lasts_one_to_45_seconds(as_, planner, hero, ttl):
    refused = as_(planner).post(f"{API}/artifacts/{hero['id']}/edits/", {"ttl": ttl}, format="json")
    assert (refused.status_code, refused.json()["errors"][0]["field"]) == (400, "ttl")
    assert not Edit.objects.exists()


@pytest.mark.parametrize("body", [{"purpose": 7}, {"purpose": "x" * 501}, {"wait": True}, {"session": "7"}])
def test_an_invalid_edit_is_refused(as_, planner, hero, body):
    refused = as_(planner).post(f"{API}/artifacts/{hero['id']}/edits/", body, format="json")
    assert (refused.status_code, refused.json()["errors"][0]["field"]) == (400, next(iter(body)))


def test_an_edit_can_be_deleted_twice(as_, planner, hero):
    client = as_(planner)
    edit = opened(client, hero)
    for _ in range(2):
        response = client.delete(f"{API}/edits/{edit['id']}/")
        assert (response.status_code, response.content) == (204, b"")
    seen = client.get(f"{API}/edits/{edit['id']}/").json()
    assert (seen["outcome"], seen["result"], seen["lease"]) == ("discarded", None, None)
    late = put(client, edit, SECOND)
    assert (late.status_code, late.json()["code"], late.json()["outcome"]) == (409, "edit_closed", "discarded")
    assert Entry.objects.filter(kind="edit_discarded").count() == 1


def test_a_committed_edit_cannot_be_deleted(as_, planner, hero):
    client = as_(planner)
    edit = opened(client, hero)
    put(client, edit, SECOND)
    assert client.delete(f"{API}/edits/{edit['id']}/").status_code == 204
    assert client.get(f"{API}/edits/{edit['id']}/").json()["outcome"] == "committed"


def test_a_late_put_still_commits_if_the_file_is_free(as_, planner, hero, clock):
    client = as_(planner)
    edit = opened(client, hero, ttl=10)
    clock.forward(seconds=11)
    assert client.get(f"{API}/edits/{edit['id']}/").json()["lease"] is None
    assert put(client, edit, SECOND).status_code == 201
    assert Entry.objects.get(kind="version_committed").data["renewed_lapsed_lease"] is True


def test_a_late_put_is_refused_while_alice_holds_the_file(as_, alice, planner, hero, blobs, clock):
    client = as_(planner)
    edit = opened(client, hero, ttl=10)
    clock.forward(seconds=11)
    hers = checked_out(as_(alice), hero)
    refused = put(client, edit, SECOND)
    assert (refused.status_code, refused.json()["code"]) == (409, "artifact_busy")
    assert refused.json()["lease"]["participant"] == "user:alice"
    assert client.delete(f"{API}/edits/{edit['id']}/").status_code == 204
    lease = client.get(f"{API}/artifacts/{hero['id']}/").json()["lease"]
    assert (lease["holder"], lease["fence"]) == (hers["lease"]["holder"], hers["lease"]["fence"])
    assert len(stored(blobs)) == 1
    assert check_in(as_(alice), hers, THIRD).status_code == 201


def test_a_late_put_on_a_changed_file_is_stale(as_, alice, planner, hero, blobs, clock):
    client = as_(planner)
    edit = opened(client, hero, ttl=10)
    clock.forward(seconds=11)
    check_in(as_(alice), checked_out(as_(alice), hero), SECOND)
    refused = put(client, edit, THIRD)
    assert (refused.status_code, refused.json()["code"]) == (409, "stale_base")
    assert (refused.json()["base"], refused.json()["head"]) == (1, 2)
    assert len(stored(blobs)) == 2
    assert not Proposal.objects.exists()


def test_a_late_put_on_an_archived_file_is_refused(as_, planner, hero, clock):
    client = as_(planner)
    edit = opened(client, hero, ttl=10)
    clock.forward(seconds=11)
    Artifact.objects.update(archived_at=clock.now())
    assert put(client, edit, SECOND).json()["code"] == "wrong_state"
    assert client.post(f"{API}/artifacts/{hero['id']}/edits/").json()["code"] == "wrong_state"


def test_a_wrong_digest_leaves_the_edit_open(as_, planner, hero, blobs):
    client = as_(planner)
    edit = opened(client, hero)
    refused = put(client, edit, SECOND, f"?digest=sha256:{'0' * 64}")
    assert (refused.status_code, refused.json()["code"]) == (422, "digest_mismatch")
    assert put(client, edit, SECOND, "?colour=red").json()["errors"][0]["field"] == "colour"
    assert client.put(f"{API}/edits/{edit['id']}/content/", {}, format="json").json()["errors"][0]["field"] == "file"
    assert len(stored(blobs)) == 1
    assert put(client, edit, SECOND).status_code == 201


def test_a_too_large_put_is_refused_unread(as_, planner, hero, settings):
    client = as_(planner)
    edit = opened(client, hero)
    settings.LEASEHOLD_UPLOAD_LIMIT = 10
    refused = put(client, edit, b"eleven bytes")
    assert (refused.status_code, refused.json()["limit"]) == (413, 10)


def test_another_agents_edit_is_refused(as_, alice, bob, planner, hero, blobs):
    edit = opened(as_(planner), hero)
    assert as_(bob).get(f"{API}/edits/{edit['id']}/").json()["participant"] == "agent:planner"
    assert put(as_(bob), edit, SECOND).status_code == 403
    assert as_(bob).delete(f"{API}/edits/{edit['id']}/").status_code == 403
    assert len(stored(blobs)) == 1
    assert Lease.objects.exclude(holder="").count() == 1


def test_viewers_and_read_only_tokens_open_no_edit(as_, vera, planner, hero):
    address = f"{API}/artifacts/{hero['id']}/edits/"
    edit = opened(as_(planner), hero)
    for client in (as_(vera), as_(planner, "read")):
        assert client.post(address).status_code == 403
        assert put(client, edit, SECOND).status_code == 403
        assert client.delete(f"{API}/edits/{edit['id']}/").status_code == 403


def test_a_former_editor_cannot_put(as_, planner, hero):
    client = as_(planner)
    edit = opened(client, hero)
    Membership.objects.filter(user=planner).update(role="viewer")
    assert put(client, edit, SECOND).status_code == 403
    assert client.delete(f"{API}/edits/{edit['id']}/").status_code == 204


def test_a_foreign_edit_is_unknown(as_, mallory, planner, hero):
    edit, client = opened(as_(planner), hero), as_(mallory)
    requests = [
        lambda key: client.get(f"{API}/edits/{key}/"),
        lambda key: client.delete(f"{API}/edits/{key}/"),
        lambda key: put(client, {"id": key}, SECOND),
    ]
    for request in requests:
        foreign, unknown = request(edit["id"]), request(NOBODYS)
        assert foreign.status_code == unknown.status_code == 404
        assert {**foreign.json(), "request_id": ""} == {**unknown.json(), "request_id": ""}
    assert client.post(f"{API}/artifacts/{hero['id']}/edits/").status_code == 404
    for nonsense in ("x", "1", "00000000-0000-0000-0000-00000000000g"):
        assert client.get(f"{API}/edits/{nonsense}/").json()["code"] == "not_found"


def test_a_persons_edit_always_commits(as_, alice, olga, hero):
    as_(olga).patch(f"{API}/artifacts/{hero['id']}/", {"write_policy": "propose"}, format="json")
    assert put(as_(alice), opened(as_(alice), hero), SECOND).status_code == 201


def test_after_a_break_a_late_put_is_judged_like_any_other(as_, olga, planner, hero):
    edit = opened(as_(planner), hero)
    form = {"resource": f"artifact:{hero['id']}", "reason": "it hangs"}
    broken = as_(olga).post(f"{API}/leases/break/", form, format="json").json()
    assert (broken["broken"], broken["lease"]["holder"]) == (True, edit["lease"]["holder"])
    assert Entry.objects.get(kind="edit_broken").data["reason"] == "it hangs"
    assert put(as_(planner), edit, SECOND).status_code == 201
    assert Version.objects.count() == 2


def test_a_refusal_costs_three_statements_and_no_write(as_, alice, planner, hero):
    checked_out(as_(alice), hero)
    client = as_(planner)
    with statements(client, at_most=3) as found:
        client.post(f"{API}/artifacts/{hero['id']}/edits/")
    assert not any(sql.startswith(("INSERT", "UPDATE", "DELETE")) for sql in found)


def test_two_files_are_edited_at_once(as_, planner, hero):
    other = added(as_(planner), "other.psd")
    assert opened(as_(planner), hero)["id"] != opened(as_(planner), other)["id"]
