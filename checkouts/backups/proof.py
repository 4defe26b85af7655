"""The proof of backups: every file of rows and every blob is read back and compared with the manifest."""

import hashlib
import heapq
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import Any

from checkouts.backups import folders
from checkouts.backups.creation import BLOBS
from checkouts.backups.manifest import NAME, BackupFault, Manifest, manifest_in
from checkouts.backups.rows import file_of, read_lines

Step = Callable[[str, int], None]


@dataclass(slots=True)
class Proof:
    """faults: sentences that name the file. size: bytes of blobs read; bytes that backups share are read once."""

    backups: int = 0
    blobs: int = 0
    size: int = 0
    faults: list[str] = field(default_factory=list)

    @property
    def is_whole(self) -> bool:
        return not self.faults


def prove(source: Path, *, start: Callable[[int], None], step: Step) -> Proof:
    """Read back one backup, or all backups of a folder. Raises `BackupFault` if there is none."""
    found = Proof()
    manifests: dict[Path, Manifest] = {}
    single = (source / NAME).exists()
    checked = [source] if single else folders.folders_in(source)
    if not checked:
        raise BackupFault(f"There is no backup in {source}.")
    for folder in checked:
        found.backups += 1
        try:
            manifests[folder] = manifest_in(folder)
        except BackupFault as error:
            found.faults.append(str(error))
    start(sum(manifest.size for manifest in manifests.values()))
    for folder, manifest in manifests.items():
        prove_rows(folder, manifest, found)
    damaged = prove_blobs(manifests, found, step)
    if damaged and not single:
        folders.note_damaged(source, damaged | folders.keys_known_damaged(source))
    return found


def prove_rows(folder: Path, manifest: Manifest, found: Proof) -> None:
    for table, lines in manifest.tables.items():
        for _ in readable(read_lines(file_of(folder, table), lines), found):
            pass


def prove_blobs(manifests: dict[Path, Manifest], found: Proof, step: Step) -> set[str]:
    """Read the blobs of all backups in the order of their keys, and return the keys of those that are damaged.

    Backups share bytes by hard links. All that have one key are looked at together, so each file is read once.
    """
    damaged = set()
    lists = [named_blobs(folder, manifest, found) for folder, manifest in manifests.items()]
    for key, group in groupby(heapq.merge(*lists), key=lambda one: one[0]):
        read: dict[tuple[int, int], tuple[str, int]] = {}
        for _, folder, digest, size in group:
            path = folder / "blobs" / key[:2] / key
            if what := damage_of_copy(path, digest, size, read):
                found.faults.append(f"{path}: {what}")
                damaged.add(key)
            found.blobs += 1
            step(key, size)
        found.size += sum(size for _, size in read.values())
    return damaged


def named_blobs(folder: Path, manifest: Manifest, found: Proof) -> Iterator[tuple[str, Path, str, int]]:
    lacking = manifest.lacking_keys
    for key, digest, size in readable(read_lines(folder / BLOBS, manifest.blobs), found):
        if key not in lacking:
            yield key, folder, digest, size


def damage_of_copy(path: Path, digest: str, size: int, read: dict[tuple[int, int], tuple[str, int]]) -> str:
    """Return how the bytes differ, or an empty string. `read`: the inodes read before → digest and size."""
    try:
        stat = path.stat()
        inode = (stat.st_dev, stat.st_ino)
        if inode not in read:
            read[inode] = (digest_of_file(path), stat.st_size)
    except FileNotFoundError:
        return "missing"
    except OSError as error:
        return f"cannot be read: {error.strerror}"
    actual, actual_size = read[inode]
    if actual_size != size:
        return f"{actual_size} bytes in place of {size}"
    return "" if actual == digest else f"{actual} in place of {digest}"


def digest_of_file(path: Path) -> str:
    with path.open("rb") as file:
        return f"sha256:{hashlib.file_digest(file, 'sha256').hexdigest()}"


def readable(values: Iterator[Any], found: Proof) -> Iterator[Any]:
    """Yield what can be read of a file, and note the fault that ends it."""
    try:
        yield from values
    except BackupFault as error:
        found.faults.append(str(error))
