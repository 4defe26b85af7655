"""The database's clock, the only one that decides about leases, so that two hosts cannot disagree.

PostgreSQL's `clock_timestamp()` moves on within a transaction. Django's `Now()` is the start of the statement: a caller
that waited for a lock would judge by an old time. Tests replace this module's `sql`, so they need not sleep.
"""

from datetime import UTC, datetime
from typing import Any

from django.db import connection
from django.db.models import DateTimeField, Func, TextField
from django.utils.dateparse import parse_datetime


def sql(seconds: int = 0) -> str:
    """Return the SQL for now, or for `seconds` whole seconds from now. `seconds` must be validated before."""
    if connection.vendor == "postgresql":
        return f"(clock_timestamp() + make_interval(secs => {int(seconds)}))" if seconds else "clock_timestamp()"
    # Django writes six decimals, SQLite gives three. Padded to six, the texts are ordered as the times are.
    return f"(strftime('%Y-%m-%d %H:%M:%f', 'now', '{int(seconds):+d} seconds') || '000')"


def after(expression: str, seconds: int) -> str:
    """Return the SQL for `seconds` after the time of an SQL expression."""
    if connection.vendor == "postgresql":
        return f"({expression} + make_interval(secs => {int(seconds)}))"
    return f"(strftime('%Y-%m-%d %H:%M:%f', {expression}, '{int(seconds):+d} seconds') || '000')"


def now() -> datetime:
    """Return the database's time, aware, in UTC. An action reads it after the locks on what it judges."""
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {sql()}")
        return as_utc(cursor.fetchone()[0])


def as_utc(value: Any) -> datetime:
    """Return a database's time (an aware datetime, or SQLite's text in UTC) as an aware datetime in UTC."""
    if isinstance(value, str):
        value = parse_datetime(value)
    if value is None:
        raise ValueError("the database gave no time")
    return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


def as_iso(at: datetime | None) -> str | None:
    """Return a time as the API and the commands show it: ISO 8601 in UTC with `Z`; None stays None.

    Microseconds stay, so that a client can send back exactly the time that it has read.
    """
    return None if at is None else at.astimezone(UTC).isoformat().removesuffix("+00:00") + "Z"


class DatabaseNow(Func):
    """Now, or `seconds` from now, for filters and annotations of the ORM: the same expression as `sql()`."""

    output_field = DateTimeField()

    def __init__(self, seconds: int = 0) -> None:
        super().__init__()
        self.seconds = seconds

    def as_sql(self, *_: Any, **__: Any) -> tuple[str, tuple[str | int, ...]]:
        return sql(self.seconds).replace("%", "%%"), ()


class StatementNow(DatabaseNow):
    """The time when a statement began: one value, so that the database can search an index by it.

    Use it only to find what has lapsed. `clock_timestamp()` differs from row to row, so PostgreSQL would read every
    lease. But a statement that has waited for a lock must not conclude from this time that something is still live.
    """

    def as_sql(self, *args: Any, **options: Any) -> tuple[str, tuple[str | int, ...]]:
        sql, params = super().as_sql(*args, **options)
        return f"(SELECT {sql})", params


class IsoText(Func):
    """A column's time as Python's `isoformat()` writes it, for texts that the database composes."""

    output_field = TextField()

    def as_sqlite(self, compiler: Any, connection: Any, **_: Any) -> tuple[str, Any]:
        spelled = "replace(replace(%(expressions)s, ' ', 'T'), '.000000', '') || '+00:00'"
        return self.as_sql(compiler, connection, template=f"({spelled})")

    def as_postgresql(self, compiler: Any, connection: Any, **_: Any) -> tuple[str, Any]:
        spelled = """to_char(%(expressions)s AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US')"""
        return self.as_sql(compiler, connection, template=f"(replace({spelled}, '.000000', '') || '+00:00')")
