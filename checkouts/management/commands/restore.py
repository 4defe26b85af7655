import json
from argparse import ArgumentParser
from dataclasses import asdict
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from checkouts.backups.folders import backup_at
from checkouts.backups.manifest import BackupFault
from checkouts.backups.restoration import restore_backup
from leasehold.management.progress import Progress


class Command(BaseCommand):
    help = (
        "Fill an empty site from a backup: an empty database of either kind, and an empty folder of bytes. After a "
        "crash, run it again with the same backup, and it goes on."
    )
    requires_system_checks = ()  # there may be no tables yet

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("source", type=Path, help="a backup, or a folder of backups: its newest")
        parser.add_argument(
            "--database-only", action="store_true", help="fill an empty database beside the bytes of the same site"
        )
        parser.add_argument("--json", action="store_true", dest="as_json", help="print JSON")

    def handle(self, source: Path, *, database_only: bool, as_json: bool, **_: Any) -> None:
        try:
            backup = backup_at(source)
            with Progress(0) as bar:
                done = restore_backup(
                    backup,
                    with_bytes=not database_only,
                    start=bar.begin,
                    step=lambda name, size: bar.step(name, by=size),
                )
        except (BackupFault, OSError) as error:
            raise CommandError(str(error)) from error
        if as_json:
            self.stdout.write(json.dumps(asdict(done), indent=2, ensure_ascii=False))
            return
        self.stdout.write(f"{done.folder} is restored: {done.rows} rows, {done.blobs} blobs, {done.size} bytes.")
        if done.lacking:
            self.stdout.write(f"{done.lacking} blobs were lacking in the backup already; its manifest names them.")
