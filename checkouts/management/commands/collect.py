import json
from argparse import ArgumentParser
from dataclasses import asdict
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError

from checkouts.bytes.sweep import TooManyToSweep, collect
from leasehold.management.site_command import SiteCommand
from leasehold.sites.identity import database_location


class Command(SiteCommand):
    help = (
        "Sweep what crashes and broken connections left: stored bytes without a row are moved to swept/ and removed a "
        "month later; temp files, and answers kept for an Idempotency-Key past their day, are removed. Nothing younger "
        "than a day is touched. Safe from cron, beside a running server."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--dry-run", action="store_true", help="print what would be swept, and change nothing")
        parser.add_argument("--json", action="store_true", dest="as_json", help="print JSON")
        parser.add_argument("--yes", action="store_true", help="sweep even more than a tenth of what is stored")
        parser.add_argument("--empty-swept", action="store_true", help="remove at once what was swept before")

    def handle(self, *, dry_run: bool, as_json: bool, yes: bool, empty_swept: bool, **_: Any) -> None:
        try:
            found = collect(is_dry=dry_run, takes_many=yes, empties_swept=empty_swept)
        except TooManyToSweep as refusal:
            raise CommandError(
                f"Nothing was swept: of {refusal.stored} files in {settings.LEASEHOLD_BLOBS}, the database "
                f"{database_location()} has no row for {refusal.without_row}. Was it restored from an older backup? "
                "`manage.py collect --dry-run` lists them; with --yes they are swept."
            ) from refusal
        except OSError as error:
            raise CommandError(f"The sweep ended early, because a folder or file cannot be read: {error}") from error
        if as_json:
            self.stdout.write(json.dumps({"dry_run": dry_run, **asdict(found)}, indent=2))
            return
        for key in found.blobs:
            self.stdout.write(f"blob {key}")
        for name in found.temporary:
            self.stdout.write(f"temp file {name}")
        for name in found.emptied:
            self.stdout.write(f"swept on {name}")
        would = "would be " if dry_run else ""
        counts = f"{len(found.blobs)} blobs, {len(found.temporary)} temp files and {found.answers} kept answers"
        self.stdout.write(f"{counts} {would}swept; {found.moved} bytes {would}moved aside, {found.freed} {would}freed.")
