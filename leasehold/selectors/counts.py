"""Counts with an upper limit, so that a page never waits for a count of a whole table."""

from typing import Any

from django.core.exceptions import EmptyResultSet
from django.db import DEFAULT_DB_ALIAS, connection
from django.db.models import QuerySet, Value

COUNT_LIMIT = 100  # rows; a page shows this many as 99+


def count_rows(**rows: QuerySet[Any]) -> dict[str, int]:
    """Return the number of rows of each queryset, at most COUNT_LIMIT, by its name; one statement for all of them."""
    pieces: list[str] = []
    values: list[Any] = []
    for queryset in rows.values():
        try:
            some = queryset.order_by().values(one=Value(1))[:COUNT_LIMIT]
            sql, params = some.query.get_compiler(DEFAULT_DB_ALIAS).as_sql()
        except EmptyResultSet:
            sql, params = "SELECT 1 WHERE 1 = 0", ()
        pieces.append(f"(SELECT count(*) FROM ({sql}) AS counted)")  # noqa: S608 - the ORM's own SQL, values apart
        values += params
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {', '.join(pieces)}", values)
        return dict(zip(rows, cursor.fetchone(), strict=True))
