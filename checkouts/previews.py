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

from checkouts import thumbnail
from checkouts.storage import path_of

ENDINGS = {".png", ".jpg", ".jpeg", ".webp", ".gif", ".psd"}
KIND = "image/webp"
DEADLINE = 15  # seconds by the wall
AT_ONCE = BoundedSemaphore(2)  # in this process: decoding is heavy, and pages ask for three at a time
PATIENCE = 10  # seconds of waiting for one of them


def may_have(name: str) -> bool:
    """Is it worth asking for a preview of a file of this name?"""
    return PurePosixPath(name).suffix.lower() in ENDINGS


def preview(key: uuid.UUID, name: str) -> bytes | None:
    """The small picture as WebP; none where there is none to show. Never an error of the file's."""
    if not may_have(name):
        return None
    kept = kept_at(key)
    with suppress(FileNotFoundError):
        return kept.read_bytes() or None
    if not AT_ONCE.acquire(timeout=PATIENCE):
        return None
    try:
        made = make(path_of(key), kept)
    finally:
        AT_ONCE.release()
    return (kept.read_bytes() or None) if made else None


def kept_at(key: uuid.UUID) -> Path:
    return Path(settings.LEASEHOLD_PREVIEWS) / key.hex[:2] / f"{key}.webp"


def make(source: Path, kept: Path) -> bool:
    """Fill `kept`, with nothing where there is no picture; false if it was not the file's fault, and may be retried."""
    kept.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    draft = kept.with_name(f"{uuid.uuid4()}.draft")
    command = [sys.executable, "-I", thumbnail.__file__, str(source), str(draft)]
    try:
        ended = subprocess.run(  # noqa: S603  # nosec B603
            command, timeout=DEADLINE, check=False, capture_output=True, env={"PATH": os.defpath}, cwd=kept.parent
        )
        if ended.returncode != 0 or not draft.exists():
            draft.write_bytes(b"")
        draft.replace(kept)
    except subprocess.TimeoutExpired:
        kept.write_bytes(b"")
    except OSError:  # no room, no process: nothing to do with the file
        return False
    finally:
        draft.unlink(missing_ok=True)
    return True
