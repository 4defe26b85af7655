import json
from argparse import ArgumentParser
from dataclasses import asdict
from typing import Any

from checkouts.bytes.sweep import collect
from leasehold.management.site_command import SiteCommand


class Command(SiteCommand):
    help = (
        "Sweep what crashes and broken connections left: stored bytes without a row and temp files, older than a day; "
        "and answers kept for an Idempotency-Key, past their day. Safe from cron, beside a running server."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--dry-run", action="store_true", help="print what would be swept, and change nothing")
        parser.add_argument("--json", action="store_true", dest="as_json", help="print JSON")

    def handle(self, *, dry_run: bool, as_json: bool, **_: Any) -> None:
        found = collect(is_dry=dry_run)
        if as_json:
            self.stdout.write(json.dumps({"dry_run": dry_run, **asdict(found)}, indent=2))
            return
        for key in found.blobs:
            self.stdout.write(f"blob {key}")
        for name in found.temporary:
            self.stdout.write(f"temp file {name}")
        would = "would be " if dry_run else ""
        counts = f"{len(found.blobs)} blobs, {len(found.temporary)} temp files and {found.answers} kept answers"
        self.stdout.write(f"{counts} {would}swept; {found.freed} bytes {would}freed.")
