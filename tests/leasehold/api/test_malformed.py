"""Malformed requests to the ground floor's API: each gets the same 4xx on both databases."""

import json
from io import BytesIO

import pytest
from rest_framework.test import APIClient

from leasehold.models import Project

PROJECTS = "/api/v1/projects/"
MEMBERS = f"{PROJECTS}art/members/"

BODIES = {
    "truncated": (b'{"slug": "new", "na', 400),
    "100,000 nested": (b"[" * 100_000, 400),
    "nested in an object": (b'{"slug":' * 100_000, 400),
    "a name twice": (b'{"slug": "new", "slug": "old", "name": "New"}', 400),
    "3 MB": (json.dumps({"slug": "new", "name": "x" * 3_000_000}).encode(), 413),
    "NaN": (b'{"slug": "new", "name": NaN}', 400),
    "Infinity": (b'{"slug": "new", "name": -Infinity}', 400),
    "1e400": (b'{"slug": "new", "name": 1e400}', 400),
    "a number of 5,000 digits": (b'{"slug": "new", "name": ' + b"9" * 5000 + b"}", 400),
    "not UTF-8": (b'{"slug": "new", "name": "\xff\xfe"}', 400),
    "UTF-16": ('{"slug": "new", "name": "New"}'.encode("utf-16"), 400),
    "a list": (b"[]", 400),
    "a text": (b'"new"', 400),
    "null": (b"null", 400),
    "empty": (b"", 400),
    "white space": (b"  ", 400),
    "NUL in a text": (b'{"slug": "new", "name": "a\\u0000b"}', 400),
    "half a surrogate pair": (b'{"slug": "new", "name": "\\ud800"}', 400),
    "a number for a text": (b'{"slug": "new", "name": 7}', 400),
    "true for a text": (b'{"slug": "new", "name": true}', 400),
    "null for a text": (b'{"slug": "new", "name": null}', 400),
    "an object for a text": (b'{"slug": "new", "name": {}}', 400),
    "a slug with a path in it": (b'{"slug": "../new", "name": "New"}', 400),
    "a slug that is a device": (b'{"slug": "con", "name": "New"}', 400),
}


@pytest.mark.parametrize(("body", "status"), BODIES.values(), ids=BODIES.keys())
def test_a_malformed_body_is_refused(as_, admin, body, status):
    answer = as_(admin).generic("POST", PROJECTS, body, content_type="application/json")
    assert answer.status_code == status, answer.content
    assert answer.headers["Content-Type"] == "application/problem+json"
    assert answer.json()["code"] == {400: "invalid", 413: "too_large"}[status]
    if status == 400:
        assert answer.json()["errors"]
    assert not Project.objects.exists()


@pytest.mark.parametrize(
    "content_type",
    ["text/plain", "application/xml", "multipart/form-data; boundary=x", "x", "application/" + "x" * 300],
)
def test_another_content_type_is_refused(as_, admin, content_type):
    body = b'{"slug": "new", "name": "New"}'
    answer = as_(admin).generic("POST", PROJECTS, body, content_type=content_type)
    assert (answer.status_code, answer.json()["code"]) == (415, "unsupported_media_type")


def test_another_content_type_in_chunks_is_refused(as_, admin):
    chunks = {"Transfer-Encoding": "chunked"}
    environ = {
        "CONTENT_LENGTH": "",
        "wsgi.input": BytesIO(b'{"slug": "new", "name": "New"}'),
        "wsgi.input_terminated": True,
    }
    for content_type, status in [("text/plain", 415), ("application/json", 201)]:
        answer = as_(admin).generic("POST", PROJECTS, b"x", content_type=content_type, headers=chunks, **environ)
        assert answer.status_code == status, answer.content


def test_a_compressed_body_is_refused(as_, admin):
    body, compressed = b"\x1f\x8b" + b"0" * 100, {"Content-Encoding": "gzip"}
    answer = as_(admin).generic("POST", PROJECTS, body, content_type="application/json", headers=compressed)
    assert (answer.status_code, answer.json()["code"]) == (415, "unsupported_media_type")


def test_a_body_shorter_than_its_length_is_refused(as_, admin):
    cut_off = {"CONTENT_LENGTH": "90", "wsgi.input": BytesIO(b'{"slug": "new", "name": "New"}')}
    answer = as_(admin).generic("POST", PROJECTS, b"x", content_type="application/json", **cut_off)
    assert answer.status_code == 400
    assert "shorter" in answer.json()["errors"][0]["detail"]


@pytest.mark.parametrize("length", ["x", "-1", "1e3"])
def test_a_length_that_is_no_number_is_refused(as_, admin, length):
    answer = as_(admin).generic(
        "POST", PROJECTS, b'{"slug": "new", "name": "New"}', content_type="application/json", CONTENT_LENGTH=length
    )
    assert answer.status_code == 400


@pytest.mark.parametrize(
    "path",
    [
        "projects/%00/",
        "projects/%ff%fe/",
        "projects/../art/",
        "projects/ART/",
        "projects/{art}/",
        f"projects/{'a' * 51}/",
        "projects/art/members/%00/",
        "projects/art/members/%F0%9F%98%80/",
        f"projects/art/members/{'a' * 151}/",
        "projects/art/members/nobody/",
    ],
)
def test_an_impossible_path_is_not_found(as_, olga, path):
    answer = as_(olga).delete(f"/api/v1/{path}")
    assert (answer.status_code, answer.json()["code"]) == (404, "not_found")


QUERIES = [
    ("leases/", {"kind": "%00"}),
    ("leases/", {"kind": "\0"}),
    ("leases/", {"kind": "unknown"}),
    ("leases/", {"holder": "\0"}),
    ("leases/", {"resource": "artifact:1\0"}),
    ("leases/", {"resource": "x" * 8192}),
    ("leases/", {"project": "\0"}),
    ("entries/", {"kind": "unknown"}),
    ("entries/", {"subject": "\0"}),
    ("entries/", {"actor": "\0"}),
    ("entries/", {"project": "\0"}),
    ("entries/", {"since": "yesterday"}),
    ("entries/", {"since": "2030-13-01T00:00:00Z"}),
    ("entries/", {"since": "9999-12-31T23:59:59-14:00"}),
    ("entries/", {"since": "0001-01-01T00:00:00+14:00"}),
    ("projects/", {"limit": "0"}),
    ("projects/", {"limit": "-1"}),
    ("projects/", {"limit": "201"}),
    ("projects/", {"limit": "9" * 5000}),
    ("projects/", {"limit": "²"}),
    ("projects/", {"limit": ""}),
    ("projects/", {"cursor": "x"}),
    ("projects/", {"cursor": "\0"}),
    ("projects/", {"cursor": "a" * 8192}),
]


@pytest.mark.parametrize(("path", "query"), QUERIES)
def test_a_malformed_query_is_refused(as_, alice, path, query):
    answer = as_(alice).get(f"/api/v1/{path}", query)
    assert answer.status_code == 400, answer.content
    assert answer.json()["errors"][0]["field"] == next(iter(query))


@pytest.mark.parametrize("query", ["%", "%zz", "&&==", "q=%ff%fe", "x" * 8192, "holder=%ff%fe"])
def test_a_meaningless_query_is_never_an_error_of_the_server(as_, alice, query):
    assert as_(alice).get(f"/api/v1/leases/?{query}").status_code in (200, 400)


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"user": "alice"},
        {"role": "viewer"},
        {"user": "alice", "role": "owner"},
        {"user": "alice", "role": True},
        {"user": "alice", "role": ["viewer"]},
        {"user": "alice", "role": {}},
        {"user": "a\0", "role": "viewer"},
        {"user": "\ud800", "role": "viewer"},
        {"user": "İ", "role": "viewer"},
        {"user": 1, "role": "viewer"},
        {"user": "x" * 151, "role": "viewer"},
    ],
)
def test_an_impossible_member_is_refused_at_its_field(as_, olga, alice, body):
    answer = as_(olga).generic("POST", MEMBERS, json.dumps(body), content_type="application/json")
    assert answer.status_code == 400, answer.content
    assert {error["field"] for error in answer.json()["errors"]} <= {"user", "role"}


def test_a_stranger_gets_401_before_the_body_is_validated(db):
    answer = APIClient().generic("POST", PROJECTS, b"[" * 100_000, content_type="application/json")
    assert answer.status_code == 401
