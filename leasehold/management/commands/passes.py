import json
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from leasehold import leases, selectors
from leasehold.actions.passes import expire_passes
from leasehold.database import clock
from leasehold.pass_names import pass_id_of, role_and_context


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
        held = [leases.as_held(row) for row in selectors.held_passes(role, context).order_by("resource")]
        if as_json:
            self.stdout.write(json.dumps([_facts(lease) for lease in held], ensure_ascii=False, indent=2))
            return
        for lease in held:
            self.stdout.write(_line(lease))
        if not held:
            self.stdout.write("No pass runs.")


def _facts(lease: leases.HeldLease) -> dict[str, Any]:
    role, context = role_and_context(lease.resource)
    return {
        "role": role,
        "context": context,
        "pass_id": pass_id_of(lease.holder),
        "participant": lease.participant,
        "acquired_at": clock.as_iso(lease.acquired_at),
        "expires_at": clock.as_iso(lease.expires_at),
        "expires_in": lease.expires_in,
        "is_lapsed": lease.is_lapsed,
    }


def _line(lease: leases.HeldLease) -> str:
    role, context = role_and_context(lease.resource)
    until = f"until {lease.expires_at:%Y-%m-%d %H:%M:%S}Z" if lease.expires_at else "until its release"
    lapsed = ", lapsed" if lease.is_lapsed else ""
    return f"{role} on {context}: {pass_id_of(lease.holder)} of {lease.participant}, {until}{lapsed}"
