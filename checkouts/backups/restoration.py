"""The filling of an empty site from a backup: the bytes first, then all rows in one transaction.

Bytes first, so that no row ever names bytes that are not there. A file in the data folder says that a restore is under
way, so that a run after a crash goes on with the same backup.
"""

import hashlib
import json
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import groupby, islice, repeat
from pathlib import Path

from django.apps import apps
from django.apps.registry import Apps
from django.conf import settings
from django.core.management import call_command
from django.db import connection, transaction
from django.db.migrations.exceptions import IrreversibleError
from django.db.migrations.executor import MigrationExecutor

from checkouts.backups.copies import copy_durably, make_folder, size_of, sync_folder, write_durably
from checkouts.backups.creation import BLOBS
from checkouts.backups.folders import Backup
from checkouts.backups.manifest import NAME, BackupFault, Manifest
from checkouts.backups.rows import digest_rows, file_of, load_rows, read_lines
from checkouts.backups.sequences import set_sequences
from checkouts.backups.tables import WHOLE, saved_tables, table_named
from checkouts.bytes.storage import stored_keys

COPIERS = 8  # threads: the disk syncs of several files overlap
UNDER_WAY = "restoring.json"
#: tables in which a migration itself puts rows; they do not make a place one that is in use
FILLED_BY_MIGRATIONS = {"leasehold.site"}

MIGRATED = ("contenttypes", "auth", "admin", *WHOLE)  #: the apps of the tables that are saved

Step = Callable[[str, int], None]


@dataclass(slots=True)
class Restored:
    """What a restore wrote. size: bytes; lacking: blobs that the backup itself did not have whole."""

    folder: str
    rows: int = 0
    blobs: int = 0
    size: int = 0
    lacking: int = 0


def restore_backup(backup: Backup, *, with_bytes: bool = True, start: Callable[[int], None], step: Step) -> Restored:
    """Fill the empty database and the empty folder of bytes. Raises `BackupFault`, OSError."""
    manifest = backup.manifest
    refuse_newer(backup)
    is_begun = begin(backup, with_bytes=with_bytes)
    done = Restored(str(backup.folder), lacking=len(manifest.lacking))
    start(manifest.size if with_bytes else 0)
    if with_bytes:
        restore_bytes(backup, done, step)
        restore_site_files(backup)
    if not (is_begun and has_rows()):
        migrate_to(manifest)
        load_all(backup)
    done.rows = sum(lines.count - 1 for lines in manifest.tables.values())
    call_command("migrate", interactive=False, verbosity=0)
    restore_key(backup.folder)
    marker_path().unlink()
    sync_folder(marker_path().parent)
    return done


def refuse_newer(backup: Backup) -> None:
    known = MigrationExecutor(connection).loader.disk_migrations
    migrations = backup.manifest.migrations
    if unknown := [f"{app}.{one}" for app in WHOLE for one in migrations.get(app, []) if (app, one) not in known]:
        names = ", ".join(unknown)
        raise BackupFault(
            f"The backup in {backup.folder} is newer than this program: it has {names}. Restore it with the program "
            "that made it, or a newer one."
        )


def begin(backup: Backup, *, with_bytes: bool) -> bool:
    """Note that this restore is under way, and return whether it already was. Raises `BackupFault` if all is not empty.

    A restore that is under way may only go on with the same backup.
    """
    digest = hashlib.sha256((backup.folder / NAME).read_bytes()).hexdigest()
    note = {"manifest": digest, "with_bytes": with_bytes}
    path = marker_path()
    if path.exists():
        if json.loads(path.read_text()) != note:
            raise BackupFault(
                f"Another restore was begun here and did not end: {path} says so. Run it again with the same backup "
                "and the same options; or empty the database and the folder of bytes, and remove that file."
            )
        return True
    if has_rows():
        raise BackupFault(
            f"The database {settings.DATABASES['default']['NAME']} is not empty. A restore wants an empty one; nothing "
            "was changed."
        )
    if with_bytes and next(stored_keys(), None):
        raise BackupFault(
            f"The folder {settings.LEASEHOLD_BLOBS} already has bytes. A restore wants an empty one; with "
            "--database-only it fills the database beside the bytes of the same site. Nothing was changed."
        )
    make_folder(path.parent)
    write_durably(path, json.dumps(note).encode())
    return False


def marker_path() -> Path:
    return Path(settings.LEASEHOLD_BLOBS).parent / UNDER_WAY


def has_rows() -> bool:
    """Return whether the database has rows of this program. It may have no tables yet, or those of another version."""
    existing = set(connection.introspection.table_names())
    for table in saved_tables(apps):
        name = table._meta.db_table
        if name in existing and table._meta.label_lower not in FILLED_BY_MIGRATIONS:
            with connection.cursor() as cursor:
                cursor.execute(f"SELECT 1 FROM {connection.ops.quote_name(name)} LIMIT 1")  # noqa: S608
                if cursor.fetchone():
                    return True
    return False


def migrate_to(manifest: Manifest) -> None:
    """Bring the tables of the empty database to the migrations that the backup was made with."""
    for app in MIGRATED:
        if names := manifest.migrations.get(app):
            try:
                call_command("migrate", app, names[-1], interactive=False, verbosity=0)
            except IrreversibleError as error:
                raise BackupFault(
                    "The tables of the empty database are newer than the backup and cannot be taken back. Use a "
                    "database without tables."
                ) from error


def point_of(manifest: Manifest) -> Apps:
    """Return the models as they were at the backup's migrations."""
    nodes = [(app, names[-1]) for app, names in manifest.migrations.items() if app in MIGRATED]
    return MigrationExecutor(connection).loader.project_state(nodes).apps


def load_all(backup: Backup) -> None:
    """Insert all rows in one transaction and compare each table with the manifest before it is committed.

    The foreign keys of both databases are checked at the commit, so the order of the tables does not matter.
    """
    lines = backup.manifest.tables
    point = point_of(backup.manifest)
    tables = [table_named(point, name) for name in lines]
    with transaction.atomic(durable=True):
        for table in tables:
            name = table._meta.label_lower
            if name in FILLED_BY_MIGRATIONS:
                table._base_manager.all().delete()
            load_rows(table, file_of(backup.folder, name), lines[name])
            if digest_rows(table, "default") != lines[name]:
                raise BackupFault(f"The rows of {name} are not as in the backup once they are loaded. All is undone.")
        set_sequences(tables, backup.manifest.sequences)


def restore_bytes(backup: Backup, done: Restored, step: Step) -> None:
    root = Path(settings.LEASEHOLD_BLOBS)
    make_folder(root)
    lacking = backup.manifest.lacking_keys
    with ThreadPoolExecutor(COPIERS) as copiers:
        lines = read_lines(backup.folder / BLOBS, backup.manifest.blobs)
        for prefix, group in groupby(lines, key=lambda line: line[0][:2]):
            into = root / prefix
            make_folder(into)
            while batch := list(islice(group, 1000)):
                saved = repeat(backup.folder / "blobs" / prefix)
                whole = [line[0] not in lacking for line in batch]
                for line, size in zip(batch, copiers.map(restore_blob, batch, saved, repeat(into), whole), strict=True):
                    done.blobs += 1
                    done.size += size
                    step(line[0], line[2])
            sync_folder(into)
    sync_folder(root)


def restore_blob(line: tuple[str, str, int], saved: Path, into: Path, is_whole: bool) -> int:
    """Copy a blob and its label and return its size. Raises `BackupFault` if the copy is not as it should be.

    Bytes that the backup lacked are copied as far as it has them.
    """
    key, digest, size = line
    for name in (key, f"{key}.label"):
        source, target = saved / name, into / name
        if (present := size_of(source)) is None or size_of(target) == present:
            continue
        copied = copy_durably(source, target)
        if name == key and is_whole and copied != digest:
            target.unlink()
            raise BackupFault(f"{source} is damaged: {copied} in place of {digest}. Restore from another backup.")
    if is_whole and size_of(into / key) != size:
        raise BackupFault(f"{saved / key} is missing or has another size than the manifest says. Use another backup.")
    return size_of(into / key) or 0


def restore_site_files(backup: Backup) -> None:
    root = Path(settings.LEASEHOLD_BLOBS)
    for source in sorted((backup.folder / "site").glob("*.json")):
        copy_durably(source, root / source.name)
    sync_folder(root)


def restore_key(folder: Path) -> None:
    """Put the secret key of the backup into the data folder, unless the environment sets one."""
    if not os.environ.get("SECRET_KEY") and (folder / "secret_key").exists():
        write_durably(Path(settings.LEASEHOLD_BLOBS).parent / "secret_key", (folder / "secret_key").read_bytes())
