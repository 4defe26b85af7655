"""Unusual names and bytes in the browser and the admin; for the API see `checkouts/api`."""

import hashlib
import io
import zipfile
import zlib

import pytest

from checkouts.models import Artifact, Blob, Checkout, Version
from leasehold.models import Entry, Lease
from tests.cases.conftest import a_file, content_of
from tests.cases.doors import API, DOORS, Door, browser
from tests.checkouts.api.test_malformed import NAMES
from tests.factories import PASSWORD
from tests.scenes import out, put, stored_files
from tests.work import approved, started

KEPT = [
    "100%.psd", "a%20b.psd", "a b.psd", "a+b.psd", "#1?.psd", "This & that <x>.psd", 'quote".psd', "it's.psd",
    "文字.psd", "a" * 120 + ".v1.final.2.pdf", "é" * 125 + ".psd", "🦸.psd", "-rf.psd", "=1+1.psd", "%2e%2e%2fx.psd",
]  # fmt: skip
TTLS = ["-1", "0", "0.5", "1e3", "900s", "true", "NaN", "Infinity", "1e400", str(10**12), str(2**63), "9" * 4_301, "٣",
        "1_000", "+5", "0x10", str(30 * 86_400 + 1)]  # fmt: skip


@pytest.fixture(params=DOORS.values(), ids=DOORS.keys())
def door(request) -> Door:
    return request.param


@pytest.fixture
def hero(alice) -> Artifact:
    return put(alice)


def rows() -> list[object]:
    tables = (Artifact, Blob, Checkout, Version, Lease, Entry)
    return [list(table.objects.order_by("pk").values()) for table in tables]


def stored(blobs) -> list[object]:
    return stored_files(blobs)


# --- names -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", KEPT)
def test_a_file_name_is_the_same_on_every_surface(name, alice, admin, client):
    """Added, checked out and in by the browser; read on its page, in its folder, in the admin and by the API."""
    page = browser(alice)
    assert page.add(name, a_file(b"one")).status_code == 302
    artifact = Artifact.objects.get()
    assert artifact.path == name
    assert page.check_out(artifact).status_code == 302
    assert page.check_in(Checkout.objects.get(), a_file(b"two", name="x.psd")).status_code == 302
    assert artifact.versions.count() == 2
    assert page.client.get(f"{API}/artifacts/{artifact.pk}/").json()["path"] == name
    assert page.client.get("/projects/art/", {"q": name}).content.count(f"/artifacts/{artifact.pk}/".encode())
    assert page.client.get(f"{API}/projects/art/artifacts/", {"q": name}).json()["results"]
    client.force_login(admin)
    assert content_of(client.get(f"/admin/checkouts/artifact/{artifact.pk}/file/")) == b"two"
    archive = zipfile.ZipFile(io.BytesIO(content_of(client.get(f"{API}/projects/art/zip/?prefix="))))
    assert archive.namelist() == [name]


@pytest.mark.parametrize("name", [name for name in NAMES.values() if name], ids=[key for key in NAMES if key != "none"])
def test_an_invalid_file_name_is_refused_in_the_browser(name, alice, hero, blobs):
    """The same 400 as from the API; neither rows nor bytes are written."""
    before, files = rows(), stored(blobs)
    response = browser(alice).add(name.decode("utf-8", "surrogateescape"), a_file(b"evil"))
    assert response.status_code == 400, response.content
    assert (rows(), stored(blobs)) == (before, files)


@pytest.mark.parametrize(
    "name", ["../../evil.psd", "..\\..\\evil.psd", "/etc/evil.psd", "C:\\evil.psd", "a/../../evil.psd"]
)
def test_a_path_in_the_uploads_file_name_is_ignored(name, alice, blobs):
    """Without a `path` field, the file gets only the last segment, in the form's folder."""
    form = (
        b'--x\r\nContent-Disposition: form-data; name="folder"\r\n\r\nsafe\r\n'
        b'--x\r\nContent-Disposition: form-data; name="file"; filename="'
        + name.encode()
        + b'"\r\n\r\nevil\r\n--x--\r\n'
    )
    response = browser(alice).client.generic(
        "POST", "/projects/art/files/", form, content_type="multipart/form-data; boundary=x"
    )
    assert response.status_code in (302, 400)
    assert [artifact.path for artifact in Artifact.objects.all()] in ([], ["safe/evil.psd"])
    assert not list(blobs.parent.rglob("evil*"))


def test_two_spellings_are_one_file_in_the_browser(alice, bob):
    """Composed or decomposed, upper or lower case: a lease under one spelling blocks the other."""
    page = browser(alice)
    assert page.add("Entwu\u0308rfe.indd", a_file(b"one")).status_code == 302
    for twin in ("Entw\u00fcrfe.indd", "ENTW\u00dcRFE.indd", "entwu\u0308rfe.INDD"):
        assert page.add(twin, a_file(b"two")).status_code == 409
    artifact = Artifact.objects.get()
    out(bob, artifact)
    assert page.check_out(artifact).status_code == 409
    assert str(artifact.pk) in page.client.get("/projects/art/", {"q": "ENTWU\u0308RFE"}).content.decode()


# --- numbers ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ttl", TTLS)
def test_an_invalid_duration_is_refused_on_every_page(ttl, alice, olga, hero):
    """At check-out, extend and start; nothing is written."""
    checkout = out(alice, put(alice, "second.psd")).checkout
    ready = approved(alice, olga, "repo")
    page, before = browser(alice).client, rows()
    for address in (
        f"/artifacts/{hero.pk}/checkouts/",
        f"/checkouts/{checkout.pk}/extend/",
        f"/tickets/{ready.pk}/start/",
    ):
        response = page.post(address, {"ttl": ttl})
        assert response.status_code == 400, (address, response.status_code)
    assert rows() == before


@pytest.mark.parametrize(
    "hours", ["", "-1", "0", "0.5", "1e3", "8h", "NaN", "Infinity", "721", str(2**63), "9" * 4_301]
)
def test_an_invalid_duration_is_refused_in_the_admin(hours, admin, hero, client):
    """The admin's field is in hours."""
    client.force_login(admin)
    before = rows()
    response = client.post("/admin/checkouts/artifact/act/check-out/", {"row": hero.pk, "hours": hours})
    assert response.status_code == 400
    assert rows() == before


def test_a_pass_without_expiry_never_expires(alice, admin, token_of, clock):
    """Over HTTP: renewed, swept and read years later."""
    client = token_of(alice)
    mine = client.post(f"{API}/passes/", {"role": "r", "context": "c", "pass_id": "1", "ttl": 0}, format="json").json()
    assert mine["expires_at"] is None
    assert client.post(f"{API}/passes/renew/", {"token": mine["token"], "ttl": 0}, format="json").status_code == 200
    clock.forward(days=4_000)
    client, sweeper = token_of(alice), token_of(admin)  # those of then have ended
    assert sweeper.post(f"{API}/passes/expire/").json() == {"expired": 0}
    second = client.post(f"{API}/passes/", {"role": "r", "context": "c", "pass_id": "2", "ttl": 5}, format="json")
    assert (second.status_code, second.json()["pass_id"]) == (409, "1")
    assert [row["expires_at"] for row in client.get(f"{API}/leases/").json()["results"]] == [None]


# --- bytes -----------------------------------------------------------------------------------------------------------


def a_bomb_of_pixels() -> bytes:
    """A PNG whose header says 60,000 × 60,000 pixels."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return len(data).to_bytes(4) + kind + data + zlib.crc32(kind + data).to_bytes(4)

    header = (60_000).to_bytes(4) * 2 + bytes([1, 0, 0, 0, 0])
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", header)
        + chunk(b"IDAT", zlib.compress(bytes(10_000_000)))
        + chunk(b"IEND", b"")
    )


def a_bomb_of_zeros() -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("word/document.xml", bytes(50_000_000))
    return packed.getvalue()


STRANGE = {
    "bomb.png": a_bomb_of_pixels(), "bomb.docx": a_bomb_of_zeros(), "nothing.png": b"",
    "torn.psd": b"8BPS\x00\x01" + bytes(9),
    "torn.jpg": b"\xff\xd8\xff\xe0" + b"x" * 99, "page.psd": b"<html><script>alert(1)</script>",
    "pwn.svg": b"<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>", "pwn.html": b"<script>alert(1)</script>",
    "pwn.xml": b"<?xml version='1.0'?><!DOCTYPE x [<!ENTITY a SYSTEM 'file:///etc/passwd'>]><x>&a;</x>",
}  # fmt: skip


@pytest.mark.parametrize("name", STRANGE)
def test_any_bytes_are_stored_unchanged(name, alice, vera, settings, tmp_path):
    """They are stored and downloaded unchanged and never executed; the page loads with or without a preview."""
    settings.LEASEHOLD_PREVIEWS = tmp_path / "previews"
    content, page = STRANGE[name], browser(alice)
    artifact = put(alice, name)
    assert page.check_out(artifact).status_code == 302
    sent = a_file(content, name, content_type="text/html")
    assert page.check_in(Checkout.objects.get(), sent, empty="on").status_code == 302
    artifact.refresh_from_db()
    assert artifact.head.digest == "sha256:" + hashlib.sha256(content).hexdigest()
    reader = browser(vera)
    assert reader.client.get(f"/artifacts/{artifact.pk}/").status_code == 200
    assert reader.client.get(f"/artifacts/{artifact.pk}/versions/2/preview/").status_code in (200, 404)
    response = reader.download(artifact)
    assert content_of(response) == content
    assert response.headers["Content-Disposition"].startswith("attachment")
    assert response.headers["X-Content-Type-Options"] == "nosniff"
    assert "sandbox" in response.headers["Content-Security-Policy"]
    assert not response.headers["Content-Type"].startswith(("text/html", "image/svg", "text/xml", "application/xml"))


def test_a_size_over_4_gib_fits_the_database(alice, hero):
    """Sizes are 64-bit numbers in both tables, and the page displays them."""
    size = 5_500_000_000
    head = hero.versions.get()
    Blob.objects.filter(pk=head.blob_id).update(size=size)
    Version.objects.filter(pk=head.pk).update(size=size)
    client = browser(alice).client
    assert client.get(f"{API}/artifacts/{hero.pk}/").json()["head"]["size"] == size
    assert b"5.5" in client.get(f"/artifacts/{hero.pk}/").content
    Blob.objects.filter(pk=head.blob_id).update(size=3)
    Version.objects.filter(pk=head.pk).update(size=3)


def test_the_etag_is_strong_whatever_the_client_accepts(door, alice, hero):
    """The ETag of a gzip-accepting download works as If-Match of a check-in."""
    person = door(alice)
    etags = {
        person.client.get(f"{API}/artifacts/{hero.pk}/content/", headers={"Accept-Encoding": "gzip"}).headers["ETag"],
        person.client.head(f"{API}/artifacts/{hero.pk}/content/").headers["ETag"],
        person.download(hero).headers["ETag"],
    }
    (etag,) = etags
    assert etag == f'"{hero.head.digest}"'
    checkout = out(alice, hero).checkout
    stale = person.client.post(
        f"{API}/checkouts/{checkout.pk}/check-in/", b"two", content_type="image/png", headers={"If-Match": '"sha256:0"'}
    )
    assert stale.status_code == 412
    response = person.client.post(
        f"{API}/checkouts/{checkout.pk}/check-in/", b"two", content_type="image/png", headers={"If-Match": etag}
    )
    assert response.status_code == 201, response.content


# --- people ----------------------------------------------------------------------------------------------------------


def test_an_account_that_holds_something_is_not_deleted(admin, bob, alice, olga, client):
    """The lease keeps its holder, and the history keeps the name."""
    out(bob, put(alice))
    started(bob, olga, "repo")
    client.force_login(admin)
    before = rows()
    for response in (
        client.post(f"/admin/leasehold/user/{bob.pk}/delete/", {"post": "yes"}),
        client.post("/admin/leasehold/user/", {"action": "delete_selected", "_selected_action": bob.pk, "post": "yes"}),
    ):
        assert response.status_code < 500
    assert rows() == before
    assert type(bob).objects.filter(pk=bob.pk, is_active=True).exists()
    for address in ("/board/", f"{API}/leases/", f"{API}/entries/", "/admin/leasehold/lease/", "/"):
        assert client.get(address).status_code == 200


@pytest.mark.parametrize(
    "name", ["", "\0", "alice\0", "x" * 100_000, "\ud800".encode("utf-8", "surrogatepass").decode("latin-1")]
)
def test_an_impossible_username_does_not_sign_in(name, alice, client):
    response = client.post("/sign-in/", {"username": name, "password": PASSWORD + "\0"})
    assert response.status_code == 401
