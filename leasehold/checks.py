"""What must be true of the database before leases may rest on it; `serve` refuses to start otherwise."""

from typing import Any

from django.core.checks import CheckMessage, Error, Tags, Warning, register
from django.db import connections


@register(Tags.database)
def postgresql_keeps_its_word(databases: list[str] | None, **_: Any) -> list[CheckMessage]:
    """A commit must be on disk when it is answered, and statements must see what others committed before them."""
    found: list[CheckMessage] = []
    for alias in databases or []:
        connection = connections[alias]
        if connection.vendor != "postgresql":
            continue
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT current_setting('synchronous_commit'), current_setting('default_transaction_isolation')"
            )
            synchronous, isolation = cursor.fetchone()
        if isolation != "read committed":
            found.append(Error(f"The isolation level is {isolation}; leases need read committed.", id="leasehold.E001"))
        if synchronous == "off":
            found.append(
                Warning(
                    "synchronous_commit is off: a crash can undo a check-in that was answered.", id="leasehold.W001"
                )
            )
    return found
