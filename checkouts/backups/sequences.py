"""The last id that each table gave out. A restored database goes on from there, so that no id is given out twice."""

from collections.abc import Iterable
from typing import Any

from django.db import connection, connections
from django.db.models import AutoField, BigAutoField, Max, SmallAutoField

from checkouts.backups.tables import Table

COUNTING = (AutoField, BigAutoField, SmallAutoField)


def read_sequences(tables: Iterable[Table], using: str) -> dict[str, int]:
    """Return `app.model` → the last id that the table gave out, also if its row is gone. Other tables are left out."""
    return {
        table._meta.label_lower: last
        for table in tables
        if isinstance(table._meta.pk, COUNTING)
        if (last := last_id(table, using))
    }


def last_id(table: Table, using: str) -> int:
    last: int
    with connections[using].cursor() as cursor:
        if connections[using].vendor == "sqlite":
            cursor.execute("SELECT seq FROM sqlite_sequence WHERE name = %s", [table._meta.db_table])
            found = cursor.fetchone()
            return found[0] if found else 0
        cursor.execute(f"SELECT last_value, is_called FROM {sequence_of(cursor, table)}")  # noqa: S608
        last, is_called = cursor.fetchone()
        return last if is_called else 0


def set_sequences(tables: Iterable[Table], last_ids: dict[str, int]) -> None:
    """Let each table go on after its highest id, or after the last id that it gave out, whichever is higher."""
    for table in tables:
        if not isinstance(table._meta.pk, COUNTING):
            continue
        highest = table._base_manager.aggregate(highest=Max("pk"))["highest"] or 0
        last = max(highest, last_ids.get(table._meta.label_lower, 0))
        with connection.cursor() as cursor:
            if connection.vendor == "sqlite":
                cursor.execute("DELETE FROM sqlite_sequence WHERE name = %s", [table._meta.db_table])
                cursor.execute("INSERT INTO sqlite_sequence (name, seq) VALUES (%s, %s)", [table._meta.db_table, last])
            elif last:
                cursor.execute(f"SELECT setval('{sequence_of(cursor, table)}', %s)", [last])


def sequence_of(cursor: Any, table: Table) -> str:
    columns = [field.column for field in table._meta.concrete_fields if field.primary_key]
    cursor.execute("SELECT pg_get_serial_sequence(%s, %s)", [f'"{table._meta.db_table}"', *columns])
    name: str = cursor.fetchone()[0]
    return name
