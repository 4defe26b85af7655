"""Previews of files from anybody. A file that cannot be decoded has no preview, and is never an error."""

import io
import struct
import zlib

import pytest
from PIL import Image

from checkouts.bytes.storage import path_of
from checkouts.demo import psd
from checkouts.models import Artifact
from checkouts.previews import images
from tests.web.conftest import added

GREEN = (20, 160, 80)


@pytest.fixture(autouse=True)
def kept(settings, tmp_path):
    settings.LEASEHOLD_PREVIEWS = tmp_path / "previews"
    return settings.LEASEHOLD_PREVIEWS


def picture(form: str, size=(1200, 600), **options) -> bytes:
    buffer = io.BytesIO()
    Image.new("RGB", size, GREEN).save(buffer, form, **options)
    return buffer.getvalue()


def png_that_claims(width: int, height: int) -> bytes:
    """A small file whose header announces a picture of this size."""

    def chunk(name: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    header = struct.pack(">IIBBBBB", width, height, 1, 0, 0, 0, 0)
    body = zlib.compress(b"\0" * 1_000_000)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", body) + chunk(b"IEND", b"")


def get_preview(browser, artifact: Artifact, **headers):
    return browser.get(f"/artifacts/{artifact.pk}/versions/1/preview/", headers=headers)


def decoded(response) -> Image.Image:
    assert response.status_code == 200
    assert response["Content-Type"] == "image/webp"
    return Image.open(io.BytesIO(response.content))


def is_none(response) -> bool:
    assert response.status_code == 200
    return response["Content-Type"] == "image/svg+xml" and b"No preview" in response.content


@pytest.mark.parametrize(
    ("name", "form"),
    [("a.png", "PNG"), ("a.JPG", "JPEG"), ("a.webp", "WEBP"), ("a.gif", "GIF")],
)
def test_a_preview_is_a_new_small_picture(as_, alice, vera, name, form):
    response = get_preview(as_(vera), added(alice, name, picture(form)))
    small = decoded(response)
    assert small.format == "WEBP"
    assert small.size == (640, 320)
    assert all(abs(seen - meant) < 12 for seen, meant in zip(small.convert("RGB").getpixel((9, 9)), GREEN, strict=True))
    assert response["X-Content-Type-Options"] == "nosniff"
    assert "sandbox" in response["Content-Security-Policy"]


def test_a_psds_preview_is_its_merged_picture(as_, alice, demo_psd):
    assert decoded(get_preview(as_(alice), added(alice, "hero.psd", demo_psd))).size[0] <= 640


@pytest.fixture
def demo_psd() -> bytes:
    """A real PSD with layers, drawn as the demo draws its files."""
    layers = [psd.Layer("ground", Image.new("RGBA", (200, 100), (*GREEN, 255)))]
    return psd.photoshop(layers)


def test_previews_have_no_metadata(as_, alice):
    exif = Image.Exif()
    exif[0x010F] = "Maker"
    small = decoded(get_preview(as_(alice), added(alice, "a.jpg", picture("JPEG", exif=exif))))
    assert not small.getexif()


def test_a_picture_is_decoded_once(as_, alice, monkeypatch):
    artifact = added(alice, "a.png", picture("PNG"))
    first = get_preview(as_(alice), artifact)
    monkeypatch.setattr(images, "make_previews", lambda *_: pytest.fail("made again"))
    assert get_preview(as_(alice), artifact).content == first.content
    again = get_preview(as_(alice), artifact, if_none_match=first["ETag"])
    assert (again.status_code, again.content) == (304, b"")


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("empty.png", b""),
        ("torn.png", picture("PNG")[:80]),
        ("torn.jpg", picture("JPEG")[:900]),
        ("lies.png", b"<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>"),
        ("lies.psd", b"8BPS" + b"\xff" * 400),
        ("lies.gif", picture("PNG").replace(b"IHDR", b"IHDX")),
        ("bomb.png", png_that_claims(60_000, 60_000)),
        ("wide.png", png_that_claims(2**31 - 1, 1)),
    ],
)
def test_an_undecodable_file_has_no_preview(as_, alice, name, content):
    assert is_none(get_preview(as_(alice), added(alice, name, content)))


def test_a_vast_psd_is_not_decoded(as_, alice):
    header = b"8BPS" + struct.pack(">H6xHIIHH", 1, 4, 30_000, 30_000, 8, 3)
    assert is_none(get_preview(as_(alice), added(alice, "vast.psd", header + bytes(64))))


def test_an_undecodable_file_is_tried_once(as_, alice, monkeypatch):
    artifact = added(alice, "torn.png", picture("PNG")[:80])
    assert is_none(get_preview(as_(alice), artifact))
    monkeypatch.setattr(images, "make_previews", lambda *_: pytest.fail("tried again"))
    assert is_none(get_preview(as_(alice), artifact))


def test_unavailable_bytes_are_tried_again(as_, alice):
    """A volume is mounted late: requests before that do not mark the file as one without a preview."""
    artifact = added(alice, "a.png", picture("PNG"))
    place = path_of(artifact.head.blob.key)
    away = place.rename(place.with_suffix(".away"))
    assert is_none(get_preview(as_(alice), artifact))
    assert row_of(as_(alice), artifact)["Cache-Control"] == "no-store"
    away.rename(place)
    assert decoded(get_preview(as_(alice), artifact))
    assert decoded(row_of(as_(alice), artifact))


def test_without_storage_there_is_no_preview_yet(as_, alice, kept):
    artifact = added(alice, "a.png", picture("PNG"))
    kept.symlink_to("nowhere")  # to a volume that is not there
    assert is_none(get_preview(as_(alice), artifact))
    assert row_of(as_(alice), artifact)["Cache-Control"] == "no-store"
    kept.unlink()
    assert decoded(row_of(as_(alice), artifact))


def test_a_hanging_decoder_is_killed(as_, alice, monkeypatch, tmp_path):
    slow = tmp_path / "slow.py"
    slow.write_text("while True: pass")
    monkeypatch.setattr(images.thumbnail, "__file__", str(slow))
    monkeypatch.setattr(images, "DEADLINE", 1)
    assert is_none(get_preview(as_(alice), added(alice, "a.png", picture("PNG"))))


def test_the_decoders_memory_is_limited(as_, alice, monkeypatch, tmp_path):
    """A program that needs two gigabytes is killed under the same limits; the server is not."""
    greedy = tmp_path / "greedy.py"
    source = open(images.thumbnail.__file__).read()
    greedy.write_text(
        source.replace("    Image.MAX_IMAGE_PIXELS", "    bytearray(2 << 30)\n    Image.MAX_IMAGE_PIXELS")
    )
    monkeypatch.setattr(images.thumbnail, "__file__", str(greedy))
    assert is_none(get_preview(as_(alice), added(alice, "a.png", picture("PNG"))))


def test_other_file_types_are_not_decoded(as_, alice, monkeypatch):
    monkeypatch.setattr(images, "make_previews", lambda *_: pytest.fail("tried"))
    for name in ("page.svg", "page.html", "plan.docx", "none"):
        assert is_none(get_preview(as_(alice), added(alice, name, picture("PNG"))))


def row_of(browser, artifact: Artifact, version: int = 1):
    return browser.get(f"/artifacts/{artifact.pk}/versions/{version}/thumbnail/")


@pytest.mark.parametrize(("form", "size"), [("PNG", (1200, 600)), ("JPEG", (30, 900)), ("WEBP", (1, 1))])
def test_a_rows_thumbnail_is_cached_for_good(as_, alice, vera, form, size):
    response = row_of(as_(vera), added(alice, f"a.{form.lower()}", picture(form, size)))
    assert decoded(response).size == (80, 80)
    assert response["Cache-Control"] == "private, max-age=31536000, immutable"
    assert "Cookie" in response["Vary"], "whoever signs in next in this browser asks anew"
    assert "sandbox" in response["Content-Security-Policy"]


def test_a_thumbnail_is_opaque(as_, alice):
    buffer = io.BytesIO()
    Image.new("RGBA", (50, 50), (0, 0, 0, 0)).save(buffer, "PNG")
    assert decoded(row_of(as_(alice), added(alice, "a.png", buffer.getvalue()))).mode == "RGB"


def test_preview_and_thumbnail_are_decoded_once(as_, alice, monkeypatch):
    artifact = added(alice, "a.png", picture("PNG"))
    first = row_of(as_(alice), artifact)
    monkeypatch.setattr(images, "make_previews", lambda *_: pytest.fail("made again"))
    assert row_of(as_(alice), artifact).content == first.content
    assert decoded(get_preview(as_(alice), artifact)).size == (640, 320)


@pytest.mark.parametrize("content", [b"", picture("PNG")[:80], png_that_claims(60_000, 60_000)])
def test_without_a_thumbnail_the_icon_stays_visible(as_, alice, content, monkeypatch):
    artifact = added(alice, "a.png", content)
    response = row_of(as_(alice), artifact)
    assert (response.status_code, response["Content-Type"]) == (200, "image/svg+xml")
    assert b'width="1"' in response.content
    assert response["Cache-Control"] == "private, max-age=86400"
    monkeypatch.setattr(images, "make_previews", lambda *_: pytest.fail("tried again"))
    assert row_of(as_(alice), artifact).content == response.content


def test_a_thumbnail_does_not_wait_for_a_decoder(as_, alice, monkeypatch):
    """While another is being made, the response says so at once and is not cached."""
    artifact = added(alice, "a.png", picture("PNG"))
    assert images.ROWS_AT_ONCE.acquire(blocking=False)
    try:
        response = row_of(as_(alice), artifact)
    finally:
        images.ROWS_AT_ONCE.release()
    assert b'width="2"' in response.content
    assert response["Cache-Control"] == "no-store"
    assert decoded(row_of(as_(alice), artifact))


def test_only_rows_of_pictures_request_a_thumbnail(as_, alice):
    pictured = added(alice, "a.png", picture("PNG"))
    added(alice, "a.blend")
    [row] = [row for row in as_(alice).get("/projects/art/").context["rows"] if row.thumbnail]
    digest = pictured.head.digest.removeprefix("sha256:")
    assert row.thumbnail == f"/artifacts/{pictured.pk}/versions/1/thumbnail/?{digest[:12]}"


def test_a_foreign_thumbnail_is_not_found(as_, alice, mallory, client):
    artifact = added(alice, "a.png", picture("PNG"))
    assert row_of(as_(mallory), artifact).status_code == row_of(as_(alice), artifact, 9).status_code == 404
    assert row_of(client, artifact).status_code == 302


def test_a_foreign_preview_is_not_found(as_, alice, mallory, client):
    artifact = added(alice, "a.png", picture("PNG"))
    assert get_preview(as_(mallory), artifact).status_code == 404
    assert as_(alice).get(f"/artifacts/{artifact.pk}/versions/9/preview/").status_code == 404
    assert client.get(f"/artifacts/{artifact.pk}/versions/1/preview/").status_code == 302
