"""The sweep of what a crash or a broken connection left on the disk, after a day.

A blob's row is added moments after its bytes, and no other upload uses its name. So a blob without a row after a day
never gets one.
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
    """blobs: keys without a row. temporary: names of temp files. answers: number of expired idempotency answers."""

    blobs: list[str] = field(default_factory=list)
    temporary: list[str] = field(default_factory=list)
    answers: int = 0
    freed: int = 0  # bytes


def collect(*, is_dry: bool = False) -> Collected:
    """Delete blobs without rows, temp files and idempotency answers, all older than a day. `is_dry`: only list them."""
    found = Collected()
    before = clock.now().timestamp() - GRACE
    for key in without_rows(before):
        found.blobs.append(str(key))
        found.freed += _delete(path_of(key), is_dry=is_dry)
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


def _delete(path: Path, *, is_dry: bool) -> int:
    """Delete a file. Return its size, or 0 if it is gone already."""
    try:
        size = path.stat().st_size
    except FileNotFoundError:
        return 0
    if not is_dry:
        path.unlink(missing_ok=True)
    return size
