"""What a crash or a broken connection left on the disk: found, and swept after a day.

A blob's row comes moments after its bytes, and its name is its own alone: what has no row after a day never gets one.
"""

import uuid
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from checkouts.bytes.storage import path_of, stored_keys, unfinished
from checkouts.models import Blob
from leasehold.actions import idempotency
from leasehold.database import clock

GRACE = 24 * 3600  # seconds; an upload may take long
BATCH = 500


@dataclass(slots=True)
class Collected:
    """blobs: keys without a row. temporary: names of temp files. answers: how many kept answers past their day."""

    blobs: list[str] = field(default_factory=list)
    temporary: list[str] = field(default_factory=list)
    answers: int = 0
    freed: int = 0  # bytes


def collect(*, is_dry: bool = False) -> Collected:
    """Sweep blobs without rows, temp files and kept answers, all of them older than a day; or only say which."""
    found = Collected()
    before = clock.now().timestamp() - GRACE
    for key in without_rows(before):
        found.blobs.append(str(key))
        found.freed += _away(path_of(key), is_dry=is_dry)
    for path, written_at in list(unfinished()):
        if written_at < before:
            found.temporary.append(path.name)
            found.freed += _away(path, is_dry=is_dry)
    found.answers = idempotency.outdated() if is_dry else idempotency.sweep()
    return found


def without_rows(before: float) -> Iterator[uuid.UUID]:
    """Stored blobs, written before that time (POSIX seconds), that no row names."""
    old = (key for key, written_at in stored_keys() if written_at < before)
    while batch := list(islice(old, BATCH)):
        named = set(Blob.objects.filter(key__in=batch).values_list("key", flat=True))
        yield from (key for key in batch if key not in named)


def _away(path: Path, *, is_dry: bool) -> int:
    """Its size; 0 if it has gone by itself."""
    try:
        size = path.stat().st_size
    except FileNotFoundError:
        return 0
    if not is_dry:
        path.unlink(missing_ok=True)
    return size
