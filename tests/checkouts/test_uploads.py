"""Uploads to the API and the pages: the one file is stored completely, or refused and nothing is kept."""

import base64
import hashlib
import io
from pathlib import Path

import pytest
from django.db import OperationalError
from django.test import Client, RequestFactory

from checkouts.bytes import site_file, storage
from checkouts.http import uploads
from tests.scenes import stored_files

pytestmark = pytest.mark.urls("tests.checkouts.doors")

HERO = b"8BPS\r\n--" + bytes(range(256)) * 40
SHA = hashlib.sha256(HERO)
DIGEST = "sha256:" + SHA.hexdigest()
BASE64 = base64.b64encode(SHA.digest()).decode()
WRONG = base64.b64encode(hashlib.sha256(b"another").digest()).decode()
LIMIT = 100_000
DOORS = ["/take", "/api/take"]


@pytest.fixture(autouse=True)
def blobs(settings, tmp_path: Path, monkeypatch) -> Path:
    monkeypatch.setattr(site_file, "demand_own_folder", lambda: None)  # most tests here have no database
    settings.LEASEHOLD_BLOBS = tmp_path / "inner" / "blobs"
    settings.LEASEHOLD_UPLOAD_LIMIT = LIMIT
    return settings.LEASEHOLD_BLOBS


@pytest.fixture
def client() -> Client:
    return Client(enforce_csrf_checks=True)


def kept(blobs: Path) -> list[bytes]:
    return [path.read_bytes() for path in stored_files(blobs)]


def part(name: str, content: bytes, filename: str | None = None) -> bytes:
    given = "" if filename is None else f'; filename="{filename}"'
    return f'--edge\r\nContent-Disposition: form-data; name="{name}"{given}\r\n\r\n'.encode() + content + b"\r\n"


def send_form(client: Client, *parts: bytes, door: str = "/take", end: bytes = b"--edge--\r\n", **headers: str):
    body = b"".join(parts) + end
    return client.generic("POST", door, body, content_type="multipart/form-data; boundary=edge", headers=headers)


def send_raw(client: Client, body: bytes, *, door: str = "/take", content_type="application/octet-stream", **headers):
    return client.generic("POST", door, body, content_type=content_type, headers=headers, CONTENT_LENGTH=str(len(body)))


@pytest.mark.parametrize("door", DOORS)
def test_a_raw_body_has_its_fields_in_the_query(client, blobs, door):
    answer = send_raw(client, HERO, door=door + "?comment=first+pass")
    assert answer.status_code == 201
    assert (answer.json()["digest"], answer.json()["size"]) == (DIGEST, len(HERO))
    assert answer.json()["fields"] == {"comment": "first pass"}
    assert kept(blobs) == [HERO]


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("end", [b"--edge--\r\n", b"--edge--", b"--edge--\r\nan epilogue"])
def test_a_form_has_one_file_and_fields_in_any_order(client, blobs, door, end):
    answer = send_form(
        client,
        part("comment", "für später".encode()),
        part("file", HERO, "hero.psd"),
        part("keep", b"1"),
        end=end,
        door=door,
    )
    assert answer.status_code == 201
    assert answer.json()["digest"] == DIGEST
    assert answer.json()["filename"] == "hero.psd"
    assert answer.json()["fields"] == {"comment": "für später", "keep": "1"}
    assert kept(blobs) == [HERO]


def test_a_put_may_be_a_form(client, blobs):
    body = part("file", HERO, "hero.psd") + b"--edge--"
    answer = client.generic("PUT", "/api/take", body, content_type="multipart/form-data; boundary=edge")
    assert answer.status_code == 201
    assert kept(blobs) == [HERO]


@pytest.mark.parametrize("door", DOORS)
def test_an_empty_file_is_accepted_as_body_and_form(client, blobs, door):
    assert send_form(client, part("file", b"", "empty.psd"), door=door).json()["size"] == 0
    assert send_raw(client, b"", door=door).json()["size"] == 0
    assert kept(blobs) == [b"", b""]


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize(
    "parts",
    [
        pytest.param([part("comment", b"no file")], id="none"),
        pytest.param([part("file", HERO)], id="as text"),
        pytest.param([part("file", b"", "")], id="no file chosen"),
        pytest.param([part("file", HERO, "a.psd"), part("file", HERO, "b.psd")], id="two"),
        pytest.param([part("file", HERO, "a.psd"), part("other", HERO, "b.psd")], id="another beside it"),
        pytest.param([part("picture", HERO, "a.psd")], id="under another name"),
    ],
)
def test_a_form_without_exactly_one_file_is_refused_by_field(client, blobs, door, parts):
    answer = send_form(client, *parts, door=door)
    assert answer.status_code == 400
    assert [error["field"] for error in answer.json()["errors"]] == ["file"]
    assert kept(blobs) == []


@pytest.mark.parametrize("content_type", ["application/x-www-form-urlencoded", "application/json"])
def test_a_content_type_or_length_that_is_no_files_is_refused(client, blobs, content_type):
    assert send_raw(client, b'{"comment": "1"}', content_type=content_type).status_code == 400
    assert client.generic("POST", "/take", content_type="application/octet-stream").status_code == 400, "no length"
    assert kept(blobs) == []


@pytest.mark.parametrize(
    "end",
    [
        b"",
        b"--edge",
        b"--edge\r\n",
        b"--edge-",
        b"--other--\r\n",
        b'--edge\r\nContent-Disposition: form-data; name="x"',
    ],
)
@pytest.mark.parametrize(
    "parts", [[part("file", HERO, "hero.psd")], [part("file", HERO, "a.psd"), part("comment", b"x")]]
)
def test_a_form_without_its_closing_boundary_is_refused(client, blobs, parts, end):
    answer = send_form(client, *parts, end=end)
    assert answer.status_code == 400
    assert "early" in answer.json()["errors"][0]["detail"]
    assert kept(blobs) == []


@pytest.mark.parametrize("content_type", ["application/octet-stream", "multipart/form-data; boundary=edge"])
def test_a_body_shorter_than_its_length_is_refused(client, blobs, content_type):
    whole = part("file", HERO, "hero.psd") + b"--edge--\r\n"
    for sent in (whole, whole[:5000]):
        environ = {"wsgi.input": io.BytesIO(sent), "CONTENT_LENGTH": len(whole) + 9, "CONTENT_TYPE": content_type}
        answer = client.post("/take", **environ)
        assert answer.status_code == 400
        assert kept(blobs) == []


@pytest.mark.parametrize("header", [{"Content-Encoding": "gzip"}, {"content-range": "bytes 100-199/200"}])
def test_partial_and_compressed_bodies_are_refused(client, blobs, header):
    assert send_raw(client, HERO, **header).status_code == 400
    assert send_form(client, part("file", HERO, "hero.psd"), **header).status_code == 400
    assert kept(blobs) == []


@pytest.mark.parametrize(
    "content_type",
    ["multipart/form-data", "multipart/form-data; boundary=", "multipart/form-data; boundary=" + "x" * 300],
)
def test_a_form_that_cannot_be_read_is_refused(client, blobs, content_type):
    answer = client.generic("POST", "/take", HERO, content_type=content_type)
    assert answer.status_code == 400
    assert kept(blobs) == []


def test_a_form_with_too_much_text_is_refused(client, blobs, settings):
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 1000
    answer = send_form(client, part("file", HERO, "hero.psd"), part("comment", b"x" * 2000))
    assert answer.status_code == 400
    assert kept(blobs) == []


class Untouched(io.BytesIO):
    def read(self, *_):
        raise AssertionError("the body was read")

    readline = read


@pytest.mark.parametrize("content_type", ["application/octet-stream", "multipart/form-data; boundary=edge"])
def test_a_declared_size_over_the_limit_is_refused_unread(client, blobs, content_type):
    environ = {"CONTENT_LENGTH": "6000000000", "wsgi.input": Untouched(), "CONTENT_TYPE": content_type}
    answer = client.post("/take", **environ)
    assert answer.status_code == 413
    assert answer.json()["limit"] == LIMIT
    assert kept(blobs) == []


def test_a_body_that_exceeds_the_limit_is_refused(client, blobs):
    assert send_form(client, part("file", b"x" * (LIMIT + 1), "hero.psd")).status_code == 413
    assert send_form(client, part("file", b"x" * LIMIT, "hero.psd"), part("comment", b"c" * 1000)).status_code == 201
    assert send_raw(client, b"x" * (LIMIT + 1)).status_code == 413
    assert kept(blobs) == [b"x" * LIMIT]


@pytest.mark.parametrize(
    "headers",
    [
        {"Content-Digest": f"sha-256=:{BASE64}:"},
        {"Content-Digest": f"sha-512=:AAAA:, sha-256=:{BASE64}:"},
        {"Digest": f"SHA-256={BASE64}"},
        {"Digest": f"md5=AAAA,sha-256={BASE64}"},
        {"Content-Digest": "sha-512=:AAAA:"},
    ],
)
def test_a_matching_digest_is_accepted(client, headers):
    assert send_raw(client, HERO, **headers).status_code == 201
    assert send_form(client, part("file", HERO, "hero.psd"), **headers).status_code == 201


@pytest.mark.parametrize("header", ["Content-Digest", "Digest"])
def test_a_wrong_digest_is_refused(client, blobs, header):
    value = f"sha-256=:{WRONG}:" if header == "Content-Digest" else f"SHA-256={WRONG}"
    answers = [
        send_raw(client, HERO, **{header: value}),
        send_form(client, part("file", HERO, "hero.psd"), **{header: value}),
        send_form(client, part("file", HERO, "hero.psd"), part("digest", b"sha256:" + b"0" * 64)),
        send_raw(client, HERO, door="/take?digest=" + "0" * 64),
    ]
    assert [answer.status_code for answer in answers] == [422] * 4
    assert {answer.json()["code"] for answer in answers} == {"digest_mismatch"}
    assert {answer.json()["actual"] for answer in answers} == {DIGEST}
    assert kept(blobs) == []


def test_content_digest_may_cover_the_whole_form(client):
    parts = part("file", HERO, "hero.psd"), part("digest", DIGEST.encode())
    whole = base64.b64encode(hashlib.sha256(b"".join(parts) + b"--edge--\r\n").digest()).decode()
    assert send_form(client, *parts, **{"Content-Digest": f"sha-256=:{whole}:"}).status_code == 201


@pytest.mark.parametrize("value", ["sha-256=:!:", "sha-256=:AAAA:", "sha-256="])
def test_a_malformed_digest_is_refused(client, blobs, value):
    assert send_raw(client, HERO, **{"Content-Digest": value}).status_code == 400
    assert send_form(client, part("file", HERO, "a"), part("digest", b"md5:1")).status_code == 400
    assert kept(blobs) == []


@pytest.mark.parametrize(
    "filename",
    [
        "../.",
        "../../evil",
        "..\\\\..\\\\evil",
        "/etc/evil",
        "C:\\\\evil",
        "a/../../b",
        "%2e%2e/evil",
        ".",
        "..",
        "\x00evil",
    ],
)
def test_no_file_name_leads_out_of_the_blobs(client, blobs, filename):
    answer = send_form(client, part("file", HERO, filename))
    assert answer.status_code in {201, 400}
    outside = [path for path in blobs.parent.parent.rglob("*") if path.is_file() and blobs not in path.parents]
    assert outside == []
    if answer.status_code == 201:
        assert "/" not in answer.json()["filename"]
        assert kept(blobs) == [HERO]


@pytest.mark.parametrize("filename", ["a" * 120 + ".v1.final.2.pdf", "é" * 130 + ".psd", "x" * 400])
def test_a_long_file_name_is_accepted(client, blobs, filename):
    assert send_form(client, part("file", HERO, filename)).status_code == 201
    assert kept(blobs) == [HERO]


@pytest.mark.django_db
@pytest.mark.parametrize("door", DOORS)
def test_bytes_of_a_refused_action_are_removed(client, blobs, door):
    for sent in (
        send_raw(client, HERO, door=door + "?then=refuse"),
        send_form(client, part("file", HERO, "hero.psd"), part("then", b"refuse"), door=door),
    ):
        assert sent.status_code == 403
    assert kept(blobs) == []


@pytest.mark.django_db
def test_unused_bytes_are_removed(client, blobs):
    assert send_raw(client, HERO, door="/take?unused=1").status_code == 201
    assert kept(blobs) == []


@pytest.mark.django_db
def test_bytes_of_a_failed_request_are_removed(client, blobs):
    with pytest.raises(RuntimeError):
        send_raw(client, HERO, door="/take?then=break")
    assert kept(blobs) == []


def test_bytes_stay_if_the_commits_fate_is_unknown(blobs):
    request = RequestFactory().generic("POST", "/", HERO)

    def commit(received: storage.Received) -> None:
        raise OperationalError("server closed the connection unexpectedly")

    with pytest.raises(OperationalError), uploads.received_upload(request, limit=LIMIT) as upload:
        upload.commit_with(commit)
    assert kept(blobs) == [HERO]


def test_bytes_for_a_closed_check_out_are_hashed_and_not_stored(client, blobs):
    for answer in (send_raw(client, HERO, door="/weigh"), send_form(client, part("file", HERO, "a"), door="/weigh")):
        assert (answer.json()["digest"], answer.json()["key"]) == (DIGEST, str(storage.NOWHERE))
    assert not blobs.exists()


# --- a browser's form ------------------------------------------------------------------------------------------------


def test_a_form_with_its_token_gets_through(client, blobs):
    token = client.get("/token").content
    parts = part("comment", b"done"), part("file", HERO, "hero.psd")
    by_field = send_form(client, part("csrfmiddlewaretoken", token), *parts, door="/form")
    by_header = send_form(client, *parts, door="/form", **{"X-CSRFToken": token.decode()})
    assert [by_field.status_code, by_header.status_code] == [201, 201]
    assert by_field.json()["comment"] == "done"
    assert kept(blobs) == [HERO, HERO]


@pytest.mark.django_db
def test_a_form_without_its_token_is_refused_and_leaves_nothing(client, blobs):
    client.get("/token")
    parts = part("comment", b"done"), part("file", HERO, "hero.psd")
    for token in (b"", b"x" * 64):
        assert send_form(client, part("csrfmiddlewaretoken", token), *parts, door="/form").status_code == 403
    assert kept(blobs) == []


@pytest.mark.django_db
def test_a_forbidden_upload_is_refused_unread(client):
    environ = {
        "CONTENT_LENGTH": "5000",
        "wsgi.input": Untouched(),
        "CONTENT_TYPE": "multipart/form-data; boundary=edge",
    }
    assert client.post("/form", headers={"X-Stranger": "1"}, **environ).status_code == 401
    assert client.post("/form", headers={"X-Viewer": "1"}, **environ).status_code == 403


@pytest.mark.django_db
def test_bytes_refused_by_a_page_are_removed(client, blobs):
    token = client.get("/token").content
    answer = send_form(
        client, part("csrfmiddlewaretoken", token), part("then", b"refuse"), part("file", HERO, "a"), door="/form"
    )
    assert answer.status_code == 403
    assert kept(blobs) == []


# --- bodies in chunks ------------------------------------------------------------------------------------------------


def in_chunks(client: Client, door: str, body: bytes, content_type: str, *, is_terminated: bool = True):
    environ = {"wsgi.input": io.BytesIO(body), "wsgi.input_terminated": is_terminated, "CONTENT_TYPE": content_type}
    return client.post(door, headers={"Transfer-Encoding": "chunked"}, **environ)


@pytest.mark.parametrize("door", DOORS)
def test_a_body_in_chunks_is_stored_whole(client, blobs, door):
    form = part("file", HERO, "hero.psd") + b"--edge--\r\n"
    raw = in_chunks(client, door, HERO, "application/octet-stream")
    multipart = in_chunks(client, door, form, "multipart/form-data; boundary=edge")
    assert [raw.json()["digest"], multipart.json()["digest"]] == [DIGEST, DIGEST]
    assert kept(blobs) == [HERO, HERO]


def test_a_body_in_chunks_that_grows_too_large_is_refused(client, blobs):
    assert in_chunks(client, "/take", b"x" * (LIMIT + 1), "application/octet-stream").status_code == 413
    assert kept(blobs) == []


def test_json_in_chunks_is_read_and_too_much_of_it_refused(client, settings):
    assert in_chunks(client, "/api/echo", b'{"ttl": 60}', "application/json").json() == {"data": {"ttl": 60}}
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 5
    assert in_chunks(client, "/api/echo", b'{"ttl": 60}', "application/json").status_code == 413


def test_chunked_bodies_need_a_server_that_ends_them(client, blobs):
    answer = in_chunks(client, "/take", HERO, "application/octet-stream", is_terminated=False)
    assert (answer.status_code, answer.json()["code"]) == (411, "length_required")
    assert kept(blobs) == []


@pytest.mark.parametrize("coding", ["gzip, chunked", "chunked, gzip", "deflate"])
def test_a_body_in_another_transfer_coding_is_refused(client, blobs, coding):
    """gunicorn passes gzip on unchanged."""
    environ = {"wsgi.input": io.BytesIO(HERO), "wsgi.input_terminated": True, "CONTENT_TYPE": "image/png"}
    answer = client.post("/take", headers={"Transfer-Encoding": coding}, **environ)
    assert (answer.status_code, answer.json()["code"]) == (415, "unsupported_media_type")
    assert kept(blobs) == []
