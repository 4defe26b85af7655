import json
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from leasehold import clock, leases

COLUMNS = ("resource", "participant", "until", "purpose")


class Command(BaseCommand):
    help = "Who holds what, right now: every lease, those that have lapsed marked. With RESOURCE only that one."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("resource", nargs="?", help="For example artifact:12.")
        parser.add_argument("--json", action="store_true", dest="as_json")

    def handle(self, resource: str | None, as_json: bool, **_: Any) -> None:
        held = leases.all_held()
        if resource:
            held = held.filter(resource=resource)
        found = [leases.as_held(row) for row in held.order_by("resource")]
        if as_json:
            self.stdout.write(_as_json(found))
        elif found:
            self.stdout.write(_as_table(found))
        else:
            self.stdout.write("Nobody holds anything." if not resource else f"Nobody holds {resource}.")


def _as_json(found: list[leases.HeldLease]) -> str:
    rows = [{**lease.as_facts(), "is_lapsed": lease.is_lapsed} for lease in found]
    return json.dumps(rows, indent=2, ensure_ascii=False, default=clock.text)


def _as_table(found: list[leases.HeldLease]) -> str:
    rows = [COLUMNS, *((lease.resource, lease.participant, _until(lease), lease.purpose) for lease in found)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(COLUMNS))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
    )


def _until(lease: leases.HeldLease) -> str:
    if lease.expires_at is None:
        return "never"
    return f"{lease.expires_at:%Y-%m-%d %H:%M:%S}Z" + (" lapsed" if lease.is_lapsed else "")
