"""The folder of backups. Each backup is a folder named by its time, complete in itself; equal bytes are hard links.

An unfinished backup is in a folder of another name, which the next run goes on with.
"""

import fcntl
import json
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from checkouts.backups.copies import remove_folder, sync_folder, write_durably
from checkouts.backups.manifest import NAME, BackupFault, Manifest, manifest_in

PARTIAL = "unfinished.partial"
DAMAGED = "damaged.json"
UNITS = {"d": "%Y-%m-%d", "w": "%G-%V", "m": "%Y-%m", "y": "%Y"}


@dataclass(frozen=True, slots=True)
class Backup:
    folder: Path
    manifest: Manifest

    @property
    def taken_at(self) -> datetime:
        return datetime.fromisoformat(self.manifest.taken_at)


def folders_in(target: Path) -> list[Path]:
    """Return the folders of finished backups, by name. Their manifests may be damaged."""
    return sorted(one for one in target.glob("*Z*") if one.is_dir() and not one.name.endswith(".removing"))


def backups_in(target: Path) -> list[Backup]:
    """Return the finished backups, oldest first. Raises `BackupFault` if one has no readable manifest."""
    found = [Backup(folder, manifest_in(folder)) for folder in folders_in(target)]
    return sorted(found, key=lambda one: (one.taken_at, one.folder.name))


def previous_in(target: Path) -> Path | None:
    """Return the folder of the newest backup with a readable manifest, or None."""
    for folder in reversed(folders_in(target)):
        with suppress(BackupFault):
            manifest_in(folder)
            return folder
    return None


def backup_at(source: Path) -> Backup:
    """Return the backup in this folder, or the newest of a folder of backups. Raises `BackupFault`."""
    if (source / NAME).exists():
        return Backup(source, manifest_in(source))
    if found := backups_in(source):
        return found[-1]
    raise BackupFault(f"There is no backup in {source}: neither {NAME} nor folders that have one.")


def name_for(target: Path, at: datetime) -> Path:
    """Return a new folder's path, named by the time in UTC: `20261203T030000Z`, or with `-2` if that is taken."""
    first = target / at.strftime("%Y%m%dT%H%M%SZ")
    number, path = 1, first
    while path.exists():
        number += 1
        path = first.with_name(f"{first.name}-{number}")
    return path


@contextmanager
def locked(target: Path) -> Iterator[None]:
    """Hold the folder of backups alone. The lock ends with the process. Raises `BackupFault` if another holds it."""
    with (target / ".lock").open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise BackupFault(f"Another backup is writing to {target}. Run this again when it has ended.") from error
        yield


def keys_known_damaged(target: Path) -> set[str]:
    """Return the keys of blobs that a proof found damaged, and that the next backup must therefore copy, not link."""
    with suppress(OSError, ValueError):
        return set(json.loads((target / DAMAGED).read_text()))
    return set()


def note_damaged(target: Path, keys: set[str]) -> None:
    if keys:
        write_durably(target / DAMAGED, json.dumps(sorted(keys)).encode())
    else:
        (target / DAMAGED).unlink(missing_ok=True)


def rules_from(text: str) -> list[tuple[str, int]]:
    """Return `7d,4w,12m` as pairs of unit and number. Raises ValueError."""
    rules = []
    for part in text.split(","):
        number, unit = part.strip()[:-1], part.strip()[-1:]
        if unit not in UNITS or not (number.isascii() and number.isdecimal() and 0 < int(number) < 10_000):
            raise ValueError(f"{part!r}: expected numbers with d, w, m or y (days, weeks, months, years): 7d,4w,12m.")
        rules.append((unit, int(number)))
    return rules


def surplus(backups: list[Backup], rules: list[tuple[str, int]]) -> list[Backup]:
    """Return the backups that no rule keeps. `7d` keeps the newest of each of the last seven days that have one.

    The newest backup is always kept.
    """
    kept = {backups[-1].folder} if backups else set()
    for unit, number in rules:
        periods: set[str] = set()
        for backup in reversed(backups):
            period = backup.taken_at.strftime(UNITS[unit])
            if period not in periods and len(periods) < number:
                periods.add(period)
                kept.add(backup.folder)
    return [backup for backup in backups if backup.folder not in kept]


def thin(target: Path, rules: list[tuple[str, int]]) -> list[str]:
    """Remove what no rule keeps, and return the names. Bytes that a kept backup has too stay there: they are links."""
    for left in target.glob("*.removing"):  # of a run that was ended half-way
        remove_folder(left)
    removed = surplus(backups_in(target), rules)
    for backup in removed:
        remove_folder(backup.folder)
    sync_folder(target)
    return [backup.folder.name for backup in removed]
