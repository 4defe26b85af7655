"""Start-up checks of PostgreSQL's settings. `serve` refuses to start if one of them fails with an error."""

from collections.abc import Sequence
from typing import Any

from django.core import checks
from django.db import connections


@checks.register(checks.Tags.database)
def postgresql_keeps_its_word(*, databases: Sequence[str] | None = None, **_: Any) -> list[checks.CheckMessage]:
    """Check that a commit is on disk when it returns, and that each statement sees what was committed before it."""
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
