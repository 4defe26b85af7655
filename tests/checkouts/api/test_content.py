"""GET and HEAD of /artifacts/{id}/content/ and …/versions/."""

import pytest

from tests.checkouts.api.conftest import API, FIRST, SECOND, added, check_in, checked_out, content_of


@pytest.fixture
def two_versions(as_, alice, hero):
    response = check_in(as_(alice), checked_out(as_(alice), hero), SECOND, "?comment=Darker")
    return [hero["head"], response.json()["version"]]


def test_the_content_is_the_heads(as_, vera, hero, two_versions):
    response = as_(vera).get(f"{API}/artifacts/{hero['id']}/content/")
    assert content_of(response) == SECOND
    assert response["ETag"] == f'"{two_versions[1]["digest"]}"'
    assert response["Content-Length"] == str(len(SECOND))
    assert response["X-Content-Type-Options"] == "nosniff"
    assert "sandbox" in response["Content-Security-Policy"]


def test_versions_the_newest_first_and_each_with_its_bytes(as_, vera, hero, two_versions):
    rows = as_(vera).get(f"{API}/artifacts/{hero['id']}/versions/").json()["results"]
    assert rows == two_versions[::-1]
    for version, content in zip(two_versions, (FIRST, SECOND), strict=True):
        address = f"{API}/artifacts/{hero['id']}/versions/{version['number']}/"
        assert as_(vera).get(address).json() == version
        assert content_of(as_(vera).get(f"{address}content/")) == content


def test_a_version_is_looked_up_inside_its_own_file(as_, alice, hero, two_versions):
    other = added(as_(alice), "other.psd")
    for number in (0, 2, 2**63 - 1, 2**63, 10**30):
        refused = as_(alice).get(f"{API}/artifacts/{other['id']}/versions/{number}/")
        assert (refused.status_code, refused.json()["code"]) == (404, "not_found")
        assert as_(alice).get(f"{API}/artifacts/{other['id']}/versions/{number}/content/").status_code == 404


def test_head_has_the_same_headers_without_the_bytes(as_, vera, hero, two_versions):
    for address in (f"{API}/artifacts/{hero['id']}/content/", f"{API}/artifacts/{hero['id']}/versions/2/content/"):
        head, get = as_(vera).head(address), as_(vera).get(address)
        assert content_of(head) == b""
        for name in ("ETag", "Content-Length", "Content-Type", "Content-Disposition", "Accept-Ranges"):
            assert head[name] == get[name]


def test_a_matching_etag_is_304(as_, vera, hero):
    client, address = as_(vera), f"{API}/artifacts/{hero['id']}/content/"
    etag = client.get(address)["ETag"]
    again = client.get(address, HTTP_IF_NONE_MATCH=etag)
    assert (again.status_code, again["ETag"], again.content) == (304, etag, b"")
    assert client.get(address, HTTP_IF_NONE_MATCH='"other"').status_code == 200


def test_a_range_returns_a_part(as_, vera, hero):
    client, address = as_(vera), f"{API}/artifacts/{hero['id']}/content/"
    part = client.get(address, HTTP_RANGE="bytes=4-8")
    assert (part.status_code, content_of(part)) == (206, FIRST[4:9])
    assert part["Content-Range"] == f"bytes 4-8/{len(FIRST)}"
    beyond = client.get(address, HTTP_RANGE="bytes=99-")
    assert (beyond.status_code, beyond.json()["code"]) == (416, "range_not_satisfiable")
    assert beyond["Content-Type"] == "application/problem+json"


@pytest.mark.parametrize("accept", ["application/octet-stream", "image/png", "text/html", "nonsense", ""])
def test_accept_is_ignored_for_bytes_and_refusals(as_, vera, hero, accept):
    assert as_(vera).get(f"{API}/artifacts/{hero['id']}/content/", HTTP_ACCEPT=accept).status_code == 200
    refused = as_(vera).get(f"{API}/artifacts/{hero['id'] + 1}/content/", HTTP_ACCEPT=accept)
    assert (refused.status_code, refused["Content-Type"]) == (404, "application/problem+json")


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("pwn.svg", b'<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>'),
        ("pwn.html", b"<script>alert(1)</script>"),
        ("html.psd", b"<!doctype html><script>alert(1)</script>"),
        ("bomb.docx", b"PK\x03\x04" + b"\0" * 64),
    ],
)
def test_active_content_is_an_attachment(as_, alice, name, content):
    artifact = added(as_(alice), name, content)
    response = as_(alice).get(f"{API}/artifacts/{artifact['id']}/content/")
    assert content_of(response) == content
    assert response["Content-Disposition"].startswith("attachment")
    assert response["Content-Type"] not in ("text/html", "image/svg+xml")
    assert "sandbox" in response["Content-Security-Policy"]


@pytest.mark.parametrize(
    ("name", "plain", "exact"),
    [
        ("英雄.psd", 'filename="__.psd"', "filename*=UTF-8''%E8%8B%B1%E9%9B%84.psd"),
        ('quote".psd', 'filename="quote\\".psd"', None),
        ("a;b,c.psd", 'filename="a;b,c.psd"', None),
    ],
)
def test_special_characters_of_a_name_are_escaped_in_the_header(as_, alice, name, plain, exact):
    artifact = added(as_(alice), f"folder/{name}")
    disposition = as_(alice).get(f"{API}/artifacts/{artifact['id']}/content/")["Content-Disposition"]
    assert plain in disposition
    assert exact is None or exact in disposition


def test_a_name_with_line_breaks_is_refused(as_, alice, art):
    response = as_(alice).generic(
        "POST",
        f"{API}/projects/art/artifacts/?path=a%0d%0aX-Evil:%201.psd",
        FIRST,
        content_type="application/octet-stream",
    )
    assert (response.status_code, response.json()["errors"][0]["field"]) == (400, "path")
