"""A snapshot of the database: one read transaction on a connection of its own, which blocks no writer."""

from collections.abc import Iterator
from contextlib import contextmanager
from copy import deepcopy

from django.db import connection, connections, transaction
from django.db.utils import load_backend

ALIAS = "snapshot"


@contextmanager
def snapshot() -> Iterator[str]:
    """Yield the alias of a connection whose queries all see the database as it was when the block began.

    PostgreSQL: REPEATABLE READ, READ ONLY. SQLite: a deferred transaction, which in WAL mode reads beside the writer.
    """
    settings = deepcopy(connection.settings_dict)
    if connection.vendor == "sqlite":
        settings["OPTIONS"] |= {"transaction_mode": "DEFERRED", "init_command": "PRAGMA query_only=ON;"}
    connections[ALIAS] = load_backend(settings["ENGINE"]).DatabaseWrapper(settings, ALIAS)
    try:
        with transaction.atomic(using=ALIAS), connections[ALIAS].cursor() as cursor:
            if connection.vendor == "postgresql":
                cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
            cursor.execute("SELECT count(*) FROM django_migrations")  # the first read fixes what is seen
            yield ALIAS
    finally:
        connections[ALIAS].close()
        del connections[ALIAS]
