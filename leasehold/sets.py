"""Many rows in one statement: a list as one parameter, and new rows that the database makes of other rows."""

import json
from collections.abc import Iterable
from typing import Any

from django.db import connection
from django.db.models import BigIntegerField, Expression, Model, QuerySet, TextField


class Listed(Expression):
    """Ids or texts as a set of rows, for `__in`: one parameter, however many they are. Raw SQL has `sql`, `params`."""

    def __init__(self, values: Iterable[int | str]) -> None:
        given = list(values)
        is_text = bool(given) and isinstance(given[0], str)
        super().__init__(output_field=TextField() if is_text else BigIntegerField())
        self.params = (json.dumps(given),)
        self.sql = "SELECT value FROM json_each(%s)"
        if connection.vendor == "postgresql":
            value = "value" if is_text else "value::bigint"
            self.sql = f"SELECT {value} FROM json_array_elements_text(%s::json)"

    def as_sql(self, *_: Any, **__: Any) -> tuple[str, tuple[str | int, ...]]:
        return f"({self.sql})", self.params


def insert_from(rows: QuerySet[Any, Any], model: type[Model], **columns: Any) -> None:
    """One new row of `model` for each of `rows`, in their order; each column is an expression over them."""
    names = ", ".join(str(model._meta.get_field(name).column) for name in columns)
    chosen, params = rows.values_list(*columns.values()).query.sql_with_params()
    with connection.cursor() as cursor:
        cursor.execute(f"INSERT INTO {model._meta.db_table} ({names}) {chosen}", params)
