"""Many rows in one statement: a list of values as one parameter, and bulk inserts."""

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from django.core.exceptions import EmptyResultSet
from django.db import connection
from django.db.models import BigIntegerField, Expression, Model, QuerySet, TextField


class ValueList(Expression):
    """Ids or texts as a sub-query for `__in`, passed as one parameter. Raw SQL uses its `sql` and `params`."""

    def __init__(self, values: Iterable[int | str]) -> None:
        given = list(values)
        self.is_empty = not given
        is_text = bool(given) and isinstance(given[0], str)
        super().__init__(output_field=TextField() if is_text else BigIntegerField())
        self.params = (json.dumps(given),)
        self.sql = "SELECT value FROM json_each(%s)"
        if connection.vendor == "postgresql":
            value = "value" if is_text else "value::bigint"
            self.sql = f"SELECT {value} FROM json_array_elements_text(%s::json)"

    def as_sql(self, *_: Any, **__: Any) -> tuple[str, tuple[str | int, ...]]:
        if self.is_empty:
            raise EmptyResultSet  # as Django does for an empty list in `__in`: no statement is sent
        return f"({self.sql})", self.params


def table(name: str, types: Mapping[str, str], rows: Sequence[Mapping[str, Any]]) -> tuple[str, str]:
    """Return the SQL and its one parameter that make `rows` a table of this name. `types`: column → SQL type."""
    if connection.vendor == "postgresql":
        columns = ", ".join(f"{column} {kind}" for column, kind in types.items())
        sql = f"json_to_recordset(%s::json) AS {name} ({columns})"
    else:
        columns = ", ".join(f"json_extract(value, '$.{column}') AS {column}" for column in types)
        sql = f"(SELECT {columns} FROM json_each(%s)) AS {name}"
    return sql, json.dumps(rows, default=_time)


def insert(model: type[Model], rows: Sequence[Mapping[str, Any]]) -> None:
    """Insert rows of `model` in their order. Each row is a dict from column to a JSON value or a datetime."""
    if not rows:
        return
    types = {
        str(field.column): str(field.db_type(connection)) for field in model._meta.fields if field.column in rows[0]
    }
    names = ", ".join(types)
    new, given = table("new", types, rows)
    with connection.cursor() as cursor:
        cursor.execute(f"INSERT INTO {model._meta.db_table} ({names}) SELECT {names} FROM {new}", [given])


def insert_from(rows: QuerySet[Any, Any], model: type[Model], **columns: Any) -> None:
    """Insert one row of `model` for each of `rows`, in their order. Each column is an expression over those rows."""
    names = ", ".join(str(model._meta.get_field(name).column) for name in columns)
    select, params = rows.values_list(*columns.values()).query.sql_with_params()
    with connection.cursor() as cursor:
        cursor.execute(f"INSERT INTO {model._meta.db_table} ({names}) {select}", params)


def _time(value: object) -> str:
    """Return a datetime as the database's column reads it. Raises `TypeError` for any other value."""
    if not isinstance(value, datetime):
        raise TypeError(f"neither JSON nor a time: {value!r}")
    return str(connection.ops.adapt_datetimefield_value(value))
