from argparse import ArgumentParser
from typing import Any

from django.core.management import CommandError
from django.core.management.base import BaseCommand
from django.db import DatabaseError

from leasehold.sites import identity
from leasehold.sites.stores import stores


class Command(BaseCommand):
    help = (
        "Tie the folder of bytes to the database, though they do not seem to belong together. Without --yes it only "
        "says what it would tie."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--yes", action="store_true", help="tie them")

    def handle(self, *, yes: bool, **_: Any) -> None:
        try:
            for store in stores():
                self.stdout.write(identity.mismatch_with(store) or f"{store.location} belongs to this database.")
                if yes:
                    identity.adopt(store)
                    self.stdout.write(f"{store.location} is now tied to {identity.database_location()}.")
        except (DatabaseError, OSError) as error:
            raise CommandError(f"Nothing was tied: {error}") from error
