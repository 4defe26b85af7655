"""The one clock: the database's own, so that no two hosts can disagree about a lease.

`clock_timestamp()` on PostgreSQL moves on within a transaction; Django's `Now()` is the statement's start, by which a
caller that waited for a lock would judge with an old time. Tests move this module's `sql`, and nothing sleeps.
"""

from datetime import UTC, datetime
from typing import Any

from django.db import connection
from django.db.models import DateTimeField, Func, TextField
from django.utils.dateparse import parse_datetime


def sql(seconds: int = 0) -> str:
    """The SQL expression for now, or for so many whole seconds from now. `seconds` must be validated before."""
    if connection.vendor == "postgresql":
        return f"(clock_timestamp() + make_interval(secs => {int(seconds)}))" if seconds else "clock_timestamp()"
    # Django writes six decimals; SQLite gives three. Padded, the texts compare as the times do.
    return f"(strftime('%Y-%m-%d %H:%M:%f', 'now', '{int(seconds):+d} seconds') || '000')"


def after(expression: str, seconds: int) -> str:
    """The SQL for so many seconds after a time that an SQL expression names."""
    if connection.vendor == "postgresql":
        return f"({expression} + make_interval(secs => {int(seconds)}))"
    return f"(strftime('%Y-%m-%d %H:%M:%f', {expression}, '{int(seconds):+d} seconds') || '000')"


def now() -> datetime:
    """The database's time, aware, in UTC. An action reads it once, after its locks."""
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {sql()}")
        return moment(cursor.fetchone()[0])


def moment(value: Any) -> datetime:
    """A time as either database returns it (aware datetime, or SQLite's text in UTC) as an aware UTC datetime."""
    if isinstance(value, str):
        value = parse_datetime(value)
    if value is None:
        raise ValueError("the database gave no time")
    return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


def text(at: datetime | None) -> str | None:
    """A time as every door shows it: UTC with `Z`; microseconds kept, so that what was read can be asked for again."""
    return None if at is None else at.astimezone(UTC).isoformat().removesuffix("+00:00") + "Z"


class DatabaseNow(Func):
    """Now, or so many seconds from now, for the ORM's filters and annotations: the same expression as `sql()`."""

    output_field = DateTimeField()

    def __init__(self, seconds: int = 0) -> None:
        super().__init__()
        self.seconds = seconds

    def as_sql(self, *_: Any, **__: Any) -> tuple[str, tuple[str | int, ...]]:
        return sql(self.seconds).replace("%", "%%"), ()


class StatementNow(DatabaseNow):
    """Now as a statement finds it when it begins: one value, by which an index can be searched.

    Only for asking what has lapsed. `clock_timestamp()` is another value for each row, so PostgreSQL would look at
    every lease there is; but a statement that waits for a lock must not judge by this that something is still live.
    """

    def as_sql(self, *args: Any, **options: Any) -> tuple[str, tuple[str | int, ...]]:
        sql, params = super().as_sql(*args, **options)
        return f"(SELECT {sql})", params


class IsoText(Func):
    """A column's time as Python's `isoformat()` spells it, for text that the database itself puts together."""

    output_field = TextField()

    def as_sqlite(self, compiler: Any, connection: Any, **_: Any) -> tuple[str, Any]:
        spelled = "replace(replace(%(expressions)s, ' ', 'T'), '.000000', '') || '+00:00'"
        return self.as_sql(compiler, connection, template=f"({spelled})")

    def as_postgresql(self, compiler: Any, connection: Any, **_: Any) -> tuple[str, Any]:
        spelled = """to_char(%(expressions)s AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US')"""
        return self.as_sql(compiler, connection, template=f"(replace({spelled}, '.000000', '') || '+00:00')")
