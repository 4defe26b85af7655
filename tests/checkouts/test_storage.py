"""Stored bytes are complete and durable under their final name, or absent."""

import errno
import hashlib
import os
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.db import DatabaseError, transaction

from checkouts.bytes import site_file, storage
from checkouts.exceptions import DigestMismatch, StorageUnavailable, TooLarge
from checkouts.models import Blob
from leasehold.database import clock
from leasehold.exceptions import Invalid
from tests.scenes import stored_files

HERO = b"8BPS" + bytes(range(256)) * 40
LIMIT = 1_000_000


def digest_of(content: bytes) -> str:
    return "sha256:" + hashlib.sha256(content).hexdigest()


@pytest.fixture(autouse=True)
def blobs(settings, tmp_path: Path, monkeypatch) -> Path:
    """The folder of bytes. Most tests here have no database, with which it could be compared."""
    monkeypatch.setattr(site_file, "demand_own_folder", lambda: None)
    settings.LEASEHOLD_BLOBS = tmp_path / "deep" / "blobs"
    return settings.LEASEHOLD_BLOBS


def receive(chunks, *, size: int | None = None, digest: str | None = None, limit: int = LIMIT) -> storage.Received:
    return storage.receive(chunks, declared_size=size, declared_digest=digest, limit=limit)


def test_chunks_are_stored_in_order(blobs: Path):
    received = receive([HERO[:1000], b"", HERO[1000:]], size=len(HERO), digest=digest_of(HERO))
    assert (received.size, received.digest) == (len(HERO), digest_of(HERO))
    with storage.open_blob(received.key) as file:
        assert file.read() == HERO
    assert stored_files(blobs) == [storage.path_of(received.key)]
    assert blobs.stat().st_mode & 0o777 == 0o700


def test_zero_bytes_are_a_file():
    received = receive([], size=0)
    assert (received.size, received.digest) == (0, digest_of(b""))
    assert storage.path_of(received.key).read_bytes() == b""


def test_the_same_bytes_twice_are_two_blobs():
    assert receive([HERO]).key != receive([HERO]).key


@pytest.mark.parametrize(
    ("announced", "refusal"),
    [
        ({"size": len(HERO) + 1}, Invalid),
        ({"size": len(HERO) - 1}, Invalid),
        ({"digest": digest_of(b"another")}, DigestMismatch),
        ({"limit": len(HERO) - 1}, TooLarge),
    ],
)
def test_a_wrong_size_or_digest_leaves_nothing(blobs: Path, announced, refusal):
    with pytest.raises(refusal):
        receive([HERO], **announced)
    assert stored_files(blobs) == []


def test_the_limit_itself_is_still_allowed():
    assert receive([HERO], limit=len(HERO)).size == len(HERO)


def test_refusals_carry_their_facts():
    with pytest.raises(DigestMismatch) as mismatch:
        receive([HERO], digest=digest_of(b"another"))
    assert (mismatch.value.expected, mismatch.value.actual) == (digest_of(b"another"), digest_of(HERO))
    with pytest.raises(TooLarge) as too_large:
        receive([HERO], limit=10)
    assert too_large.value.limit == 10


@pytest.mark.parametrize("end", [KeyboardInterrupt, GeneratorExit, ConnectionResetError, SystemExit])
def test_whatever_ends_an_upload_early_leaves_nothing(blobs: Path, end):
    def breaking_off() -> Iterator[bytes]:
        yield HERO
        assert len(stored_files(blobs)) == 1, "it is being written to disk as it arrives"
        raise end

    with pytest.raises(end):
        receive(breaking_off())
    assert stored_files(blobs) == []


@pytest.mark.parametrize("call", ["fsync", "rename"])
@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EDQUOT])
def test_a_full_disk_is_refused_as_such_and_leaves_nothing(blobs: Path, monkeypatch, call, code):
    def full(*_):
        raise OSError(code, "full")

    monkeypatch.setattr(os, call, full)
    with pytest.raises(StorageUnavailable):
        receive([HERO])
    assert stored_files(blobs) == []


def test_bytes_and_then_their_name_are_synced_before_the_answer(blobs: Path, monkeypatch):
    steps: list[str] = []
    fsync, rename = os.fsync, os.rename

    def seen_fsync(handle: int) -> None:
        steps.append("fsync " + str(Path(f"/proc/self/fd/{handle}").readlink().relative_to(blobs.parent)))
        fsync(handle)

    def seen_rename(source, target) -> None:
        steps.append("rename")
        rename(source, target)

    receive([b"the folders are there now"])
    monkeypatch.setattr(os, "fsync", seen_fsync)
    monkeypatch.setattr(os, "rename", seen_rename)
    key = receive([HERO]).key
    shard = storage.path_of(key).parent.name
    assert steps == [f"fsync blobs/incoming/{key}", "rename", f"fsync blobs/{shard}", "fsync blobs"]


def test_a_failed_sync_of_the_folder_is_an_error(blobs: Path, monkeypatch):
    def full(_) -> None:
        raise OSError(errno.ENOSPC, "full")

    monkeypatch.setattr(storage, "sync_folder", full)
    blobs.mkdir(parents=True)
    with pytest.raises(StorageUnavailable):
        receive([HERO])
    assert stored_files(blobs) == []


def test_a_retry_on_a_closed_check_out_is_hashed_and_not_stored(blobs: Path):
    hashed = storage.digest_only([HERO], declared_size=len(HERO), declared_digest=None, limit=LIMIT)
    assert hashed == storage.Received(storage.NOWHERE, digest_of(HERO), len(HERO))
    storage.discard(hashed)
    assert not blobs.exists()


@pytest.mark.django_db
def test_discard_removes_only_bytes_without_a_row(blobs: Path):
    refused, committed = receive([HERO]), receive([HERO])
    Blob.objects.create(key=committed.key, digest=committed.digest, size=committed.size, created_at=clock.now())
    for received in (refused, refused, committed):
        storage.discard(received)
    assert stored_files(blobs) == [storage.path_of(committed.key)]


def test_discard_keeps_bytes_if_the_database_fails(blobs: Path, monkeypatch):
    def gone(**_):
        raise DatabaseError("server closed the connection")

    received = receive([HERO])
    monkeypatch.setattr(Blob.objects, "filter", gone)
    storage.discard(received)
    assert stored_files(blobs) == [storage.path_of(received.key)]


@pytest.mark.django_db(transaction=True)
def test_nothing_is_received_inside_a_transaction():
    with transaction.atomic(), pytest.raises(RuntimeError):
        receive([HERO])


def test_stored_keys_and_temp_files_are_separate(blobs: Path):
    keys = {receive([HERO]).key, receive([b""]).key}
    under_way = storage.Incoming(limit=LIMIT)
    (storage.path_of(next(iter(keys))).parent / "notes.txt").write_text("not ours")
    assert {key for key, _ in storage.stored_keys()} == keys
    assert [path.name for path, _ in storage.unfinished()] == [str(under_way.key)]
    assert all(abs(at - storage.path_of(key).stat().st_mtime) < 1 for key, at in storage.stored_keys())
    under_way.abort()
    assert list(storage.unfinished()) == []


def test_a_missing_blob_is_an_error():
    with pytest.raises(FileNotFoundError):
        storage.open_blob(uuid.uuid4())
