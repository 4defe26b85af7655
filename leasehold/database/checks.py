"""What must be true of the database before leases may rest on it; `serve` refuses to start otherwise."""

from collections.abc import Sequence
from typing import Any

from django.core import checks
from django.db import connections


@checks.register(checks.Tags.database)
def postgresql_keeps_its_word(*, databases: Sequence[str] | None = None, **_: Any) -> list[checks.CheckMessage]:
    """A commit must be on disk when it is answered, and statements must see what others committed before them."""
    found: list[checks.CheckMessage] = []
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
            found.append(
                checks.Error(f"The isolation level is {isolation}; leases need read committed.", id="leasehold.E001")
            )
        if synchronous == "off":
            found.append(
                checks.Warning(
                    "synchronous_commit is off: a crash can undo a check-in that was answered.", id="leasehold.W001"
                )
            )
    return found
