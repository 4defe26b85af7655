import json
from argparse import ArgumentParser
from dataclasses import asdict
from typing import Any

from django.core.management.base import BaseCommand

from leasehold.actions import reconcile


class Command(BaseCommand):
    help = "Write down the leases that have run out. Safe from cron, on several hosts at once; nothing depends on it."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--dry-run", action="store_true", help="print what would be written down, and change nothing"
        )
        parser.add_argument("--json", action="store_true", help="print JSON")

    def handle(self, *, dry_run: bool, json: bool, **_: Any) -> None:
        lapses = reconcile.lapsed() if dry_run else reconcile.reconcile()
        if json:
            self.stdout.write(as_json({"dry_run": dry_run, "lapsed": [asdict(lapse) for lapse in lapses]}))
            return
        for lapse in lapses:
            self.stdout.write(f"{lapse.resource}  {lapse.participant}  ran out at {lapse.expired_at}")
        said = "would be written down" if dry_run else "written down"
        self.stdout.write(f"{len(lapses)} lapsed {'lease' if len(lapses) == 1 else 'leases'} {said}.")


def as_json(value: object) -> str:
    return json.dumps(value, indent=2)
