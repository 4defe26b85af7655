"""The verbs beyond the main job, over HTTP: keep, restore, rename, archive, take over, hand over, many at once."""

import pytest

from checkouts.models import Artifact, Checkout, Proposal
from leasehold.models import Entry, Role
from tests.checkouts.api.conftest import API, FIRST, SECOND, THIRD, added, check_in, checked_out, content_of
from tests.factories import make_member, make_project

KEEP = "?keep=true"


def call(client, method: str, path: str, body=None, **headers):
    return client.generic(method, f"{API}{path}", body or "", content_type="application/json", headers=headers)


def posted(client, path: str, **body):
    return client.post(f"{API}{path}", body, format="json")


# --- keep ------------------------------------------------------------------------------------------------------------


def test_keep_answers_with_the_next_check_out(as_, alice, hero):
    client = as_(alice)
    first = checked_out(client, hero, ttl=600, purpose="New cape")
    response = check_in(client, first, SECOND, KEEP)
    assert response.status_code == 201
    following = response.json()["next_checkout"]
    assert (following["state"], following["base"]["number"], following["purpose"]) == ("open", 2, "New cape")
    assert following["lease"]["holder"] == f"checkout:{following['id']}:user:alice"
    assert 590 < following["lease"]["expires_in"] <= 600
    assert response.json()["checkout"]["state"] == "closed"


def test_a_retry_of_a_keep_names_the_same_check_out(as_, alice, hero):
    client = as_(alice)
    first = checked_out(client, hero)
    once, again = check_in(client, first, SECOND, KEEP), check_in(client, first, SECOND, KEEP)
    assert (once.status_code, again.status_code, again.json()["replayed"]) == (201, 200, True)
    assert once.json()["next_checkout"]["id"] == again.json()["next_checkout"]["id"]


def test_a_proposal_has_no_next_check_out(as_, alice, bob, hero, clock):
    late = checked_out(as_(alice), hero, ttl=60)
    clock.forward(seconds=61)
    checked_out(as_(bob), hero)
    response = check_in(as_(alice), late, SECOND, KEEP)
    assert (response.status_code, response.json()["next_checkout"]) == (202, None)


@pytest.mark.parametrize("word", ["yes", "True", "2", "%00"])
def test_an_invalid_keep_is_refused_and_stores_nothing(as_, alice, hero, word):
    client = as_(alice)
    refused = check_in(client, checked_out(client, hero), SECOND, f"?keep={word}")
    assert (refused.status_code, refused.json()["errors"][0]["field"]) == (400, "keep")
    assert Checkout.objects.get().is_open


# --- restore ---------------------------------------------------------------------------------------------------------


@pytest.fixture
def repainted(as_, alice, hero):
    """hero.psd in two versions."""
    check_in(as_(alice), checked_out(as_(alice), hero), SECOND)
    return hero


def test_an_old_version_is_restored_as_a_new_one(as_, bob, repainted):
    client = as_(bob)
    response = posted(client, f"/artifacts/{repainted['id']}/versions/1/restore/", comment="The cape was better")
    assert response.status_code == 201
    version = response.json()
    assert (version["number"], version["digest"]) == (3, repainted["head"]["digest"])
    assert (version["participant"], version["comment"]) == ("user:bob", "The cape was better")
    assert response["ETag"] == f'"{version["digest"]}"'
    assert content_of(client.get(f"{API}/artifacts/{repainted['id']}/content/")) == FIRST


@pytest.mark.parametrize("holder", ["alice", "bob"])
def test_a_checked_out_file_is_not_restored(as_, alice, bob, repainted, holder):
    held = checked_out(as_({"alice": alice, "bob": bob}[holder]), repainted)
    refused = posted(as_(bob), f"/artifacts/{repainted['id']}/versions/1/restore/")
    assert (refused.status_code, refused.json()["code"]) == (409, "artifact_busy")
    assert refused.json()["lease"]["holder"] == held["lease"]["holder"]


def test_restoring_the_heads_bytes_is_refused(as_, bob, repainted):
    refused = posted(as_(bob), f"/artifacts/{repainted['id']}/versions/2/restore/")
    assert (refused.status_code, refused.json()["code"]) == (409, "wrong_state")


@pytest.mark.parametrize(("who", "number", "status"), [("vera", 1, 403), ("mallory", 1, 404), ("alice", 7, 404)])
def test_editors_restore_and_viewers_do_not(as_, alice, vera, mallory, repainted, who, number, status):
    client = as_({"vera": vera, "mallory": mallory, "alice": alice}[who])
    assert posted(client, f"/artifacts/{repainted['id']}/versions/{number}/restore/").status_code == status
    assert Artifact.objects.get().head.number == 2


def test_an_agents_restore_obeys_the_write_policy(as_, art, planner, repainted):
    art.write_policy = "propose"
    art.save()
    response = posted(as_(planner), f"/artifacts/{repainted['id']}/versions/1/restore/")
    assert response.status_code == 202
    assert (response.json()["digest"], response.json()["state"]) == (repainted["head"]["digest"], "open")
    assert response.json()["provenance"]["restored"] == 1
    assert Artifact.objects.get().head.number == 2
    assert Proposal.objects.get().author == planner


# --- rename, archive, un-archive -------------------------------------------------------------------------------------


def test_a_file_is_renamed_and_keeps_its_id(as_, alice, hero):
    response = call(as_(alice), "PATCH", f"/artifacts/{hero['id']}/", '{"path": "villains/Ünder cover 100%.psd"}')
    assert response.status_code == 200
    assert (response.json()["id"], response.json()["path"]) == (hero["id"], "villains/Ünder cover 100%.psd")


def test_renaming_to_a_taken_path_names_the_file_there(as_, alice, hero):
    other = added(as_(alice), "heroes/other.psd")
    refused = call(as_(alice), "PATCH", f"/artifacts/{other['id']}/", '{"path": "heroes/HERO.psd"}')
    assert (refused.status_code, refused.json()["code"], refused.json()["artifact"]) == (409, "path_taken", hero["id"])


@pytest.mark.parametrize(
    "path", ["", "../x", "/x", "x/", "a//b", "CON.txt", "x.", " x", "x ", "a\\u0000b", "\\ud800", "a" * 256]
)
def test_an_invalid_path_is_refused(as_, alice, hero, path):
    refused = call(as_(alice), "PATCH", f"/artifacts/{hero['id']}/", f'{{"path": "{path}"}}')
    assert (refused.status_code, refused.json()["errors"][0]["field"]) == (400, "path")
    assert Artifact.objects.get().path == "heroes/hero.psd"


def test_a_backslash_is_a_slash(as_, alice, hero):
    response = call(as_(alice), "PATCH", f"/artifacts/{hero['id']}/", '{"path": "villains\\\\hero.psd"}')
    assert response.json()["path"] == "villains/hero.psd"


def test_an_archived_file_frees_its_path_and_comes_back(as_, alice, hero):
    client, path = as_(alice), f"/artifacts/{hero['id']}/"
    assert call(client, "DELETE", path).status_code == 204
    assert client.get(f"{API}{path}").json()["archived_at"]
    assert client.get(f"{API}/projects/art/artifacts/").json()["results"] == []
    assert posted(client, f"{path}checkouts/").json()["code"] == "wrong_state"
    assert call(client, "DELETE", path).json()["code"] == "wrong_state"
    assert posted(client, f"{path}unarchive/").json()["archived_at"] is None
    assert posted(client, f"{path}unarchive/").json()["code"] == "wrong_state"


def test_unarchiving_onto_another_file_is_refused(as_, alice, hero):
    client = as_(alice)
    call(client, "DELETE", f"/artifacts/{hero['id']}/")
    other = added(client, "heroes/hero.psd")
    refused = posted(client, f"/artifacts/{hero['id']}/unarchive/")
    assert (refused.status_code, refused.json()["artifact"]) == (409, other["id"])


@pytest.mark.parametrize("method", ["PATCH", "DELETE"])
def test_a_stale_if_match_changes_nothing(as_, alice, repainted, method):
    client, path = as_(alice), f"/artifacts/{repainted['id']}/"
    body = '{"path": "villains/hero.psd"}' if method == "PATCH" else ""
    stale = call(client, method, path, body, If_Match=f'"{repainted["head"]["digest"]}"')
    assert (stale.status_code, stale.json()["code"]) == (412, "precondition_failed")
    assert call(client, method, path, body, If_Match="no tag").status_code == 400
    seen = client.get(f"{API}{path}")
    assert (seen.json()["path"], seen.json()["archived_at"]) == ("heroes/hero.psd", None)
    assert call(client, method, path, body, If_Match=seen.json()["head"]["digest"].join('""')).status_code < 300


def test_every_verb_checks_the_holder(as_, alice, bob, hero):
    """Alice holds the file; each verb by bob is refused with her name."""
    client, path = as_(bob), f"/artifacts/{hero['id']}/"
    check_in(as_(alice), checked_out(as_(alice), hero), SECOND)
    held = checked_out(as_(alice), hero)
    responses = [
        call(client, "PATCH", path, '{"path": "villains/hero.psd"}'),
        call(client, "DELETE", path),
        posted(client, f"{path}checkouts/"),
        posted(client, f"{path}versions/1/restore/"),
        posted(client, "/projects/art/checkouts/", prefix="heroes"),
    ]
    for response in responses:
        assert (response.status_code, response.json()["code"]) == (409, "artifact_busy")
        [lease] = response.json().get("leases") or [response.json()["lease"]]
        assert lease["holder"] == held["lease"]["holder"]
    for refused in (
        check_in(client, held, THIRD),
        posted(client, f"/checkouts/{held['id']}/extend/"),
        posted(client, f"/checkouts/{held['id']}/discard/"),
        posted(client, f"/checkouts/{held['id']}/break/", reason="mine"),
        posted(client, f"/checkouts/{held['id']}/hand-over/", to="bob", reason="mine"),
        posted(client, f"{path}take-over/", reason="mine"),
    ):
        assert (refused.status_code, refused.json()["code"]) == (403, "forbidden")
    seen = client.get(f"{API}{path}").json()
    assert (seen["path"], seen["head"]["number"], seen["archived_at"]) == ("heroes/hero.psd", 2, None)
    assert seen["lease"]["holder"] == held["lease"]["holder"]


# --- take over, hand over --------------------------------------------------------------------------------------------


def test_after_a_take_over_the_old_holders_check_in_is_a_proposal(as_, alice, olga, hero):
    held = checked_out(as_(alice), hero)
    response = posted(
        as_(olga), f"/artifacts/{hero['id']}/take-over/", reason="Alice is ill", ttl=600, purpose="Finish"
    )
    assert response.status_code == 201
    assert (response.json()["participant"], response.json()["lease"]["fence"]) == ("user:olga", 2)
    seen = as_(alice).get(f"{API}/checkouts/{held['id']}/").json()
    assert (seen["broken"]["how"], seen["broken"]["participant"]) == ("taken_over", "user:olga")
    assert seen["broken"]["reason"] == "Alice is ill"
    lost = posted(as_(alice), f"/checkouts/{held['id']}/extend/")
    assert (lost.status_code, lost.json()["code"]) == (409, "lease_lost")
    assert "olga" in lost.json()["detail"]
    assert check_in(as_(alice), held, SECOND).status_code == 202
    entry = Entry.objects.get(kind="checkout_taken_over")
    assert (entry.participant, entry.data["holder"], entry.data["reason"]) == (
        "user:olga",
        "user:alice",
        "Alice is ill",
    )


@pytest.mark.parametrize(
    "body", [{}, {"reason": ""}, {"reason": "  "}, {"reason": "x", "ttl": 0}, {"reason": "x", "a": 1}]
)
def test_a_take_over_needs_a_reason(as_, alice, olga, hero, body):
    checked_out(as_(alice), hero)
    assert posted(as_(olga), f"/artifacts/{hero['id']}/take-over/", **body).status_code == 400
    assert Checkout.objects.get().broken_at is None


def test_alice_hands_over_to_bob(as_, alice, bob, hero):
    held = checked_out(as_(alice), hero, purpose="New cape")
    response = posted(as_(alice), f"/checkouts/{held['id']}/hand-over/", to="Bob")
    assert response.status_code == 201
    assert (response.json()["user"], response.json()["purpose"], response.json()["state"]) == (
        "bob",
        "New cape",
        "open",
    )
    assert as_(bob).get(f"{API}/checkouts/{held['id']}/").json()["broken"]["how"] == "handed_over"
    assert check_in(as_(bob), response.json(), SECOND).status_code == 201


@pytest.mark.parametrize("to", ["vera", "mallory", "nobody", "planner", "alice", ""])
def test_only_a_person_who_may_edit_receives_a_hand_over(as_, alice, vera, mallory, planner, hero, to):
    held = checked_out(as_(alice), hero)
    refused = posted(as_(alice), f"/checkouts/{held['id']}/hand-over/", to=to)
    assert (refused.status_code, refused.json()["errors"][0]["field"]) == (400, "to")
    assert as_(alice).get(f"{API}/checkouts/{held['id']}/").json()["lease"]


# --- many ------------------------------------------------------------------------------------------------------------


@pytest.fixture
def files(as_, alice):
    return [added(as_(alice), path) for path in ("heroes/a.psd", "heroes/b.psd", "heroes/old/c.psd", "heroes2/d.psd")]


def test_a_folder_is_checked_out(as_, bob, files):
    response = posted(as_(bob), "/projects/art/checkouts/", prefix="Heroes/", ttl=600, purpose="Colours")
    assert response.status_code == 201
    assert [one["artifact"]["path"] for one in response.json()["checkouts"]] == [
        "heroes/a.psd", "heroes/b.psd", "heroes/old/c.psd",
    ]  # fmt: skip
    assert {one["purpose"] for one in response.json()["checkouts"]} == {"Colours"}
    assert all(590 < one["lease"]["expires_in"] <= 600 for one in response.json()["checkouts"])
    assert response.json()["refused"] == []


def test_all_or_nothing_names_every_lease_in_the_way(as_, alice, bob, files):
    held = [checked_out(as_(alice), files[0], ttl=900), checked_out(as_(bob), files[2], ttl=600)]
    refused = posted(as_(bob), "/projects/art/checkouts/", artifacts=[file["id"] for file in files])
    assert (refused.status_code, refused.json()["code"]) == (409, "artifact_busy")
    assert [lease["holder"] for lease in refused.json()["leases"]] == [one["lease"]["holder"] for one in held]
    assert "lease" not in refused.json()
    assert 890 < int(refused["Retry-After"]) <= 900
    assert Checkout.objects.count() == 2


def test_best_effort_gives_a_reason_for_each_refusal(as_, alice, bob, files):
    held = checked_out(as_(alice), files[0])
    response = posted(as_(bob), "/projects/art/checkouts/", artifacts=[file["id"] for file in files[:2]], atomic=False)
    assert response.status_code == 201
    assert [one["artifact"]["id"] for one in response.json()["checkouts"]] == [files[1]["id"]]
    [refused] = response.json()["refused"]
    assert (refused["artifact"], refused["code"]) == ({"id": files[0]["id"], "path": "heroes/a.psd"}, "artifact_busy")
    assert refused["lease"]["holder"] == held["lease"]["holder"]


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({}, 400), ({"artifacts": []}, 400), ({"artifacts": ["1"]}, 400), ({"artifacts": [True]}, 400),
        ({"artifacts": [2**63]}, 400), ({"artifacts": [-1]}, 400), ({"artifacts": 1}, 400), ({"artifacts": None}, 400),
        ({"prefix": ""}, 400), ({"prefix": "../"}, 400), ({"prefix": "nothing/"}, 400), ({"prefix": "a\0b"}, 400),
        ({"prefix": "heroes", "atomic": "no"}, 400), ({"prefix": "heroes", "session": 1}, 400),
        ({"artifacts": [10**9]}, 404),
    ],
)  # fmt: skip
def test_a_selection_without_files_is_refused(as_, alice, files, body, status):
    assert posted(as_(alice), "/projects/art/checkouts/", **body).status_code == status
    assert not Checkout.objects.exists()


def test_ids_of_another_project_are_unknown(as_, alice, bob, files):
    make_member(make_project("music"), bob, Role.EDITOR)
    response = posted(as_(bob), "/projects/music/checkouts/", artifacts=[files[0]["id"]])
    assert (response.status_code, response.json()["code"]) == (404, "not_found")
