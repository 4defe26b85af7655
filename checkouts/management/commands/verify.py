import json
import sys
from argparse import ArgumentParser
from dataclasses import asdict
from typing import Any

from django.db.models import Sum

from checkouts.bytes.verification import verify
from checkouts.models import Blob
from leasehold.management.progress import Progress
from leasehold.management.site_command import SiteCommand


class Command(SiteCommand):
    help = (
        "Read every stored byte back. Exit code 1 if anything is missing or damaged. Orphaned bytes, which no row "
        "names, are remains of uploads, and `collect` sweeps them. Many of them mean that the database was set back."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--json", action="store_true", dest="as_json", help="print JSON")

    def handle(self, *, as_json: bool, **_: Any) -> None:
        total = Blob.objects.aggregate(total=Sum("size"))["total"] or 0
        with Progress(total) as bar:
            found = verify(lambda size: bar.step(by=size))
        if as_json:
            self.stdout.write(json.dumps({"is_whole": found.is_whole, **asdict(found)}, indent=2, ensure_ascii=False))
        else:
            for fault in found.missing + found.damaged:
                self.stdout.write(f"{fault.key}: {fault.what} ({', '.join(fault.used_by) or 'unused'})")
            for key in found.orphaned:
                self.stdout.write(f"{key}: orphaned")
            self.stdout.write(
                f"{found.blobs} blobs, {found.size} bytes read: {len(found.missing)} missing, {len(found.damaged)} "
                f"damaged, {len(found.orphaned)} orphaned."
            )
        if not found.is_whole:
            sys.exit(1)
