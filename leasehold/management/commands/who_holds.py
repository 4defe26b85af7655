import json
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db.models import Q

from leasehold import leases, names
from leasehold.database import clock
from leasehold.exceptions import Invalid

COLUMNS = ("resource", "place", "participant", "until", "purpose")
KINDS = ("artifact:", "scope:", "role:")


class Command(BaseCommand):
    help = "Who holds what, right now: every lease, those that have lapsed marked. With WHAT only what is there."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "what", nargs="?", help="A resource (artifact:12), or a file, folder or key: demo/heroes, terminal-1."
        )
        parser.add_argument("--json", action="store_true", dest="as_json")

    def handle(self, what: str | None, as_json: bool, **_: Any) -> None:
        held = leases.all_held()
        if what:
            held = held.filter(_at(what))
        found = [leases.as_held(row) for row in held.order_by("resource")]
        if as_json:
            self.stdout.write(_as_json(found))
        elif found:
            self.stdout.write(_as_table(found))
        else:
            self.stdout.write(f"Nobody holds anything{f' at {what}' if what else ''}.")
            if what and not what.startswith(KINDS):
                self.stdout.write("A file's path begins with its project's slug, as in demo/heroes/hero.psd.")


def _at(what: str) -> Q:
    """Return the condition for one resource by name, or for leases at or below a place and the keys that cover it."""
    if what.startswith(KINDS):
        return Q(resource=what)
    try:
        place = names.comparing_form(names.normalised(what))
    except Invalid as invalid:
        raise CommandError(invalid.errors[0]["detail"]) from None
    low, high = names.range_below(place)
    covering = Q(place__in=names.ancestors(place), resource__startswith="scope:")
    return Q(place=place) | Q(place__gte=low, place__lt=high) | covering


def _as_json(found: list[leases.HeldLease]) -> str:
    rows = [{**lease.as_facts(), "is_lapsed": lease.is_lapsed} for lease in found]
    return json.dumps(rows, indent=2, ensure_ascii=False, default=clock.as_iso)


def _as_table(found: list[leases.HeldLease]) -> str:
    rows = [
        COLUMNS,
        *((lease.resource, lease.place, lease.participant, _until(lease), lease.purpose) for lease in found),
    ]
    widths = [max(len(row[column]) for row in rows) for column in range(len(COLUMNS))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
    )


def _until(lease: leases.HeldLease) -> str:
    if lease.expires_at is None:
        return "until decided" if lease.kind == "ticket" else "until released"
    return f"{lease.expires_at:%Y-%m-%d %H:%M:%S}Z" + (" lapsed" if lease.is_lapsed else "")
