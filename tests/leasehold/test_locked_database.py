"""A SQLite that somebody else has locked for longer than one waits."""

import gc
import sqlite3

import pytest
from django.db import connection

from leasehold.database.transactions import transactional
from leasehold.exceptions import TryAgain

pytestmark = pytest.mark.django_db(transaction=True)


def cursors() -> int:
    """How many the garbage collector would find, of any connection."""
    return sum(issubclass(type(one), sqlite3.Cursor) for one in gc.get_objects())  # isinstance would ask dead proxies


def test_who_gives_up_leaves_no_cursor_behind_for_another_thread_to_close():
    if connection.vendor != "sqlite":
        pytest.skip("PostgreSQL's cursors are no business of other threads")
    connection.ensure_connection()
    other = sqlite3.connect(connection.settings_dict["NAME"], isolation_level=None)
    gc.collect()
    gc.disable()
    try:
        other.execute("BEGIN IMMEDIATE").close()
        connection.connection.execute("PRAGMA busy_timeout = 1").close()
        before = cursors()
        with pytest.raises(TryAgain):
            transactional(lambda: None)()
        assert cursors() == before
    finally:
        gc.enable()
        other.rollback()
        other.close()
        connection.close()
