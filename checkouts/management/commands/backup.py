import json
import sys
from argparse import ArgumentParser, ArgumentTypeError
from dataclasses import asdict
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from checkouts.backups.creation import make_backup
from checkouts.backups.folders import locked, rules_from, thin
from checkouts.backups.manifest import BackupFault
from checkouts.backups.proof import prove
from leasehold.management.progress import Progress
from leasehold.management.site_command import SiteCommand


class Command(SiteCommand):
    help = (
        "Back up the whole site, while people work: the database in one snapshot first, then the bytes. Bytes that the "
        "newest backup has are not copied again. After a crash the next run goes on. Exit code 1 if bytes are lacking."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("target", type=Path, help="the folder of backups; each becomes a folder in it")
        parser.add_argument("--verify", action="store_true", help="make no backup; read back those that are there")
        parser.add_argument(
            "--keep", type=rules, metavar="7d,4w,12m", help="then keep the newest of so many days, weeks, months, years"
        )
        parser.add_argument("--without-key", action="store_true", help="leave out the secret key")
        parser.add_argument("--json", action="store_true", dest="as_json", help="print JSON")

    def handle(self, target: Path, *, verify: bool, **options: Any) -> None:
        try:
            self.prove(target, **options) if verify else self.make(target, **options)
        except (BackupFault, OSError) as error:
            raise CommandError(str(error)) from error

    def prove(self, target: Path, *, as_json: bool, **_: Any) -> None:
        with Progress(0) as bar:
            found = prove(target, start=bar.begin, step=lambda name, size: bar.step(name, by=size))
        if as_json:
            self.stdout.write(json.dumps({"is_whole": found.is_whole, **asdict(found)}, indent=2, ensure_ascii=False))
        else:
            for fault in found.faults:
                self.stdout.write(fault)
            counts = f"{found.backups} backups with {found.blobs} blobs, {found.size} bytes read"
            self.stdout.write(f"{counts}: {len(found.faults)} faults.")
        if not found.is_whole:
            sys.exit(1)

    def make(
        self, target: Path, *, keep: list[tuple[str, int]] | None, without_key: bool, as_json: bool, **_: Any
    ) -> None:
        with Progress(0) as bar:
            made = make_backup(
                target, with_key=not without_key, start=bar.begin, step=lambda name, size: bar.step(name, by=size)
            )
        removed = []
        if keep and not made.lacking:
            with locked(target):
                removed = thin(target, keep)
        if as_json:
            values = {"is_whole": not made.lacking, **asdict(made), "removed": removed}
            self.stdout.write(json.dumps(values, indent=2, ensure_ascii=False))
        else:
            for blob in made.lacking:
                self.stdout.write(f"{blob.key}: {blob.what}")
            for name in removed:
                self.stdout.write(f"{name} removed")
            self.stdout.write(
                f"{made.folder}: {made.rows} rows and {made.blobs} blobs, of which {made.copied} copied "
                f"({made.copied_size} bytes) and {made.linked} linked; {len(made.lacking)} lacking."
            )
        if made.lacking:
            sys.exit(1)


def rules(text: str) -> list[tuple[str, int]]:
    try:
        return rules_from(text)
    except ValueError as error:
        raise ArgumentTypeError(str(error)) from error
