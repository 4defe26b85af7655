"""Storage of bytes on the local disk. Neither a crash nor a broken connection can leave half a file behind.

The steps of an upload: write a temp file in the same file system and hash it as it arrives; fsync; rename it to its
final name; fsync the folder; only then, in a later transaction, add the row that names it. So a row never names missing
bytes. A crash in between leaves a temp file or a blob without a row, which `manage.py collect` sweeps.

A blob's name is a new UUID, never the client's file name and never the digest. So no path can be smuggled in, and
sweeping an old blob never races a new upload of the same bytes.
"""

import errno
import hashlib
import os
import uuid
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path
from typing import IO, Protocol

from django.conf import settings
from django.db import DatabaseError, InterfaceError, connection

from checkouts.bytes import site_file
from checkouts.bytes.site_file import sync_folder
from checkouts.exceptions import BytesMissing, DigestMismatch, StorageUnavailable, TooLarge
from checkouts.models import Blob
from leasehold.exceptions import Invalid

PIECE = 1024 * 1024  # bytes read at a time, and held in memory for one upload
TEMPORARY = "incoming"
NOWHERE = uuid.UUID(int=0)  #: the key of bytes that were hashed but not stored
NO_ROOM = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}


@dataclass(frozen=True)
class Received:
    """A finished upload, durable on disk. `digest`: `sha256:<hex>`; `size`: bytes; `key`: NOWHERE if only hashed."""

    key: uuid.UUID
    digest: str
    size: int


class Readable(Protocol):
    def read(self, size: int, /) -> bytes: ...


class Incoming:
    """An upload in progress. It ends by `finish()` or `abort()`; until then it has no final name.

    `is_stored=False` only hashes and counts: for a repeated check-in on a closed attempt, which keeps no bytes.
    """

    def __init__(self, *, limit: int, is_stored: bool = True) -> None:
        _refuse_transaction()
        self.key = uuid.uuid4() if is_stored else NOWHERE
        self.limit = limit
        self.size = 0
        self._sha = hashlib.sha256()
        self._file: IO[bytes] | None = None
        if is_stored:
            site_file.demand_own_folder()
            with _refusing_full_disk():
                self._path = make_folder(TEMPORARY) / str(self.key)
                self._file = self._path.open("xb")

    def write(self, piece: bytes) -> None:
        """Raises `TooLarge`, `StorageUnavailable`."""
        self.size += len(piece)
        if self.size > self.limit:
            raise TooLarge(limit=self.limit)
        self._sha.update(piece)
        if self._file:
            with _refusing_full_disk():
                self._file.write(piece)

    def finish(self, *, declared_size: int | None = None, declared_digest: str | None = None) -> Received:
        """Make the upload durable under its final name. Raises `Invalid`, `DigestMismatch`, `StorageUnavailable`."""
        digest = "sha256:" + self._sha.hexdigest()
        if declared_size is not None and declared_size != self.size:
            ended = "early" if self.size < declared_size else "late"
            raise Invalid.of("file", f"The body ended {ended}: {declared_size} bytes announced, {self.size} arrived.")
        if declared_digest is not None and declared_digest != digest:
            raise DigestMismatch(expected=declared_digest, actual=digest)
        if self._file:
            with _refusing_full_disk():
                self._file.flush()
                os.fsync(self._file.fileno())
                self._file.close()
                final = path_of(self.key)
                make_folder(final.parent.name)
                self._path.rename(final)
                sync_folder(final.parent)
                sync_folder(final.parent.parent)  # the folder may be new, or not synced yet by its maker
            self._file = None
        return Received(self.key, digest, self.size)

    def abort(self) -> None:
        """Remove everything written so far. Does nothing after `finish()`."""
        if self._file:
            with suppress(OSError):  # closing flushes, which a full disk refuses
                self._file.close()
            self._path.unlink(missing_ok=True)
            path_of(self.key).unlink(missing_ok=True)  # it was renamed before the folder's fsync failed
            self._file = None


def receive(
    chunks: Iterable[bytes] | Readable, *, declared_size: int | None, declared_digest: str | None, limit: int
) -> Received:
    """Store the chunks. Raises `TooLarge`, `Invalid` (wrong length), `DigestMismatch`, `StorageUnavailable`."""
    return _read_into(Incoming(limit=limit), chunks, declared_size, declared_digest)


def digest_only(
    chunks: Iterable[bytes] | Readable, *, declared_size: int | None, declared_digest: str | None, limit: int
) -> Received:
    """Like `receive`, but nothing is stored: the key is NOWHERE."""
    return _read_into(Incoming(limit=limit, is_stored=False), chunks, declared_size, declared_digest)


def _read_into(
    incoming: Incoming, chunks: Iterable[bytes] | Readable, declared_size: int | None, declared_digest: str | None
) -> Received:
    try:
        for piece in pieces_of(chunks):
            incoming.write(piece)
        return incoming.finish(declared_size=declared_size, declared_digest=declared_digest)
    finally:  # also after Ctrl-C, or when the generator is closed
        incoming.abort()


def pieces_of(source: Iterable[bytes] | Readable) -> Iterator[bytes]:
    if not hasattr(source, "read"):
        yield from source
        return
    while piece := source.read(PIECE):
        yield piece


def path_of(key: uuid.UUID) -> Path:
    return Path(settings.LEASEHOLD_BLOBS) / key.hex[:2] / str(key)


def open_blob(key: uuid.UUID) -> IO[bytes]:
    """Open a blob for reading. Raises FileNotFoundError if it is missing, which means that the disk is damaged."""
    return path_of(key).open("rb")


def demand_intact(blob: Blob, *, version: int | None = None) -> None:
    """Raise `BytesMissing` if the blob is missing on the disk or has another length than its row says.

    `version`: the number of the version that it belongs to; None for a proposal.
    """
    if not has_length(blob.key, blob.size):
        what = "of this proposal" if version is None else f"of version {version}"
        raise BytesMissing(
            f"The stored bytes {what} are missing or damaged. Tell whoever runs this server.", version=version
        )


def has_length(key: uuid.UUID, size: int) -> bool:
    """Is the blob on the disk, with this many bytes? Only `verify` compares the bytes themselves."""
    try:
        return path_of(key).stat().st_size == size
    except FileNotFoundError:
        return False


def discard(received: Received) -> None:
    """Remove bytes that no row names. If the database cannot be read, they stay, and `collect` sweeps them."""
    if received.key == NOWHERE:
        return
    with suppress(DatabaseError, InterfaceError):
        if not Blob.objects.filter(key=received.key).exists():
            remove(received)


def remove(received: Received) -> None:
    """Remove bytes that no action has seen, so that no row can name them. Asks no database."""
    if received.key != NOWHERE:
        path_of(received.key).unlink(missing_ok=True)


def stored_keys() -> Iterator[tuple[uuid.UUID, float]]:
    """Yield every stored blob with its modification time (POSIX seconds), unordered. Other files are skipped."""
    for path, written_at in _files_below("??"):
        with suppress(ValueError):
            yield uuid.UUID(path.name), written_at


def unfinished() -> Iterator[tuple[Path, float]]:
    """Yield temp files with their modification time (POSIX seconds): uploads in progress, and remains of a crash."""
    return _files_below(TEMPORARY)


def _files_below(pattern: str) -> Iterator[tuple[Path, float]]:
    """Raises OSError if a folder cannot be listed: what cannot be seen must not count as absent, as in `glob`."""
    root = Path(settings.LEASEHOLD_BLOBS)
    if not root.exists():
        return
    for folder in root.iterdir():
        if not fnmatch(folder.name, pattern):
            continue
        for path in folder.iterdir():
            with suppress(FileNotFoundError):  # it was finished or swept in the meantime
                yield path, path.stat().st_mtime


def make_folder(name: str) -> Path:
    """Return a folder of the blob area, and create it if it is missing."""
    root = Path(settings.LEASEHOLD_BLOBS)
    if not root.is_dir():
        root.mkdir(mode=0o700, parents=True, exist_ok=True)
        sync_folder(root.parent)
    folder = root / name
    folder.mkdir(mode=0o700, exist_ok=True)
    return folder


@contextmanager
def _refusing_full_disk() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if error.errno in NO_ROOM:
            raise StorageUnavailable from error
        raise


def _refuse_transaction() -> None:
    """Fail inside a transaction: a slow client must not hold locks. The transaction of Django's TestCase is allowed."""
    blocks = connection.atomic_blocks
    if blocks and not getattr(blocks[-1], "_from_testcase", False):
        raise RuntimeError("bytes are received before the transaction opens, never inside it")
