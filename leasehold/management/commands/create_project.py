from typing import Any

from django.core.management.base import CommandError, CommandParser

from leasehold.actions.projects import create_project
from leasehold.exceptions import Invalid
from leasehold.management.site_command import SiteCommand


class Command(SiteCommand):
    help = "Make a project. It has no members yet: `set_member` makes somebody one."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug", help="1 to 50 of a–z, 0–9 and “-”. It never changes.")
        parser.add_argument("name", nargs="?", help="As people read it; by default the slug.")

    def handle(self, slug: str, name: str | None, **_: Any) -> None:
        try:
            create_project(actor=None, slug=slug, name=slug if name is None else name)
        except Invalid as refusal:
            raise CommandError(str(refusal)) from refusal
