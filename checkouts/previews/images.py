"""Small pictures of PNG, JPEG, WebP, GIF and PSD files (its merged picture), made anew and kept by the blob's key.

A picture is decoded by another process, `thumbnail.py`, bounded in memory, time and pixels: a bomb, a torn or a hostile
file ends that process, and the page says that there is no preview. What cannot be shown is noted as an empty file.
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

ENDINGS = {".png", ".jpg", ".jpeg", ".webp", ".gif", ".psd"}
KIND = "image/webp"
DEADLINE = 15  # seconds by the wall
AT_ONCE = BoundedSemaphore(2)  # in this process: decoding is heavy, and pages ask for three at a time
ROWS_AT_ONCE = BoundedSemaphore(1)  # beside those, for lists
PATIENCE = 10  # seconds of waiting for one of them


def may_have(name: str) -> bool:
    """Is it worth asking for a preview of a file of this name?"""
    return PurePosixPath(name).suffix.lower() in ENDINGS


def preview(key: uuid.UUID, name: str) -> bytes | None:
    """The picture as WebP; none where there is none to show. Never an error of the file's."""
    if not may_have(name):
        return None
    kept = kept_at(key)
    with suppress(FileNotFoundError):
        return kept.read_bytes() or None
    if not AT_ONCE.acquire(timeout=PATIENCE):
        return None
    try:
        made = make(path_of(key), kept, row_kept_at(key))
    finally:
        AT_ONCE.release()
    return (kept.read_bytes() or None) if made else None


def row_picture(key: uuid.UUID, name: str) -> bytes | None:
    """The square for a row of a list, as WebP: empty where there is none to show, none where it cannot be had yet.

    Nobody waits for another's to be made: a list asks for fifty, and the threads that serve are for check-outs too.
    """
    if not may_have(name):
        return b""
    kept = row_kept_at(key)
    with suppress(FileNotFoundError):
        return kept.read_bytes()
    if not ROWS_AT_ONCE.acquire(blocking=False):
        return None
    try:
        made = make(path_of(key), kept_at(key), kept)
    finally:
        ROWS_AT_ONCE.release()
    return kept.read_bytes() if made else None


def kept_at(key: uuid.UUID) -> Path:
    return Path(settings.LEASEHOLD_PREVIEWS) / key.hex[:2] / f"{key}.webp"


def row_kept_at(key: uuid.UUID) -> Path:
    return kept_at(key).with_suffix(".row.webp")


def make(source: Path, *kept: Path) -> bool:
    """Fill `kept`, the picture and the square, with nothing where there is no picture; both come of one decoding.

    False if it was not the file's fault, and may be retried.
    """
    if not os.access(source, os.R_OK):  # a volume that is not there just now, or is being restored
        return False
    drafts = [one.with_name(f"{uuid.uuid4()}.draft") for one in kept]
    command = [sys.executable, "-I", thumbnail.__file__, str(source), *map(str, drafts)]
    try:
        kept[0].parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        is_made = has_made(command, kept[0].parent)
        for draft, one in zip(drafts, kept, strict=True):
            if not (is_made and draft.exists()):
                draft.write_bytes(b"")
            draft.replace(one)
    except OSError:  # no room, no process: nothing to do with the file
        return False
    finally:
        for draft in drafts:
            draft.unlink(missing_ok=True)
    return True


def has_made(command: list[str], folder: Path) -> bool:
    """Run the program to its end, or end it."""
    try:
        ended = subprocess.run(  # noqa: S603  # nosec B603
            command, timeout=DEADLINE, check=False, capture_output=True, env={"PATH": os.defpath}, cwd=folder
        )
    except subprocess.TimeoutExpired:
        return False
    return ended.returncode == 0
