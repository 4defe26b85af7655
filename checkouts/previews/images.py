"""Previews of PNG, JPEG, WebP, GIF and PSD files (the merged picture), stored under the blob's key.

Another process, `thumbnail.py`, decodes the picture with limits on memory, time and pixels. A decompression bomb or a
damaged or hostile file ends only that process, and the page shows no preview. An empty file marks a blob that has none.
"""

import os
import subprocess  # nosec B404
import sys
import uuid
from contextlib import suppress
from pathlib import Path, PurePosixPath
from threading import BoundedSemaphore

from django.conf import settings

from checkouts.bytes.storage import path_of
from checkouts.previews import thumbnail

SUFFIXES = {".png", ".jpg", ".jpeg", ".webp", ".gif", ".psd"}
KIND = "image/webp"
DEADLINE = 15  # seconds of wall-clock time
AT_ONCE = BoundedSemaphore(2)  # in this process: decoding is heavy, and a page requests three previews at a time
ROWS_AT_ONCE = BoundedSemaphore(1)  # beside those, for lists
PATIENCE = 10  # seconds to wait for a free decoder


def may_have_preview(name: str) -> bool:
    """Return whether files with this name's suffix can have a preview."""
    return PurePosixPath(name).suffix.lower() in SUFFIXES


def preview(key: uuid.UUID, name: str) -> bytes | None:
    """Return the preview as WebP, or None if there is none. A faulty file never raises an error."""
    if not may_have_preview(name):
        return None
    path = preview_path(key)
    with suppress(FileNotFoundError):
        return path.read_bytes() or None
    if not AT_ONCE.acquire(timeout=PATIENCE):
        return None
    try:
        is_made = make_previews(path_of(key), path, thumbnail_path(key))
    finally:
        AT_ONCE.release()
    return (path.read_bytes() or None) if is_made else None


def row_thumbnail(key: uuid.UUID, name: str) -> bytes | None:
    """Return the square thumbnail for a row of a list, as WebP: empty if there is none, None if it is not ready yet.

    It does not wait for another thumbnail: a list requests fifty, and the server's threads are needed for check-outs.
    """
    if not may_have_preview(name):
        return b""
    path = thumbnail_path(key)
    with suppress(FileNotFoundError):
        return path.read_bytes()
    if not ROWS_AT_ONCE.acquire(blocking=False):
        return None
    try:
        is_made = make_previews(path_of(key), preview_path(key), path)
    finally:
        ROWS_AT_ONCE.release()
    return path.read_bytes() if is_made else None


def preview_path(key: uuid.UUID) -> Path:
    return Path(settings.LEASEHOLD_PREVIEWS) / key.hex[:2] / f"{key}.webp"


def thumbnail_path(key: uuid.UUID) -> Path:
    return preview_path(key).with_suffix(".row.webp")


def make_previews(source: Path, *targets: Path) -> bool:
    """Write the preview and the thumbnail to `targets`, decoding once. An empty file means: no preview.

    Return False if the failure is not the file's fault and a later try may succeed.
    """
    if not os.access(source, os.R_OK):  # the volume is not mounted, or is being restored
        return False
    drafts = [target.with_name(f"{uuid.uuid4()}.draft") for target in targets]
    command = [sys.executable, "-I", thumbnail.__file__, str(source), *map(str, drafts)]
    try:
        targets[0].parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        is_made = run_decoder(command, targets[0].parent)
        for draft, one in zip(drafts, targets, strict=True):
            if not (is_made and draft.exists()):
                draft.write_bytes(b"")
            draft.replace(one)
    except OSError:  # a full disk, or no process could be started: not the file's fault
        return False
    finally:
        for draft in drafts:
            draft.unlink(missing_ok=True)
    return True


def run_decoder(command: list[str], folder: Path) -> bool:
    """Run the decoder, and kill it at the deadline. Return whether it succeeded."""
    try:
        ended = subprocess.run(  # noqa: S603  # nosec B603
            command, timeout=DEADLINE, check=False, capture_output=True, env={"PATH": os.defpath}, cwd=folder
        )
    except subprocess.TimeoutExpired:
        return False
    return ended.returncode == 0
