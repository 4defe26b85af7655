"""The OpenAPI document describes the requests and responses of files."""

from io import StringIO

import pytest
from django.core.management import call_command
from django.test import Client

from tests.checkouts.api.conftest import SECOND, check_in, checked_out

ANSWERS = {
    "/projects/{slug}/artifacts/": {"get": ["200"], "post": ["201"]},
    "/artifacts/{id}/": {"get": ["200"], "patch": ["200"]},
    "/artifacts/{id}/edits/": {"post": ["201"]},
    "/edits/{id}/": {"get": ["200"], "delete": ["204"]},
    "/edits/{id}/content/": {"put": ["200", "201", "202"]},
    "/artifacts/{id}/content/": {"get": ["200", "206", "304"]},
    "/artifacts/{id}/versions/": {"get": ["200"]},
    "/artifacts/{id}/versions/{number}/": {"get": ["200"]},
    "/artifacts/{id}/versions/{number}/content/": {"get": ["200", "206", "304"]},
    "/artifacts/{id}/checkouts/": {"post": ["201"]},
    "/checkouts/": {"get": ["200"]},
    "/checkouts/{id}/": {"get": ["200"]},
    "/checkouts/{id}/extend/": {"post": ["200"]},
    "/checkouts/{id}/discard/": {"post": ["200"]},
    "/checkouts/{id}/break/": {"post": ["200"]},
    "/checkouts/{id}/check-in/": {"post": ["200", "201", "202"]},
    "/proposals/": {"get": ["200"]},
    "/proposals/{id}/": {"get": ["200"]},
    "/proposals/{id}/content/": {"get": ["200", "206", "304"]},
    "/proposals/{id}/accept/": {"post": ["201"]},
    "/proposals/{id}/reject/": {"post": ["200"]},
    "/proposals/{id}/withdraw/": {"post": ["200"]},
    "/proposals/{id}/rebuild/": {"post": ["201"]},
}


@pytest.fixture(scope="module")
def document():
    return Client().get("/api/v1/schema/", headers={"Accept": "application/json"}).json()


def test_the_schema_is_generated_without_a_warning():
    call_command("spectacular", "--validate", "--fail-on-warn", stdout=StringIO())


def test_each_endpoint_says_what_it_answers(document):
    paths = {path.removeprefix("/api/v1"): operations for path, operations in document["paths"].items()}
    for path, methods in ANSWERS.items():
        for method, statuses in methods.items():
            assert sorted(paths[path][method]["responses"]) == [*statuses, "default"], path
            assert paths[path][method]["description"], path


def test_an_upload_may_be_a_form_or_the_bytes_themselves(document):
    for path in ("/api/v1/projects/{slug}/artifacts/", "/api/v1/checkouts/{id}/check-in/"):
        content = document["paths"][path]["post"]["requestBody"]["content"]
        assert set(content) == {"multipart/form-data", "application/octet-stream"}
        assert content["application/octet-stream"]["schema"] == {"type": "string", "format": "binary"}


def test_responses_match_the_schema(document, as_, alice, bob, hero, clock):
    shapes = {name: set(shape.get("properties", ())) for name, shape in document["components"]["schemas"].items()}
    late = checked_out(as_(alice), hero, ttl=60)
    clock.forward(seconds=61)
    bobs = checked_out(as_(bob), hero)
    proposed, committed = check_in(as_(alice), late, SECOND).json(), check_in(as_(bob), bobs, b"other").json()
    assert set(hero) == shapes["ArtifactShape"]
    assert set(hero["head"]) == shapes["VersionShape"]
    assert set(late) == set(proposed["checkout"]) == shapes["CheckoutShape"]
    assert set(late["lease"]) == shapes["LeaseShape"]
    assert set(committed["checkout"]["result"]) == shapes["ResultShape"]
    assert set(proposed["proposal"]) == shapes["ProposalShape"]
    assert set(proposed) == shapes["WithProposalShape"]
    assert set(committed) == shapes["WithVersionShape"]
