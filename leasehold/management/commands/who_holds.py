import json
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from leasehold import leases
from leasehold.api.representations import lease_row, plain

COLUMNS = ("resource", "participant", "until", "purpose")


class Command(BaseCommand):
    help = "Who holds what, right now: every lease, those that have lapsed marked. With RESOURCE only that one."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("resource", nargs="?", help="For example artifact:12.")
        parser.add_argument("--json", action="store_true")

    def handle(self, resource: str | None, json: bool, **_: Any) -> None:
        held = leases.all_held()
        if resource:
            held = held.filter(resource=resource)
        found = [leases.as_held(row) for row in held.order_by("resource")]
        if json:
            self.stdout.write(_as_json(found))
        elif found:
            self.stdout.write(_as_table(found))
        else:
            self.stdout.write("Nobody holds anything." if not resource else f"Nobody holds {resource}.")


def _as_json(found: list[leases.HeldLease]) -> str:
    return json.dumps([plain(lease_row(lease)) for lease in found], indent=2, ensure_ascii=False)


def _as_table(found: list[leases.HeldLease]) -> str:
    rows = [COLUMNS, *((lease.resource, lease.participant, _until(lease), lease.purpose) for lease in found)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(COLUMNS))]
    return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in rows)


def _until(lease: leases.HeldLease) -> str:
    if lease.expires_at is None:
        return "never"
    return f"{lease.expires_at:%Y-%m-%d %H:%M:%S}Z" + (" lapsed" if lease.is_lapsed else "")
