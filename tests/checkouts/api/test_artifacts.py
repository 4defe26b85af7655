"""GET and POST /projects/{slug}/artifacts/, GET /artifacts/{id}/."""

from urllib.parse import quote

import pytest

from checkouts.actions.moves import archive
from checkouts.models import Artifact, Blob
from leasehold.actors import Actor
from leasehold.models import Role
from tests.checkouts.api.conftest import (
    API,
    FIRST,
    SECOND,
    a_file,
    added,
    check_in,
    checked_out,
    content_of,
    statements,
    stored,
)
from tests.factories import make_member, make_project

ARTIFACTS = f"{API}/projects/art/artifacts/"


def raw(client, path, content=FIRST, **headers):
    """Add a file with a raw body. Return the response."""
    address = f"{ARTIFACTS}?path={quote(path, safe='')}"
    return client.generic("POST", address, content, content_type="application/octet-stream", headers=headers)


def paths(response):
    assert response.status_code == 200, response.json()
    return [row["path"] for row in response.json()["results"]]


def same_but_request_id(one, other):
    return {**one.json(), "request_id": ""} == {**other.json(), "request_id": ""}


# --- adding


def test_alice_adds_a_file_by_a_form(as_, alice):
    form = {"path": "heroes/hero.psd", "file": a_file(FIRST), "comment": "From the old disk"}
    response = as_(alice).post(ARTIFACTS, form)
    assert response.status_code == 201
    artifact = response.json()
    assert (artifact["project"], artifact["path"], artifact["name"]) == ("art", "heroes/hero.psd", "hero.psd")
    assert (artifact["lease"], artifact["archived_at"]) == (None, None)
    assert artifact["created_at"].endswith("Z")
    head = artifact["head"]
    assert (head["number"], head["size"], head["comment"]) == (1, len(FIRST), "From the old disk")
    assert (head["author"], head["participant"], head["provenance"]) == ("alice", "user:alice", {"kind": "upload"})
    assert response["ETag"] == f'"{head["digest"]}"'
    assert as_(alice).get(f"{API}/artifacts/{artifact['id']}/").json() == artifact


def test_an_agent_adds_one_by_a_raw_body(as_, planner):
    response = raw(as_(planner), "plan.bin")
    assert (response.status_code, response.json()["head"]["participant"]) == (201, "agent:planner")


def test_a_taken_path_is_409_and_names_the_file_there(as_, alice, bob, hero, blobs):
    for refused in (
        raw(as_(bob), "Heroes/HERO.psd", SECOND),
        as_(bob).post(ARTIFACTS, {"path": "heroes/hero.psd", "file": a_file(SECOND)}),
        raw(as_(bob), "heroes/hero.psd/below", SECOND),
        raw(as_(bob), "heroes", SECOND),
    ):
        assert (refused.status_code, refused.json()["code"]) == (409, "path_taken")
        assert refused.json()["artifact"] == hero["id"]
    assert Blob.objects.count() == len(stored(blobs)) == 1


def test_a_taken_path_in_the_query_is_refused_before_the_body_is_read(as_, alice, hero, monkeypatch):
    monkeypatch.setattr("checkouts.api.artifacts.received_upload", None)  # whoever calls it fails
    assert raw(as_(alice), "heroes/hero.psd").status_code == 409
    assert raw(as_(alice), "../x").status_code == 400


def test_a_forbidden_upload_is_refused_before_the_body_is_read(as_, alice, vera, mallory, art, blobs, monkeypatch):
    monkeypatch.setattr("checkouts.api.artifacts.received_upload", None)
    assert raw(as_(vera), "a.psd").json()["code"] == "forbidden"
    assert raw(as_(alice, "read"), "a.psd").json()["code"] == "forbidden"
    foreign = raw(as_(mallory), "a.psd")
    unknown = as_(mallory).post(f"{API}/projects/nothing/artifacts/?path=a.psd")
    assert foreign.status_code == unknown.status_code == 404
    assert same_but_request_id(foreign, unknown)
    assert not Artifact.objects.exists()
    assert stored(blobs) == []


@pytest.mark.parametrize(
    "form",
    [
        {},
        {"path": "a.psd"},
        {"path": "a.psd", "file": "text, not a file"},
        {"path": "a.psd", "file": [a_file(FIRST), a_file(SECOND)]},
        {"path": "a.psd", "upload": a_file(FIRST)},
        {"file": a_file(FIRST)},
        {"path": "a.psd", "file": a_file(FIRST), "keep": "true"},
        {"path": "a.psd", "file": a_file(FIRST), "comment": "a\0b"},
        {"path": "a.psd", "file": a_file(FIRST), "comment": "x" * 10_001},
        {"path": "a.psd", "file": a_file(FIRST), "digest": "md5:1"},
    ],
)
def test_an_invalid_form_is_400_and_stores_nothing(as_, alice, blobs, form):
    refused = as_(alice).post(ARTIFACTS, form)
    assert (refused.status_code, refused.json()["code"]) == (400, "invalid")
    assert refused.json()["errors"][0]["field"]
    assert not Artifact.objects.exists()
    assert stored(blobs) == []


def test_an_empty_file_is_a_file(as_, alice):
    form = as_(alice).post(ARTIFACTS, {"path": "empty.psd", "file": a_file(b"")})
    assert (form.status_code, form.json()["head"]["size"]) == (201, 0)
    bare = raw(as_(alice), "bare.psd", b"", **{"Content-Length": "0"})
    assert (bare.status_code, bare.json()["head"]["size"]) == (201, 0)


@pytest.mark.parametrize(
    "path",
    [
        "100%.txt", "100%_du.txt", "a%20b.txt", "a b.txt", "a+b.txt", "#1?.txt", "This & that <x>.txt", 'quote".txt',
        "角色/英雄.psd", "Entwürfe/Größe.indd", "a;b,c.txt", "🦸.psd", "a" * 120 + ".v1.final.2.pdf", "x" * 255,
        "<img src=x onerror=alert(1)>.psd", "-rf.txt", "~", "$(id).txt", "'; DROP TABLE x;--.psd",
    ],
)  # fmt: skip
def test_names_are_returned_exactly(as_, alice, bob, path):
    by_form = as_(alice).post(ARTIFACTS, {"path": f"form/{path}", "file": a_file(FIRST)})
    for response, given in ((raw(as_(alice), path), path), (by_form, f"form/{path}")):
        assert (response.status_code, response.json().get("path")) == (201, given)
        artifact = response.json()
        assert as_(bob).get(f"{API}/artifacts/{artifact['id']}/").json()["path"] == given
        download = as_(bob).get(f"{API}/artifacts/{artifact['id']}/content/")
        assert content_of(download) == FIRST
        assert download["Content-Disposition"].startswith("attachment")
        assert check_in(as_(alice), checked_out(as_(alice), artifact), SECOND).status_code == 201


def test_a_composed_and_a_decomposed_name_are_one_file(as_, alice, bob):
    composed, decomposed = "Entw\u00fcrfe.indd", "Entwu\u0308rfe.indd"
    artifact = raw(as_(alice), decomposed).json()
    assert artifact["path"] == composed
    for twin in (composed, decomposed, composed.upper()):
        refused = raw(as_(bob), twin)
        assert (refused.status_code, refused.json()["artifact"]) == (409, artifact["id"])
        assert paths(as_(bob).get(ARTIFACTS, {"q": twin})) == [composed]
        assert paths(as_(bob).get(ARTIFACTS, {"prefix": twin})) == [composed]


# --- listing


def test_a_list_shows_who_has_what(as_, alice, bob, vera, hero):
    added(as_(alice), "a.psd")
    held = checked_out(as_(bob), hero, purpose="New cape")
    first, second = as_(vera).get(ARTIFACTS).json()["results"]
    assert (first["path"], first["lease"]) == ("a.psd", None)
    assert second["lease"] | {"expires_in": 0} == held["lease"] | {"expires_in": 0}
    assert second["head"]["author"] == "alice"


def test_a_lapsed_lease_is_no_lease(as_, alice, bob, hero, clock):
    checked_out(as_(alice), hero, ttl=60)
    assert as_(bob).get(f"{API}/artifacts/{hero['id']}/").json()["lease"]["participant"] == "user:alice"
    clock.forward(seconds=61)
    assert as_(bob).get(f"{API}/artifacts/{hero['id']}/").json()["lease"] is None
    assert as_(bob).get(ARTIFACTS).json()["results"][0]["lease"] is None
    assert paths(as_(bob).get(ARTIFACTS, {"held": "free"})) == ["heroes/hero.psd"]


def test_held_filters(as_, alice, bob, clock):
    client = as_(alice)
    for path in ("free", "long", "mine", "short"):
        added(client, path)
    by_path = {row["path"]: row for row in client.get(ARTIFACTS).json()["results"]}
    checked_out(client, by_path["mine"], ttl=7200)
    checked_out(as_(bob), by_path["long"], ttl=7200)
    checked_out(as_(bob), by_path["short"], ttl=1700)
    assert paths(client.get(ARTIFACTS, {"held": "free"})) == ["free"]
    assert paths(client.get(ARTIFACTS, {"held": "me"})) == ["mine"]
    assert paths(client.get(ARTIFACTS, {"held": "others"})) == ["long", "short"]
    assert paths(client.get(ARTIFACTS, {"held": "expiring"})) == ["short"]
    clock.forward(minutes=100)
    assert paths(client.get(ARTIFACTS, {"held": "expiring"})) == ["long", "mine"]


def test_prefix_and_q_have_no_wildcards(as_, alice):
    client = as_(alice)
    for path in ("heroes/a.psd", "heroes/b_c.psd", "heroes2/a.psd", "Heroes 100%.psd", "zed/heroes.psd"):
        added(client, path)
    assert paths(client.get(ARTIFACTS, {"prefix": "heroes/"})) == ["heroes/a.psd", "heroes/b_c.psd"]
    assert paths(client.get(ARTIFACTS, {"prefix": "HEROES\\b"})) == ["heroes/b_c.psd"]
    assert len(paths(client.get(ARTIFACTS, {"prefix": "hero"}))) == 4
    assert paths(client.get(ARTIFACTS, {"q": "%"})) == ["Heroes 100%.psd"]
    assert paths(client.get(ARTIFACTS, {"q": "B_C"})) == ["heroes/b_c.psd"]
    assert paths(client.get(ARTIFACTS, {"q": "ero_s"})) == []
    assert paths(client.get(ARTIFACTS, {"q": "heroes.psd", "prefix": "zed/"})) == ["zed/heroes.psd"]


def test_archived_files_are_listed_apart(as_, alice, hero):
    added(as_(alice), "kept.psd")
    archive(actor=Actor(alice), artifact_id=hero["id"])
    assert paths(as_(alice).get(ARTIFACTS)) == ["kept.psd"]
    assert paths(as_(alice).get(ARTIFACTS, {"archived": "false"})) == ["kept.psd"]
    assert paths(as_(alice).get(ARTIFACTS, {"archived": "true"})) == ["heroes/hero.psd"]
    refused = as_(alice).post(f"{API}/artifacts/{hero['id']}/checkouts/")
    assert (refused.status_code, refused.json()["code"]) == (409, "wrong_state")


def test_pages_walk_forward_and_back_and_show_each_file_once(as_, alice):
    client = as_(alice)
    for number in range(7):
        added(client, f"{number}.psd")
    walked, link = [], f"{ARTIFACTS}?limit=3"
    while link:
        response = client.get(link)
        walked += [paths(response)]
        link, back = response.json()["next"], response.json()["previous"]
    assert walked == [["0.psd", "1.psd", "2.psd"], ["3.psd", "4.psd", "5.psd"], ["6.psd"]]
    assert paths(client.get(back)) == walked[1]


def test_every_order_pages_forward_and_back(as_, alice, art):
    client = as_(alice)
    for path, content in (("b.psd", b"1"), ("c.psd", b"333"), ("a.psd", b"22"), ("d.psd", b"1")):
        made = added(client, path, content)
    checked_out(client, made)
    for ordering, expected in (
        ("path", "abcd"), ("-path", "dcba"), ("changed", "bcad"), ("-changed", "dacb"), ("size", "bdac"),
        ("-size", "cadb"), ("holder", "dabc"), ("-holder", "cbad"),
    ):  # fmt: skip
        first = client.get(f"{ARTIFACTS}?limit=3&ordering={ordering}")
        second = client.get(first.json()["next"])
        assert "".join(path[0] for path in paths(first) + paths(second)) == expected
        assert paths(client.get(second.json()["previous"])) == paths(first)
    other = first.json()["next"].replace("ordering=-holder", "ordering=holder")
    assert client.get(other).json()["errors"][0]["field"] == "cursor", "a place in one order is none in another"


@pytest.mark.parametrize(
    "query", ["ordering=colour", "held=nobody", "archived=maybe", "limit=0", "cursor=x", "q=%00", "prefix=%00"]
)
def test_an_invalid_filter_is_400(as_, alice, art, query):
    refused = as_(alice).get(f"{ARTIFACTS}?{query}")
    assert (refused.status_code, refused.json()["code"]) == (400, "invalid")
    assert refused.json()["errors"][0]["field"] == query.partition("=")[0]


def test_a_list_costs_the_same_for_ten_files_and_for_three_hundred(as_, alice, hero):
    client, counts = as_(alice), []
    checked_out(client, hero)
    one = Artifact.objects.get()
    for first, after in ((1, 10), (10, 300)):
        Artifact.objects.bulk_create(
            Artifact(
                project=one.project, path=f"{n}", path_key=f"{n}", head=one.head, created_at=one.created_at,
                head_size=one.head_size, changed_at=one.changed_at,
                created_by=alice,
            )
            for n in range(first, after)
        )  # fmt: skip
        with statements(client, at_most=5) as found:
            client.get(f"{ARTIFACTS}?limit=200&held=free&q=1")
        counts.append(len(found))
    assert counts[0] == counts[1]


# --- seeing


def test_a_foreign_file_is_the_404_of_an_unknown_one(as_, mallory, hero):
    home = make_project("other")
    make_member(home, mallory, Role.EDITOR)
    added(as_(mallory), "own.psd", project="other")
    unknown = as_(mallory).get(f"{API}/artifacts/{2**63 - 1}/")
    for below in ("", "content/", "versions/", "versions/1/", "versions/1/content/"):
        foreign = as_(mallory).get(f"{API}/artifacts/{hero['id']}/{below}")
        assert foreign.status_code == unknown.status_code == 404
        assert same_but_request_id(foreign, unknown)
    assert same_but_request_id(as_(mallory).get(ARTIFACTS), as_(mallory).get(f"{API}/projects/none/artifacts/"))


def test_a_viewer_and_a_read_only_token_read(as_, alice, vera, hero):
    for client in (as_(vera), as_(alice, "read")):
        for below in ("", "content/", "versions/", "versions/1/", "versions/1/content/"):
            assert client.get(f"{API}/artifacts/{hero['id']}/{below}").status_code == 200


def test_a_superuser_sees_everything(as_, admin, hero):
    assert as_(admin).get(f"{API}/artifacts/{hero['id']}/").status_code == 200
    assert paths(as_(admin).get(ARTIFACTS)) == ["heroes/hero.psd"]


def test_without_a_token_everything_is_401(client, hero):
    for below in ("", "content/", "versions/", "versions/1/", "versions/1/content/"):
        assert client.get(f"{API}/artifacts/{hero['id']}/{below}").status_code == 401
