"""Many rows in one statement: a list as one parameter, and new rows that the database makes of other rows."""

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from django.core.exceptions import EmptyResultSet
from django.db import connection
from django.db.models import BigIntegerField, Expression, Model, QuerySet, TextField


class Listed(Expression):
    """Ids or texts as a set of rows, for `__in`: one parameter, however many they are. Raw SQL has `sql`, `params`."""

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
            raise EmptyResultSet  # as an empty list in an `__in`: no statement is needed
        return f"({self.sql})", self.params


def table(name: str, types: Mapping[str, str], rows: Sequence[Mapping[str, Any]]) -> tuple[str, str]:
    """Rows as a table of this name, whose columns have these types: the SQL, and its one parameter."""
    if connection.vendor == "postgresql":
        columns = ", ".join(f"{column} {kind}" for column, kind in types.items())
        sql = f"json_to_recordset(%s::json) AS {name} ({columns})"
    else:
        columns = ", ".join(f"json_extract(value, '$.{column}') AS {column}" for column in types)
        sql = f"(SELECT {columns} FROM json_each(%s)) AS {name}"
    return sql, json.dumps(rows, default=_time)


def insert(model: type[Model], rows: Sequence[Mapping[str, Any]]) -> None:
    """New rows of `model`, in their order: each names its columns, with values that JSON knows, or times."""
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
    """One new row of `model` for each of `rows`, in their order; each column is an expression over them."""
    names = ", ".join(str(model._meta.get_field(name).column) for name in columns)
    chosen, params = rows.values_list(*columns.values()).query.sql_with_params()
    with connection.cursor() as cursor:
        cursor.execute(f"INSERT INTO {model._meta.db_table} ({names}) {chosen}", params)


def _time(value: object) -> str:
    """As a column of times reads it."""
    if not isinstance(value, datetime):
        raise TypeError(f"neither JSON nor a time: {value!r}")
    return str(connection.ops.adapt_datetimefield_value(value))
