"""`Idempotency-Key`: the same request again gets the first response, and the action does not run again."""

import json

import pytest
from django.db import OperationalError

from leasehold.actions import idempotency
from leasehold.models import Answer, Project, Token

PROJECTS, TOKENS = "/api/v1/projects/", "/api/v1/tokens/"
SONG = {"slug": "song", "name": "Song"}


def post(client, body=SONG, key="k1", path=PROJECTS):
    text = body if isinstance(body, str) else json.dumps(body)
    headers = {"Idempotency-Key": key} if key is not None else {}
    return client.generic("POST", path, text, content_type="application/json", headers=headers)


def test_the_same_request_again_gives_the_first_response(as_, admin):
    client = as_(admin)
    first, again = post(client), post(client)
    assert (first.status_code, again.status_code) == (201, 201)
    assert again.json() == first.json()
    assert (first.get("Idempotency-Replayed"), again["Idempotency-Replayed"]) == (None, "true")
    assert again["Content-Type"] == first["Content-Type"]
    assert Project.objects.count() == 1


def test_without_a_key_the_action_runs_again(as_, admin):
    assert [post(as_(admin), key=None).status_code for _ in range(2)] == [201, 400]
    assert not Answer.objects.exists()


def test_a_refusal_is_replayed_too(as_, admin):
    client = as_(admin)
    post(client, key=None)
    refused, again = post(client), post(client)
    assert (again.status_code, again.json()) == (400, refused.json())
    assert (again["Content-Type"], again["Idempotency-Replayed"]) == ("application/problem+json", "true")


@pytest.mark.parametrize("other", ['{"slug": "song2", "name": "Song"}', '{"slug": "song",  "name": "Song"}', ""])
def test_the_key_with_another_body_is_a_mismatch(as_, admin, other):
    post(as_(admin))
    refused = post(as_(admin), other)
    assert (refused.status_code, refused.json()["code"]) == (422, "idempotency_mismatch")
    assert Project.objects.count() == 1


def test_the_key_at_another_address_is_a_mismatch(as_, admin):
    post(as_(admin))
    assert post(as_(admin), path=f"{PROJECTS}?x=1").status_code == 422


def test_each_account_has_its_own_keys(as_, admin, alice):
    post(as_(admin))
    assert post(as_(alice)).status_code == 403
    assert post(as_(admin), {"slug": "b", "name": "B"}, "k2").status_code == 201


def test_after_a_day_the_key_is_new(as_, admin, clock):
    client = as_(admin)
    post(client)
    clock.forward(hours=23)
    assert post(client)["Idempotency-Replayed"] == "true"
    clock.forward(hours=2)
    assert post(client, {"slug": "b", "name": "B"}).status_code == 201
    assert Answer.objects.count() == 1


def test_a_second_request_waits_for_the_first(as_, admin, monkeypatch):
    client, responses = as_(admin), []
    real = idempotency.store

    def meanwhile(*args, **kwargs):
        responses.append(post(client))
        return real(*args, **kwargs)

    monkeypatch.setattr(idempotency, "store", meanwhile)
    assert post(client).status_code == 201
    [second] = responses
    assert (second.status_code, second.json()["code"], second["Retry-After"]) == (409, "in_progress", "1")
    monkeypatch.undo()
    assert post(client)["Idempotency-Replayed"] == "true"


def test_a_request_that_died_still_holds_its_key_for_a_while(as_, admin, monkeypatch):
    client = as_(admin)
    monkeypatch.setattr(idempotency, "store", lambda *_, **__: None)  # as if killed before it answered
    post(client)
    monkeypatch.undo()
    assert post(client).json()["code"] == "in_progress"


def test_the_next_request_takes_over_from_one_that_died(as_, admin, clock):
    client = as_(admin)
    post(client, key="k1")
    Answer.objects.update(status=None)
    clock.forward(seconds=61)
    done = post(client)
    assert (done.status_code, done.json()["errors"][0]["field"]) == (400, "slug")  # the dead request had created it
    assert "Idempotency-Replayed" not in done
    assert post(client)["Idempotency-Replayed"] == "true"


@pytest.mark.parametrize("status", [500, 503])
def test_an_error_of_the_server_is_not_replayed(as_, admin, monkeypatch, status):
    client = as_(admin)
    client.raise_request_exception = False

    def broken(**_):
        raise RuntimeError if status == 500 else OperationalError("database is locked")

    monkeypatch.setattr("leasehold.api.base.problems._may_pass", lambda _: True)
    monkeypatch.setattr("leasehold.actions.projects.create_project", broken)
    assert post(client).status_code == status
    monkeypatch.undo()
    assert post(client).status_code == 201


@pytest.mark.parametrize("key", ["", "a" * 256, "schlüssel", "a\tb"])
def test_a_malformed_key_is_invalid(as_, admin, key):
    refused = post(as_(admin), key=key)
    assert (refused.status_code, refused.json()["errors"][0]["field"]) == (400, "Idempotency-Key")
    assert not Project.objects.exists()


def test_a_token_is_stored_nowhere(as_, alice):
    client = as_(alice)
    texts = {post(client, {"name": "ci"}, path=TOKENS).json()["token"] for _ in range(2)}
    assert len(texts) == 2
    assert not Answer.objects.exists()


def test_a_get_and_another_content_type_ignore_the_key(as_, admin):
    client = as_(admin)
    assert client.get(PROJECTS, headers={"Idempotency-Key": "k1"}).status_code == 200
    refused = client.generic("POST", PROJECTS, "x", content_type="text/plain", headers={"Idempotency-Key": "k1"})
    assert refused.status_code == 415
    assert not Answer.objects.exists()


def test_the_sweep_deletes_keys_after_a_day(as_, admin, clock):
    post(as_(admin))
    assert (idempotency.count_outdated(), idempotency.delete_outdated()) == (0, 0)
    clock.forward(hours=25)
    assert (idempotency.count_outdated(), idempotency.delete_outdated(), Answer.objects.count()) == (1, 1, 0)


# --- one's own tokens and profile ------------------------------------------------------------------------------------


def test_alice_creates_uses_and_revokes_a_token(as_, alice, client):
    made = post(as_(alice), {"name": "ci", "scope": "write", "days": 7}, None, TOKENS)
    assert made.status_code == 201
    text = made.json()["token"]
    assert text.startswith("lh_")
    listed = as_(alice).get(TOKENS).json()["results"]
    assert all("token" not in row for row in listed)
    assert made.json()["id"] in [row["id"] for row in listed]
    bearer = {"Authorization": f"Bearer {text}"}
    assert client.get("/api/v1/me/", headers=bearer).json()["scope"] == "write"
    assert client.post(TOKENS, {"name": "x"}, "application/json", headers=bearer).status_code == 403
    assert as_(alice).delete(f"{TOKENS}{made.json()['id']}/").status_code == 204
    assert client.get("/api/v1/me/", headers=bearer).status_code == 401


def test_another_accounts_token_is_unknown(as_, alice, bob):
    made = post(as_(alice), {"name": "ci"}, None, TOKENS).json()
    assert as_(bob).delete(f"{TOKENS}{made['id']}/").status_code == 404
    assert made["id"] not in [row["id"] for row in as_(bob).get(TOKENS).json()["results"]]
    assert Token.objects.get(pk=made["id"]).revoked_at is None


@pytest.mark.parametrize(
    "body", [{}, {"name": ""}, {"name": "x", "scope": "root"}, {"name": "x", "days": 0}, {"name": "x", "days": True},
             {"name": "x", "days": 10**9}, {"name": "x", "user": "bob"}],
)  # fmt: skip
def test_a_malformed_new_token_is_invalid(as_, alice, body):
    assert post(as_(alice), body, None, TOKENS).status_code == 400
    assert Token.objects.count() == 1  # the client's own


def test_alice_changes_her_name_and_zone(as_, alice):
    answer = as_(alice).patch("/api/v1/me/", {"name": "Alice A.", "time_zone": "Europe/Berlin"}, format="json")
    assert (answer.status_code, answer.json()["name"], answer.json()["time_zone"]) == (200, "Alice A.", "Europe/Berlin")
    assert as_(alice).patch("/api/v1/me/", {"time_zone": ""}, format="json").json()["name"] == "Alice A."
    refused = as_(alice).patch("/api/v1/me/", {"time_zone": "Mars/Base"}, format="json")
    assert (refused.status_code, refused.json()["errors"][0]["field"]) == (400, "time_zone")
