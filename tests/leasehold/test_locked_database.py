"""A SQLite database that another connection has locked for longer than an action waits."""

import gc
import sqlite3

import pytest
from django.db import connection

from leasehold.database.transactions import transactional
from leasehold.exceptions import TryAgain

pytestmark = pytest.mark.django_db(transaction=True)


def cursors() -> int:
    """The number of cursors, of any connection, that the garbage collector knows."""
    return sum(issubclass(type(one), sqlite3.Cursor) for one in gc.get_objects())  # isinstance would touch dead proxies


def test_a_given_up_action_leaves_no_open_cursor():
    if connection.vendor != "sqlite":
        pytest.skip("other threads do not close PostgreSQL's cursors")
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
