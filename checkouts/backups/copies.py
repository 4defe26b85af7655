"""Copies of files that survive a crash: written under another name, synced, then renamed.

A folder is synced by its caller, once for many files.
"""

import errno
import hashlib
import os
import shutil
from pathlib import Path

from checkouts.bytes.storage import PIECE

UNFINISHED = ".copying"  #: the end of the name of a file that is being written
CANNOT_LINK = {errno.EMLINK, errno.EPERM, errno.EXDEV, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS}


def copy_durably(source: Path, target: Path) -> str:
    """Copy a file and return the digest of what was copied. Raises OSError, and then leaves no `target`."""
    sha = hashlib.sha256()
    unfinished = target.with_name(target.name + UNFINISHED)
    with source.open("rb", buffering=0) as read, unfinished.open("wb", buffering=0) as written:
        while piece := read.read(PIECE):
            sha.update(piece)
            _write_all(written.fileno(), piece)
        os.fsync(written.fileno())
    unfinished.replace(target)
    return f"sha256:{sha.hexdigest()}"


def write_durably(target: Path, content: bytes, *, mode: int = 0o600) -> None:
    """Write a small file under its final name, or leave what was there."""
    unfinished = target.with_name(target.name + UNFINISHED)
    handle = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode)
    try:
        os.fchmod(handle, mode)
        _write_all(handle, content)
        os.fsync(handle)
    finally:
        os.close(handle)
    unfinished.replace(target)
    sync_folder(target.parent)


def link_or_copy(source: Path, target: Path) -> None:
    """Make a hard link between two backups, or a copy where the file system has no links. Raises OSError."""
    try:
        os.link(source, target)
    except FileExistsError:
        target.unlink()
        link_or_copy(source, target)
    except OSError as error:
        if error.errno not in CANNOT_LINK:
            raise
        copy_durably(source, target)


def size_of(path: Path) -> int | None:
    """Return the size of a file in bytes, or None if it is missing."""
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return None


def make_folder(folder: Path) -> None:
    """Create a folder for its owner only, and sync the one that it is in."""
    if not folder.is_dir():
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        sync_folder(folder.parent)


def sync_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def remove_folder(folder: Path) -> None:
    """Remove a folder under another name, so that a half-removed backup is never taken for a whole one."""
    removing = folder.with_name(folder.name.removesuffix(".removing") + ".removing")
    folder.rename(removing)
    shutil.rmtree(removing)


def _write_all(handle: int, content: bytes) -> None:
    view = memoryview(content)
    while view:
        view = view[os.write(handle, view) :]
