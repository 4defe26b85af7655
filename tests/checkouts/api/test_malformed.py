"""Malformed requests to the API of files: each gets a 4xx on both databases, and nothing is written."""

import json
from io import BytesIO
from urllib.parse import quote_from_bytes

import pytest

from checkouts.models import Artifact, Blob, Checkout, Version
from leasehold.models import Entry, Lease
from tests.checkouts.api.conftest import API, FIRST, SECOND, a_file, check_in, checked_out, stored
from tests.invariants import assert_sound

ARTIFACTS = f"{API}/projects/art/artifacts/"
BINARY = "application/octet-stream"


@pytest.fixture
def nothing_written(hero, blobs):
    """Check that rows and stored bytes are unchanged after the test."""

    def state():
        tables = (Artifact, Blob, Checkout, Version, Lease, Entry)
        return [list(table.objects.order_by("pk").values()) for table in tables], stored(blobs)

    def snapshot():
        before.append(state())

    before = []
    yield snapshot
    assert before, "the test took no snapshot"
    assert state() == before[0]
    assert_sound()


def refused(response, status, code, field=None):
    assert (response.status_code, response["Content-Type"]) == (status, "application/problem+json"), response.content
    problem = response.json()
    assert (problem["code"], problem["status"]) == (code, status)
    assert problem["request_id"]
    if field is not None:
        assert [error["field"] for error in problem["errors"]] == [field]


# --- names

NAMES = {
    "none": b"",
    "NUL": b"a\0b",
    "CR LF": b"a\r\nX-Evil: 1",
    "above": b"../x",
    "above, backslash": b"..\\..\\x",
    "above, inside": b"a/../../b",
    "absolute": b"/etc/x",
    "absolute, backslash": b"\\x",
    "the folder itself": b"a/./b",
    "two slashes": b"a//b",
    "a folder": b"a/",
    "a dot": b".",
    "two dots": b"..",
    "a device": b"CON.txt",
    "a device in a folder": b"a/nul/b.psd",
    "a trailing dot": b"hero.",
    "a trailing space": b"a /b",
    "a leading space": b"a/ b",
    "256 bytes": b"x" * 256,
    "256 bytes and more of accents": "é".encode() * 130 + b".psd",
    "65 emoji": "🦸".encode() * 65,
    "a path of 1,025 bytes": b"/".join([b"x" * 200] * 5) + b"/" + b"x" * 20,
    "right to left": "a\u202egpj.exe".encode(),
    "a bell": b"a\x07b",
}


@pytest.mark.parametrize("name", NAMES.values(), ids=NAMES.keys())
def test_an_invalid_name_is_refused(as_, alice, nothing_written, name):
    client = as_(alice)
    nothing_written()
    raw = client.generic("POST", f"{ARTIFACTS}?path={quote_from_bytes(name, safe='')}", FIRST, content_type=BINARY)
    refused(raw, 400, "invalid", "path")
    refused(client.post(ARTIFACTS, {"path": name.decode(), "file": a_file(FIRST)}), 400, "invalid", "path")


@pytest.mark.parametrize("name", ["../.", "..\\..\\x", "/etc/x", "C:\\x", ".", "..", "a\0b", "x" * 5000, "a\r\nb"])
def test_the_uploads_file_name_is_ignored(as_, alice, hero, tmp_path, blobs, name):
    body = b'--edge\r\nContent-Disposition: form-data; name="file"; filename="%b"\r\n\r\n%b\r\n--edge--\r\n'
    checkout = checked_out(as_(alice), hero)
    before = {path for path in tmp_path.rglob("*") if not path.is_relative_to(blobs)}
    response = as_(alice).generic(
        "POST",
        f"{API}/checkouts/{checkout['id']}/check-in/",
        body % (name.encode(), SECOND),
        content_type="multipart/form-data; boundary=edge",
    )
    assert response.status_code in (201, 400), response.content
    assert {path for path in tmp_path.rglob("*") if not path.is_relative_to(blobs)} == before
    assert len(stored(blobs)) == (2 if response.status_code == 201 else 1)
    assert_sound()


@pytest.mark.parametrize("query", ["path=%ff%fe.psd", "path=%ed%a0%80.psd"])
def test_a_name_that_is_not_utf_8_causes_no_server_error(as_, alice, query):
    response = as_(alice).generic("POST", f"{ARTIFACTS}?{query}", FIRST, content_type=BINARY)
    assert response.status_code in (201, 400), response.content
    if response.status_code == 201:
        response.json()["path"].encode()
    assert_sound()


# --- bodies of JSON, where a file is checked out

BODIES = {
    "truncated": (b'{"ttl": 90', 400, "invalid"),
    "100,000 nested": (b"[" * 100_000, 400, "invalid"),
    "100,000 nested in an object": (b'{"ttl":' * 100_000, 400, "invalid"),
    "a name twice": (b'{"ttl": 900, "ttl": 900}', 400, "invalid"),
    "3 MB": (json.dumps({"purpose": "x" * 3_000_000}).encode(), 413, "too_large"),
    "not UTF-8": (b'{"purpose": "\xff\xfe"}', 400, "invalid"),
    "UTF-16": ('{"ttl": 900}'.encode("utf-16"), 400, "invalid"),
    "a list": (b"[]", 400, "invalid"),
    "null": (b"null", 400, "invalid"),
    "a number of 5,000 digits": (b'{"ttl": ' + b"9" * 5_000 + b"}", 400, "invalid"),
    "a long purpose": (json.dumps({"purpose": "x" * 501}).encode(), 400, "invalid"),
}


@pytest.mark.parametrize(("body", "status", "code"), BODIES.values(), ids=BODIES.keys())
def test_a_malformed_body_is_refused(as_, alice, hero, nothing_written, body, status, code):
    client = as_(alice)
    nothing_written()
    address = f"{API}/artifacts/{hero['id']}/checkouts/"
    refused(client.generic("POST", address, body, content_type="application/json"), status, code)


@pytest.mark.parametrize("content_type", ["text/plain", "application/xml", "multipart/form-data; boundary=x", BINARY])
def test_a_check_out_body_must_be_json(as_, alice, hero, nothing_written, content_type):
    client = as_(alice)
    nothing_written()
    address = f"{API}/artifacts/{hero['id']}/checkouts/"
    refused(client.generic("POST", address, b'{"ttl": 900}', content_type=content_type), 415, "unsupported_media_type")


def test_a_compressed_body_is_refused(as_, alice, hero, nothing_written):
    client, compressed = as_(alice), {"Content-Encoding": "gzip"}
    nothing_written()
    address, body = f"{API}/artifacts/{hero['id']}/checkouts/", b"\x1f\x8b" + b"0" * 100
    response = client.generic("POST", address, body, content_type="application/json", headers=compressed)
    refused(response, 415, "unsupported_media_type")


# --- bodies that bring a file


@pytest.mark.parametrize(
    ("content_type", "body"),
    [
        ("application/json", b'{"file": "x"}'),
        ("application/x-www-form-urlencoded", b"file=x"),
        ("multipart/form-data", SECOND),
        ("multipart/form-data; boundary=" + "x" * 300, SECOND),
        ("multipart/form-data; boundary=edge", b""),
        ("multipart/form-data; boundary=edge", b"--edge--\r\n"),
        ("multipart/form-data; boundary=edge", b"--edge\r\nContent-Disposition: form-data\r\n\r\nx\r\n--edge--\r\n"),
        (
            "multipart/form-data; boundary=edge",
            b'--edge\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nhalf a fi',
        ),
        (
            "multipart/form-data; boundary=edge",
            b'--edge\r\nContent-Disposition: form-data; name="file"\r\n\r\na text\r\n--edge--\r\n',
        ),
    ],
)
def test_an_incomplete_check_in_is_refused(as_, alice, hero, nothing_written, content_type, body):
    client = as_(alice)
    checkout = checked_out(client, hero)
    nothing_written()
    address = f"{API}/checkouts/{checkout['id']}/check-in/"
    refused(client.generic("POST", address, body, content_type=content_type), 400, "invalid", "file")


def test_a_body_shorter_than_its_length(as_, alice, hero, nothing_written):
    client = as_(alice)
    checkout = checked_out(client, hero)
    nothing_written()
    cut_off = {"CONTENT_LENGTH": "1000", "wsgi.input": BytesIO(SECOND)}
    address = f"{API}/checkouts/{checkout['id']}/check-in/"
    refused(client.generic("POST", address, b"x", content_type=BINARY, **cut_off), 400, "invalid", "file")


def test_a_length_over_the_limit_is_refused_unread(as_, alice, hero, nothing_written, settings):
    settings.LEASEHOLD_UPLOAD_LIMIT = 1024**3
    client = as_(alice)
    checkout = checked_out(client, hero)
    nothing_written()
    body = BytesIO(SECOND)
    unread = {"CONTENT_LENGTH": "6000000000", "wsgi.input": body}
    for address in (f"{API}/checkouts/{checkout['id']}/check-in/", f"{ARTIFACTS}?path=big.psd"):
        refused(client.generic("POST", address, b"x", content_type=BINARY, **unread), 413, "too_large")
    assert body.tell() == 0


@pytest.mark.parametrize("announced", ["nonsense", ":YWJj:", "x" * 8000])
def test_an_invalid_digest(as_, alice, hero, nothing_written, announced):
    client = as_(alice)
    checkout = checked_out(client, hero)
    nothing_written()
    response = check_in(client, checkout, SECOND, **{"Content-Digest": f"sha-256={announced}"})
    refused(response, 400, "invalid", "Content-Digest")


# --- ids and paths

PATHS = ["%00", "%ff%fe", "-1", "0", str(2**63), "9" * 400, "{8c5c0a3e-0000-4000-8000-000000000000}", "1.0", "1e3", "١"]


@pytest.mark.parametrize("part", PATHS)
def test_an_invalid_id(as_, alice, hero, nothing_written, part):
    client = as_(alice)
    nothing_written()
    for address in ("artifacts/{}/", "artifacts/{}/content/", "artifacts/{}/versions/", "checkouts/{}/"):
        refused(client.get(f"{API}/{address.format(part)}"), 404, "not_found")
    refused(client.get(f"{API}/artifacts/{hero['id']}/versions/{part}/content/"), 404, "not_found")
    refused(client.get(f"{API}/proposals/{part}/content/"), 404, "not_found")
    refused(client.get(f"{API}/projects/{part}/artifacts/"), 404, "not_found")
    refused(client.post(f"{API}/artifacts/{part}/checkouts/"), 404, "not_found")
    for verb in ("extend", "discard", "check-in"):
        refused(client.post(f"{API}/checkouts/{part}/{verb}/"), 404, "not_found")


@pytest.mark.parametrize(
    "query", ["x" * 8192, "q=" + "x" * 8192, "%", "%zz", "&&==", "prefix=%ff%fe", "held=%F0%9F%98%80"]
)
def test_a_malformed_query_causes_no_server_error(as_, alice, nothing_written, query):
    client = as_(alice)
    nothing_written()
    for address in (ARTIFACTS, f"{API}/checkouts/", f"{API}/proposals/"):
        response = client.get(f"{address}?{query}")
        assert response.status_code in (200, 400), response.content


@pytest.mark.parametrize("method", ["put", "patch", "delete"])
def test_an_unsupported_method(as_, alice, hero, nothing_written, method):
    client = as_(alice)
    nothing_written()
    for address in (ARTIFACTS, f"{API}/artifacts/{hero['id']}/content/", f"{API}/checkouts/"):
        refused(getattr(client, method)(address), 405, "method_not_allowed")


def test_a_path_without_its_slash_is_never_redirected(as_, alice, hero, nothing_written):
    client = as_(alice)
    nothing_written()
    response = client.post(f"{API}/artifacts/{hero['id']}/checkouts")
    refused(response, 404, "not_found")
    assert "slash" in response.json()["detail"]
