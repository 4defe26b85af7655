import json
from argparse import ArgumentParser
from dataclasses import asdict
from typing import Any

from leasehold.actions import reconcile
from leasehold.management.site_command import SiteCommand


class Command(SiteCommand):
    help = "Write down the sessions and leases that have run out. Safe from cron, on several hosts at once."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--dry-run", action="store_true", help="print what would be done, and change nothing")
        parser.add_argument("--json", action="store_true", dest="as_json", help="print JSON")

    def handle(self, *, dry_run: bool, as_json: bool, **_: Any) -> None:
        done = reconcile.find_due() if dry_run else reconcile.reconcile()
        if as_json:
            self.stdout.write(json.dumps({"dry_run": dry_run, **asdict(done)}, indent=2))
            return
        would = "would be " if dry_run else ""
        for expiry in done.expired:
            line = f"session {expiry.session} of {expiry.worker}: {would}expired, ticket {expiry.ticket} blocked"
            self.stdout.write(line)
        for lapse in done.lapsed:
            line = f"{lapse.resource} of {lapse.participant}: lapse at {lapse.expired_at} {would}written down"
            self.stdout.write(line)
        sessions, lapses = len(done.expired), len(done.lapsed)
        self.stdout.write(f"{sessions} sessions {would}expired, {lapses} lapses {would}written down.")
