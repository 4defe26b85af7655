"""Counts that never run on: each stops at `COUNTED`, and all of a page take one statement."""

from typing import Any

from django.core.exceptions import EmptyResultSet
from django.db import DEFAULT_DB_ALIAS, connection
from django.db.models import QuerySet, Value

COUNTED = 100  # rows; a page then says 99+


def capped(**rows: QuerySet[Any]) -> dict[str, int]:
    """How many rows each has, counted no further than COUNTED: one statement, whatever grows."""
    pieces: list[str] = []
    values: list[Any] = []
    for counted in rows.values():
        try:
            some = counted.order_by().values(one=Value(1))[:COUNTED]
            sql, params = some.query.get_compiler(DEFAULT_DB_ALIAS).as_sql()
        except EmptyResultSet:
            sql, params = "SELECT 1 WHERE 1 = 0", ()
        pieces.append(f"(SELECT count(*) FROM ({sql}) AS counted)")  # noqa: S608 - the ORM's own SQL, values apart
        values += params
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {', '.join(pieces)}", values)
        return dict(zip(rows, cursor.fetchone(), strict=True))
