import json
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from leasehold import leases, selectors
from leasehold.actions.passes import Pass, expire_passes


class Command(BaseCommand):
    help = "Which role passes run, right now; those that have run out are marked. --expire writes these down as ended."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--role", default="", help="Only of this role.")
        parser.add_argument("--context", default="", help="Only on this context.")
        parser.add_argument("--expire", action="store_true", help="Those without an end are left alone.")
        parser.add_argument("--json", action="store_true", dest="as_json")

    def handle(self, role: str, context: str, expire: bool, as_json: bool, **_: Any) -> None:
        if expire:
            self.stdout.write(f"{expire_passes(actor=None)} passes had run out.")
            return
        found = [Pass(leases.as_held(row)) for row in selectors.held_passes(role, context).order_by("resource")]
        if as_json:
            self.stdout.write(json.dumps([_facts(run) for run in found], ensure_ascii=False, indent=2))
            return
        for run in found:
            self.stdout.write(_line(run))
        if not found:
            self.stdout.write("No pass runs.")


def _facts(run: Pass) -> dict[str, Any]:
    return {name: value for name, value in run.as_facts().items() if name not in ("resource", "fence")}


def _line(run: Pass) -> str:
    lease = run.lease
    until = f"until {lease.expires_at:%Y-%m-%d %H:%M:%S}Z" if lease.expires_at else "until its release"
    lapsed = ", lapsed" if lease.is_lapsed else ""
    return f"{run.role} on {run.context}: {run.pass_id} of {lease.participant}, {until}{lapsed}"
