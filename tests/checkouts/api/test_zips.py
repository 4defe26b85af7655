"""GET /projects/{slug}/zip/: several files as one zip, streamed."""

import io
import zipfile
from datetime import UTC, datetime
from uuid import uuid4

import pytest

from checkouts.bytes.storage import PIECE
from checkouts.http.zips import Member, stream
from tests.checkouts.api.conftest import API, FIRST, SECOND, added, check_in, checked_out, content_of
from tests.scenes import stored_files

NAMES = [
    "heroes/100%.psd",
    "heroes/a b+c#1?.psd",
    "heroes/Entwürfe/Übersicht.indd",
    "heroes/图/英雄.psd",
    'heroes/q"t.psd',
]


def unzipped(response) -> dict[str, bytes]:
    assert response.status_code == 200
    with zipfile.ZipFile(io.BytesIO(content_of(response))) as archive:
        assert archive.testzip() is None
        assert {entry.compress_type for entry in archive.infolist()} == {zipfile.ZIP_STORED}
        return {entry.filename: archive.read(entry) for entry in archive.infolist()}


@pytest.fixture
def files(as_, alice):
    return [added(as_(alice), path, path.encode()) for path in [*NAMES, "heroes2/x.psd"]]


def test_a_folder_comes_with_its_names_intact(as_, vera, files):
    response = as_(vera).get(f"{API}/projects/art/zip/?prefix=Heroes/")
    assert response.streaming
    assert response["Content-Type"] == "application/zip"
    assert response["Content-Disposition"] == 'attachment; filename="Heroes.zip"'
    assert unzipped(response) == {name: name.encode() for name in NAMES}


def test_an_empty_prefix_is_the_whole_project(as_, vera, files):
    response = as_(vera).get(f"{API}/projects/art/zip/?prefix=")
    assert response["Content-Disposition"] == 'attachment; filename="art.zip"'
    assert len(unzipped(response)) == len(files)


def test_a_zip_of_artifacts_has_their_heads(as_, alice, hero):
    client, other = as_(alice), added(as_(alice), "other.bin", b"")
    check_in(client, checked_out(client, hero), SECOND)
    assert unzipped(client.get(f"{API}/projects/art/zip/?artifacts={hero['id']},{other['id']}")) == {
        "heroes/hero.psd": SECOND,
        "other.bin": b"",
    }


def test_a_zip_of_check_outs_has_their_base_versions(as_, alice, bob, hero):
    client = as_(alice)
    first = checked_out(client, hero)
    following = check_in(client, first, SECOND, "?keep=true").json()["next_checkout"]
    response = client.get(f"{API}/projects/art/zip/?checkouts={first['id']},{following['id']}")
    assert unzipped(response) == {"heroes/hero.psd": FIRST, "heroes/hero (version 2).psd": SECOND}


@pytest.mark.parametrize(
    ("query", "status"),
    [
        ("", 400), ("?prefix=nothing", 400), ("?prefix=../x", 400), ("?prefix=%00", 400), ("?artifacts=", 400),
        ("?artifacts=1,x", 400), ("?artifacts=9223372036854775808", 400), ("?artifacts=999999", 404),
        ("?checkouts=999999", 404), ("?prefix=heroes&artifacts=1", 400),
    ],
)  # fmt: skip
def test_a_zip_without_files_is_refused(as_, vera, files, query, status):
    assert as_(vera).get(f"{API}/projects/art/zip/{query}").status_code == status


def test_a_stranger_sees_no_project(as_, mallory, files):
    assert as_(mallory).get(f"{API}/projects/art/zip/?artifacts={files[0]['id']}").status_code == 404


def test_a_damaged_blob_is_an_error_not_a_short_zip(as_, vera, files, blobs):
    for path in stored_files(blobs):
        path.write_bytes(b"")
    answer = as_(vera).get(f"{API}/projects/art/zip/?prefix=heroes")
    assert (answer.status_code, answer.json()["code"]) == (409, "bytes_missing")


def test_a_large_file_is_streamed_in_the_64_bit_format(monkeypatch):
    """The format used from 2 GiB on. The limit is lowered, so that the test needs less data."""
    monkeypatch.setattr(zipfile, "ZIP64_LIMIT", 2 * PIECE)
    content = bytes(range(256)) * (5 * PIECE // 256)
    member = Member("big.bin", 1, uuid4(), len(content), datetime(2026, 1, 1, tzinfo=UTC))
    pieces = list(stream([member], lambda _key: io.BytesIO(content)))
    assert max(map(len, pieces)) <= 2 * PIECE
    with zipfile.ZipFile(io.BytesIO(b"".join(pieces))) as archive:
        [entry] = archive.infolist()
        assert (entry.file_size, entry.extract_version) == (len(content), zipfile.ZIP64_VERSION)
        assert archive.read(entry) == content


def test_a_truncated_blob_breaks_the_stream():
    member = Member("short.bin", 1, uuid4(), 10, datetime(2026, 1, 1, tzinfo=UTC))
    with pytest.raises(OSError, match="damaged"):
        list(stream([member], lambda _key: io.BytesIO(b"short")))
