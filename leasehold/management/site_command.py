"""The base class of the commands that touch stored bytes or the rows that name them."""

from typing import Any

from django.core.management import CommandError
from django.core.management.base import BaseCommand
from django.db import DatabaseError

from leasehold.management.startup import unknown_migrations
from leasehold.sites import identity


class SiteCommand(BaseCommand):
    """A command that refuses to work on a database and a folder of bytes that do not belong together."""

    def execute(self, *args: Any, **options: Any) -> str | None:
        demand_site()
        return super().execute(*args, **options)


def demand_site() -> None:
    """Raise `CommandError` unless the database and every store of bytes are of one site, and of this program's time."""
    try:
        problem = unknown_migrations() or identity.mismatch()
    except DatabaseError as error:
        raise CommandError(
            f"The database {identity.database_location()} cannot be used: {error}. `manage.py serve` sets it up."
        ) from error
    if problem:
        raise CommandError(problem)
