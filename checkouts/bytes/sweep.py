"""The sweep of what a crash or a broken connection left on the disk, after a day.

A blob's row is added moments after its bytes, and no other upload uses its name. So a blob without a row after a day
never gets one, unless the database is not the one that it belonged to, or was set back. The sweep therefore removes no
blob at once: it moves it to `swept/<date>`, and removes it a month later.
"""

import uuid
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import date, timedelta
from itertools import islice
from pathlib import Path

from django.conf import settings

from checkouts.bytes.site_file import sync_folder
from checkouts.bytes.storage import path_of, stored_keys, unfinished
from checkouts.models import Blob
from leasehold.actions import idempotency
from leasehold.database import clock

GRACE = 24 * 3600  # seconds; an upload may take long
BATCH = 500
MANY = 50  # stored blobs, from which on the sweep refuses to take more than a tenth
SWEPT = "swept"


class TooManyToSweep(Exception):
    """So many stored files without a row mean that something is wrong with the database, or that it is another one."""

    def __init__(self, *, stored: int, without_row: int) -> None:
        super().__init__(f"{without_row} of {stored} stored files have no row")
        self.stored, self.without_row = stored, without_row


@dataclass(slots=True)
class Collected:
    """blobs: keys without a row, moved to `swept`. temporary: names of temp files. emptied: dates removed from `swept`.

    answers: number of expired idempotency answers. moved, freed: bytes.
    """

    blobs: list[str] = field(default_factory=list)
    temporary: list[str] = field(default_factory=list)
    emptied: list[str] = field(default_factory=list)
    answers: int = 0
    moved: int = 0
    freed: int = 0


def collect(*, is_dry: bool = False, takes_many: bool = False, empties_swept: bool = False) -> Collected:
    """Move blobs without rows aside, and delete temp files, idempotency answers and what was moved aside a month ago.

    All of it is older than a day. `is_dry`: only list it. `empties_swept`: delete all that was moved aside before.
    Raises `TooManyToSweep` and moves nothing if more than a tenth of at least 50 stored blobs have no row, unless
    `takes_many`. Raises OSError if a folder cannot be listed, before anything is moved.
    """
    found = Collected()
    now = clock.now()
    before = now.timestamp() - GRACE
    stored = sum(1 for _key in stored_keys())
    without_row = list(without_rows(before))
    if empties_swept:  # even if the sweep itself is refused: the disk may be full
        _empty(found, now.date(), all_of_them=True, is_dry=is_dry)
    if stored >= MANY and len(without_row) > stored // 10 and not takes_many and not is_dry:
        raise TooManyToSweep(stored=stored, without_row=len(without_row))
    _empty(found, now.date(), is_dry=is_dry)
    for key in without_row:
        found.blobs.append(str(key))
        found.moved += move_aside(path_of(key), now.date(), is_dry=is_dry)
    for path, written_at in list(unfinished()):
        if written_at < before:
            found.temporary.append(path.name)
            found.freed += _delete(path, is_dry=is_dry)
    found.answers = idempotency.count_outdated() if is_dry else idempotency.delete_outdated()
    return found


def without_rows(before: float) -> Iterator[uuid.UUID]:
    """Yield the blobs that were written before this time (POSIX seconds) and that no row names."""
    old = (key for key, written_at in stored_keys() if written_at < before)
    while batch := list(islice(old, BATCH)):
        named = set(Blob.objects.filter(key__in=batch).values_list("key", flat=True))
        yield from (key for key in batch if key not in named)


def outdated_folders(today: date, *, all_of_them: bool = False) -> list[Path]:
    """Return the folders of `swept` that are older than `LEASEHOLD_KEEP_SWEPT` days, oldest first."""
    limit = (today - timedelta(days=settings.LEASEHOLD_KEEP_SWEPT)).isoformat()
    root = Path(settings.LEASEHOLD_BLOBS) / SWEPT
    folders = sorted(path for path in root.iterdir() if path.is_dir()) if root.is_dir() else []
    return [folder for folder in folders if all_of_them or folder.name < limit]


def move_aside(path: Path, today: date, *, is_dry: bool = False) -> int:
    """Move a blob to `swept/<date>`. Return its size, or 0 if it is gone already."""
    with suppress(FileNotFoundError):
        size = path.stat().st_size
        if not is_dry:
            folder = Path(settings.LEASEHOLD_BLOBS) / SWEPT / today.isoformat()
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            path.rename(folder / path.name)
            sync_folder(folder)
            sync_folder(folder.parent)
        return size
    return 0


def _empty(found: Collected, today: date, *, all_of_them: bool = False, is_dry: bool) -> None:
    for folder in outdated_folders(today, all_of_them=all_of_them):
        if folder.name not in found.emptied:
            found.emptied.append(folder.name)
            found.freed += _delete_folder(folder, is_dry=is_dry)


def _delete_folder(folder: Path, *, is_dry: bool) -> int:
    freed = sum(_delete(path, is_dry=is_dry) for path in folder.iterdir())
    if not is_dry:
        folder.rmdir()
    return freed


def _delete(path: Path, *, is_dry: bool) -> int:
    """Delete a file. Return its size, or 0 if it is gone already."""
    try:
        size = path.stat().st_size
    except FileNotFoundError:
        return 0
    if not is_dry:
        path.unlink(missing_ok=True)
    return size
