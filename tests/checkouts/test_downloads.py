"""Downloads: the exact bytes, under the file's name, and nothing that a browser runs."""

import hashlib
import re
import urllib.parse
import uuid

import pytest
from django.test import Client

from checkouts.bytes import storage
from checkouts.http.downloads import disposition

pytestmark = [pytest.mark.urls("tests.checkouts.doors"), pytest.mark.usefixtures("lone_blobs")]

HERO = b"\x89PNG" + bytes(range(256)) * 40
SIZE = len(HERO)
DIGEST = "sha256:" + hashlib.sha256(HERO).hexdigest()
ETAG = f'"{DIGEST}"'


@pytest.fixture
def key() -> uuid.UUID:
    return storage.receive([HERO], declared_size=None, declared_digest=None, limit=SIZE).key


def get(
    key: uuid.UUID, *, name: str = "hero.psd", method: str = "GET", size: int = SIZE, query: str = "", **headers: str
):
    address = f"/give/{key}/{urllib.parse.quote(name)}?digest={DIGEST}&size={size}{query}"
    return Client().generic(method, address, headers={name.replace("_", "-"): value for name, value in headers.items()})


def body_of(answer) -> bytes:
    return b"".join(answer.streaming_content) if answer.streaming else answer.content


def test_a_download_is_complete_and_its_etag_is_the_digest(key):
    answer = get(key, accept_encoding="gzip, br")
    assert (answer.status_code, body_of(answer)) == (200, HERO)
    assert answer["ETag"] == ETAG
    assert answer["Content-Length"] == str(SIZE)
    assert answer["Accept-Ranges"] == "bytes"
    assert "Content-Encoding" not in answer


@pytest.mark.parametrize(
    "name", ["pwn.svg", "pwn.html", "a.xml", "a.pdf", "a.txt", "a.js", "a.xhtml", "a.PNG.htm", "noending", "a.png.SVG"]
)
@pytest.mark.parametrize("query", ["", "&inline"])
def test_active_content_is_an_octet_stream_attachment(key, name, query):
    answer = get(key, name=name, query=query)
    assert answer["Content-Type"] == "application/octet-stream"
    assert answer["Content-Disposition"].startswith("attachment;")
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert answer["Content-Security-Policy"] == "default-src 'none'; sandbox; frame-ancestors 'none'"


@pytest.mark.parametrize(
    ("name", "query", "kind", "how"),
    [
        ("hero.PNG", "", "image/png", "attachment"),
        ("hero.png", "&inline", "image/png", "inline"),
        ("sheet.xlsx", "&inline", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", "attachment"),
        ("hero.psd", "&inline", "image/vnd.adobe.photoshop", "attachment"),
    ],
)
def test_safe_types_are_named_and_only_images_are_inline(key, name, query, kind, how):
    answer = get(key, name=name, query=query)
    assert answer["Content-Type"] == kind
    assert answer["Content-Disposition"].startswith(how + ";")
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert "sandbox" in answer["Content-Security-Policy"]


def saved_as(header: str) -> str:
    """As a browser reads it: `filename*` before `filename`."""
    if star := re.search(r"filename\*=UTF-8''([^;]+)$", header):
        return urllib.parse.unquote(star[1])
    return re.sub(r"\\(.)", r"\1", re.search(r'filename="((?:[^"\\]|\\.)*)"$', header)[1])


@pytest.mark.parametrize(
    "name",
    [
        "hero.psd", "资产 表.xlsx", "ünï.png", "😀" * 60 + ".psd", 'quote".psd', "back\\slash;x,y.psd", "100%.psd",
        "a%20b.psd", "#1?.psd", "#1?ü.psd", "<img src=x onerror=alert(1)>.psd", "a'b.psd", "é" * 120 + ".psd",
    ],
)  # fmt: skip
def test_every_name_survives_content_disposition(name):
    header = disposition("folder/" + name, "attachment")
    assert saved_as(header) == name
    assert header.isascii()


@pytest.mark.parametrize("name", ["a\r\nX-Evil: 1.psd", "a\x00\x7f.psd", "ü\r\nX-Evil: 1", "\ud800.psd"])
def test_no_name_injects_a_header(key, name):
    """Such names are refused on upload; this is the second line of defence."""
    header = disposition(name, "attachment")
    assert header.isascii()
    assert header.isprintable()
    assert "%0D" not in header
    answer = get(key, name="hero.psd")
    answer["Content-Disposition"] = header
    assert "X-Evil" not in answer


@pytest.mark.parametrize("header", [ETAG, f"W/{ETAG}", f'"other", {ETAG}', "*"])
@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_a_matching_etag_is_304(key, header, method):
    answer = get(key, method=method, if_none_match=header)
    assert (answer.status_code, answer["ETag"], answer.content) == (304, ETAG, b"")
    assert get(key, if_none_match='"sha256:other"').status_code == 200


def test_head_has_all_headers_and_no_body(key):
    answer = get(key, method="HEAD", range="bytes=0-9")
    assert (answer.status_code, answer.content) == (200, b"")
    assert (answer["Content-Length"], answer["ETag"]) == (str(SIZE), ETAG)


@pytest.mark.parametrize(
    ("header", "start", "stop"),
    [
        ("bytes=0-0", 0, 1),
        ("bytes=0-99", 0, 100),
        ("bytes=100-", 100, SIZE),
        ("bytes=-100", SIZE - 100, SIZE),
        ("bytes=-99999999", 0, SIZE),
        (f"bytes={SIZE - 1}-99999999999999999", SIZE - 1, SIZE),
        ("Bytes = 5-7", 5, 8),
    ],
)
def test_one_range_is_206(key, header, start, stop):
    answer = get(key, range=header)
    assert (answer.status_code, body_of(answer)) == (206, HERO[start:stop])
    assert answer["Content-Range"] == f"bytes {start}-{stop - 1}/{SIZE}"
    assert answer["Content-Length"] == str(stop - start)
    assert answer["ETag"] == ETAG


@pytest.mark.parametrize(
    "header",
    ["bytes=0-1,5-6", "bytes=5-2", "bytes=-", "lines=1-2", "bytes=a-b", "bytes=0-" + "9" * 5000, "bytes=１-２"],
)
def test_other_ranges_get_the_complete_file(key, header):
    answer = get(key, range=header)
    assert (answer.status_code, body_of(answer)) == (200, HERO)


@pytest.mark.parametrize("header", [f"bytes={SIZE}-", "bytes=99999999-99999999", "bytes=-0"])
def test_a_range_past_the_end_is_refused_with_the_size(key, header):
    answer = get(key, range=header)
    assert (answer.status_code, answer["Content-Range"]) == (416, f"bytes */{SIZE}")
    assert answer.json()["code"] == "range_not_satisfiable"


def test_an_empty_file_has_no_range():
    empty = storage.receive([], declared_size=0, declared_digest=None, limit=1).key
    assert get(empty, size=0, range="bytes=0-").status_code == 416
    whole = get(empty, size=0)
    assert (whole.status_code, body_of(whole), whole["Content-Length"]) == (200, b"", "0")


def test_if_range_resumes_only_the_same_bytes(key):
    assert get(key, range="bytes=5-", if_range=ETAG).status_code == 206
    for another in ('"sha256:other"', f"W/{ETAG}", "Wed, 21 Oct 2026 07:28:00 GMT"):
        answer = get(key, range="bytes=5-", if_range=another)
        assert (answer.status_code, body_of(answer)) == (200, HERO)


@pytest.mark.django_db
def test_damaged_bytes_are_a_refusal_and_never_a_short_file(key):
    storage.path_of(key).write_bytes(HERO[:-1])
    assert get(key).status_code == 409
    assert get(key, range="bytes=0-3").status_code == 409
    storage.path_of(key).unlink()
    assert get(key).status_code == get(key, method="HEAD").status_code == 409


def test_x_accel_redirect_names_the_blob(key, settings):
    settings.LEASEHOLD_X_ACCEL_PREFIX = "/internal/"
    answer = get(key, name="资产.svg", range="bytes=0-9")
    assert answer["X-Accel-Redirect"] == f"/internal/{key.hex[:2]}/{key}"
    assert (answer.status_code, answer.content, answer["ETag"]) == (200, b"", ETAG)
    assert answer["Content-Type"] == "application/octet-stream"
    assert answer["Content-Disposition"].startswith("attachment;")
    assert get(key, if_none_match=ETAG).status_code == 304
