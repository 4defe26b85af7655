import uuid
from typing import Any

from django.db import connections, models
from django.db.models import Q


class Site(models.Model):
    """The identity of this installation: one row, which the same identity in each store of bytes must match.

    It is created when the database is migrated, and adopted when a store first carries the same identity.
    """

    ONLY = 1  # the primary key of the one row

    id = models.PositiveSmallIntegerField(primary_key=True, default=ONLY)
    identity = models.UUIDField(default=uuid.uuid4)
    epoch = models.PositiveIntegerField(default=1, help_text="Raised whenever the database was set back.")
    adopted_at = models.DateTimeField(null=True, help_text="When the stored bytes were first tied to this database.")

    class Meta:
        constraints = [models.CheckConstraint(condition=Q(id=1), name="site_is_one_row")]

    def __str__(self) -> str:
        return f"site {self.identity}, epoch {self.epoch}"


def found_site(using: str = "default", **_: Any) -> None:
    """Create the row if it is missing. This runs after every migrate, and after a test has emptied the tables."""
    connection = connections[using]
    if Site._meta.db_table in connection.introspection.table_names():
        Site.objects.using(using).get_or_create(pk=Site.ONLY)
