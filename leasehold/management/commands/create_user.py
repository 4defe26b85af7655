import secrets
from typing import Any

from django.core.management.base import CommandError, CommandParser

from leasehold.actions.accounts import create_user, faults_of_password
from leasehold.exceptions import Invalid
from leasehold.management.site_command import SiteCommand
from leasehold.models import User


class Command(SiteCommand):
    help = "Make an account. Without --password a person gets a new one, printed once; an agent gets none, only tokens."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name")
        parser.add_argument("--kind", choices=User.Kind.values, default=User.Kind.PERSON)
        parser.add_argument("--password", metavar="P")
        parser.add_argument("--full-name", default="")
        parser.add_argument("--superuser", action="store_true")

    def handle(self, name: str, kind: str, password: str | None, full_name: str, superuser: bool, **_: Any) -> None:
        made_up = password is None and kind == User.Kind.PERSON
        if made_up:
            password = secrets.token_urlsafe(12)
        try:
            user = create_user(
                actor=None, username=name, kind=kind, password=password, name=full_name, is_superuser=superuser
            )
        except Invalid as refusal:
            raise CommandError(str(refusal)) from refusal
        if made_up:
            self.stdout.write(f"{user.username}: password {password}")
        elif password:
            for fault in faults_of_password(password, user):
                self.stderr.write(self.style.WARNING(f"A weak password: {fault}"))
