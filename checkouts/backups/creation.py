"""The making of a backup while people work: the rows in one snapshot first, then the bytes that they name.

Rows first, because bytes are stored before a row names them: whatever the snapshot names is on the disk already.
"""

import os
import shutil
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from enum import Enum
from itertools import groupby, repeat
from pathlib import Path
from typing import Any

from django.apps import apps
from django.conf import settings
from django.db import connections
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.recorder import MigrationRecorder

from checkouts.backups import folders
from checkouts.backups.copies import (
    copy_durably,
    link_or_copy,
    make_folder,
    size_of,
    sync_folder,
    write_durably,
)
from checkouts.backups.manifest import BackupFault, Lacking, Lines, Manifest, write_manifest
from checkouts.backups.rows import file_of, read_lines, table_lines, write_lines
from checkouts.backups.sequences import read_sequences
from checkouts.backups.snapshot import snapshot
from checkouts.backups.tables import WHOLE, saved_tables
from checkouts.models import Blob
from leasehold.database import clock

BLOBS = "blobs.jsonl.gz"
COPIERS = 8  # threads: the disk syncs of several files overlap

Step = Callable[[str, int], None]


class Way(Enum):
    """How a blob got into a backup."""

    THERE = "there"
    LINKED = "linked"
    COPIED = "copied"


@dataclass(slots=True)
class Made:
    """A finished backup. Sizes are bytes."""

    folder: str = ""
    rows: int = 0
    blobs: int = 0
    size: int = 0
    copied: int = 0
    copied_size: int = 0
    linked: int = 0
    lacking: list[Lacking] = field(default_factory=list)


def make_backup(target: Path, *, with_key: bool = True, start: Callable[[int], None], step: Step) -> Made:
    """Make a backup below `target` and return what it contains. Raises `BackupFault`, OSError.

    `start` is called with the bytes to copy, `step` with the name and the size of what is done. What a run leaves that
    is killed is used by the next one: its copies stay, its rows are read anew.
    """
    make_folder(target)
    with folders.locked(target):
        partial = target / folders.PARTIAL
        make_folder(partial / "blobs")
        shutil.rmtree(partial / "rows", ignore_errors=True)
        (partial / "rows").mkdir(mode=0o700)
        manifest, taken_at = save_rows(partial)
        made = Made(rows=sum(lines.count - 1 for lines in manifest.tables.values()))
        start(manifest.size)
        damaged = folders.keys_known_damaged(target)
        save_bytes(partial, manifest, Sources(folders.previous_in(target), damaged), made, step)
        manifest.lacking = made.lacking
        save_site_files(partial, with_key=with_key)
        for folder in ("rows", "blobs", "site"):
            sync_folder(partial / folder)
        write_manifest(partial, manifest)
        final = folders.name_for(target, taken_at)
        partial.rename(final)
        sync_folder(target)
        folders.note_damaged(target, damaged & manifest.lacking_keys)
        made.folder = str(final)
        return made


def save_rows(partial: Path) -> tuple[Manifest, datetime]:
    """Write the rows and the list of blobs, all from one snapshot. Return the manifest and the time of the snapshot."""
    taken_at = clock.now()
    with snapshot() as alias:
        migrations = applied_migrations(alias)
        tables = saved_tables(apps)
        lines = {}
        for table in tables:
            name = table._meta.label_lower
            lines[name] = write_lines(file_of(partial, name), table_lines(table, alias))
        size, blobs = save_blob_list(partial, alias)
        sequences = read_sequences(tables, alias)
    return Manifest(clock.as_iso(taken_at) or "", migrations, lines, sequences, blobs, size), taken_at


def applied_migrations(using: str) -> dict[str, list[str]]:
    """Return app → the migrations that the database has. Raises `BackupFault` if they are not those of this program."""
    executor = MigrationExecutor(connections[using])
    applied = MigrationRecorder(connections[using]).applied_migrations()
    known = executor.loader.disk_migrations
    lacking = [migration for migration, _ in executor.migration_plan(executor.loader.graph.leaf_nodes())]
    if unknown := sorted(f"{app}.{name}" for app, name in applied if app in WHOLE and (app, name) not in known):
        raise BackupFault(
            f"The database is newer than this program: it has {', '.join(unknown)}. Use the newer program."
        )
    if lacking:
        names = ", ".join(f"{one.app_label}.{one.name}" for one in lacking)
        raise BackupFault(
            f"The database is older than this program: it lacks {names}. Use the program that it belongs to, or run "
            "`manage.py migrate` first."
        )
    by_app: dict[str, list[str]] = {}
    for app, name in sorted(applied):
        by_app.setdefault(app, []).append(name)
    return by_app


def save_blob_list(partial: Path, using: str) -> tuple[int, Lines]:
    """Write a line for each blob, in the order of the keys. Return their size, and the file's count and digest."""
    size = 0

    def listed() -> Iterator[list[Any]]:
        nonlocal size
        for key, digest, bytes_ in (
            Blob.objects.using(using).order_by("key").values_list("key", "digest", "size").iterator(chunk_size=2000)
        ):
            size += bytes_
            yield [str(key), digest, bytes_]

    lines = write_lines(partial / BLOBS, listed())
    return size, lines


@dataclass(frozen=True, slots=True)
class Sources:
    """Where a blob of the new backup may come from beside the live bytes: the previous backup, if it is not damaged."""

    previous: Path | None
    damaged: set[str]

    def earlier(self, name: str) -> Path | None:
        """Return where the previous backup would have a file of the blob folder: `ab/<key>` or `ab/<key>.label`."""
        return self.previous / "blobs" / name[:2] / name if self.previous else None


def save_bytes(partial: Path, manifest: Manifest, sources: Sources, made: Made, step: Step) -> None:
    """Copy or link every blob that the list names, with its label, and remove what an earlier run left beside them."""
    used = set()
    with ThreadPoolExecutor(COPIERS) as copiers:
        for prefix, group in groupby(read_lines(partial / BLOBS, manifest.blobs), key=lambda line: line[0][:2]):
            used.add(prefix)
            folder = partial / "blobs" / prefix
            folder.mkdir(mode=0o700, exist_ok=True)
            lines = list(group)
            names = {line[0] for line in lines}
            for left in os.listdir(folder):
                if left.removesuffix(".label") not in names:
                    (folder / left).unlink()
            results = copiers.map(save_blob, lines, repeat(folder), repeat(sources))
            for (key, _, size), result in zip(lines, results, strict=True):
                note(made, key, size, result)
                step(key, size)
            sync_folder(folder)
    for folder in (partial / "blobs").iterdir():
        if folder.name not in used:
            shutil.rmtree(folder)


def note(made: Made, key: str, size: int, result: Way | str) -> None:
    if isinstance(result, str):
        made.lacking.append(Lacking(key, result))
        return
    made.blobs += 1
    made.size += size
    made.linked += result is Way.LINKED
    if result is Way.COPIED:
        made.copied += 1
        made.copied_size += size


def save_blob(line: tuple[str, str, int], into: Path, sources: Sources) -> Way | str:
    """Put a blob and its label into the folder. Return how, or what is wrong with the bytes."""
    key, digest, size = line
    save_label(f"{key}.label", into, sources)
    target = into / key
    if size_of(target) == size and key not in sources.damaged:
        return Way.THERE
    earlier = sources.earlier(key)
    if earlier and size_of(earlier) == size and key not in sources.damaged:
        link_or_copy(earlier, target)
        return Way.LINKED
    return copy_blob(key, digest, target)


def copy_blob(key: str, digest: str, target: Path) -> Way | str:
    for source in places_of(key):
        with suppress(FileNotFoundError):
            try:
                copied = copy_durably(source, target)
            except FileNotFoundError:
                raise
            except OSError as error:
                if source_is_at_fault(source):
                    return f"cannot be read: {error.strerror}"
                raise
            return Way.COPIED if copied == digest else f"damaged: {copied} in place of {digest}"
    return "missing"


def places_of(key: str) -> Iterator[Path]:
    """Yield where a blob's bytes may be: in their place, among what a sweep took, or just put back in their place."""
    live = path_of_text(key)
    yield live
    yield from Path(settings.LEASEHOLD_BLOBS).glob(f"swept/*/{key}")
    yield from Path(settings.LEASEHOLD_BLOBS).glob(f"swept/*/{key[:2]}/{key}")
    yield live


def path_of_text(name: str) -> Path:
    """Return the live place of a file of the blob folder: `<key>` or `<key>.label`."""
    return Path(settings.LEASEHOLD_BLOBS) / name[:2] / name


def source_is_at_fault(source: Path) -> bool:
    """Return whether the live bytes cannot be read, as opposed to the backup's disk that cannot be written."""
    try:
        with source.open("rb", buffering=0) as file:
            while file.read(1024 * 1024):
                pass
    except OSError:
        return True
    return False


def save_label(name: str, into: Path, sources: Sources) -> None:
    """Copy a label, or link it if it has not grown since the previous backup. It is only ever appended to."""
    size = size_of(path_of_text(name))
    if size is None:
        return
    earlier = sources.earlier(name)
    if earlier and size_of(earlier) == size:
        (into / name).unlink(missing_ok=True)
        link_or_copy(earlier, into / name)
    elif size_of(into / name) != size:
        with suppress(FileNotFoundError):
            copy_durably(path_of_text(name), into / name)


def save_site_files(partial: Path, *, with_key: bool) -> None:
    """Copy the files that identify the site beside its bytes, and the key that signs its sessions."""
    site = partial / "site"
    shutil.rmtree(site, ignore_errors=True)
    site.mkdir(mode=0o700)
    for path in site_files():
        with suppress(FileNotFoundError):
            copy_durably(path, site / path.name)
    if with_key:
        write_durably(partial / "secret_key", settings.SECRET_KEY.encode())
    else:
        (partial / "secret_key").unlink(missing_ok=True)


def site_files() -> Iterable[Path]:
    return (path for path in sorted(Path(settings.LEASEHOLD_BLOBS).glob("*.json")) if path.is_file())
