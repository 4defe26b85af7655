from typing import Any

from django.core.management.base import CommandError, CommandParser

from leasehold.actions.tokens import create_token
from leasehold.exceptions import Invalid
from leasehold.management.site_command import SiteCommand
from leasehold.models import Scope, User


class Command(SiteCommand):
    help = "Make a token for an account and print it, nothing else. It is shown this once."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", help="The account's name.")
        parser.add_argument("--scope", choices=Scope.values, help="By default admin for a person, write for an agent.")
        parser.add_argument("--days", type=int, default=90, help="How long it is good for (90).")
        parser.add_argument("--label", default="command line", help="What the token is for, as lists show it.")

    def handle(self, name: str, scope: str | None, days: int, label: str, **_: Any) -> None:
        try:
            user = User.objects.get_by_natural_key(name)
        except User.DoesNotExist as error:
            raise CommandError(f"There is no account {name}.") from error
        try:
            _token, text = create_token(actor=None, user=user, name=label, scope=scope, days=days)
        except Invalid as refusal:
            raise CommandError(str(refusal)) from refusal
        self.stdout.write(text)
