"""What the other tests rely on: the clock moves, the journal's triggers hold, and SQLite runs as in production."""

import pytest
from django.db import DatabaseError, connection, transaction

from leasehold import journal
from leasehold.database import clock as leasehold_clock
from leasehold.models import Entry


def write_an_entry() -> Entry:
    return journal.write("project_created", at=leasehold_clock.now(), subject="project:1")


def test_the_clock_moves_in_sql_and_in_python(db, clock):
    before = clock.now()
    clock.forward(hours=9)
    assert 9 * 3600 <= (clock.now() - before).total_seconds() < 9 * 3600 + 60
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {leasehold_clock.sql(60)}")
        later = leasehold_clock.as_utc(cursor.fetchone()[0])
    assert 50 < (later - clock.now()).total_seconds() <= 60


@pytest.mark.django_db
@pytest.mark.parametrize("change", ["UPDATE leasehold_entry SET kind = 'x'", "DELETE FROM leasehold_entry"])
def test_the_journal_refuses_changes(change: str):
    write_an_entry()
    with pytest.raises(DatabaseError, match="append-only"), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(change)


@pytest.mark.races
@pytest.mark.parametrize("once_more", [False, True])
def test_after_a_flush_the_tables_are_empty_and_the_triggers_are_back(once_more: bool):
    assert Entry.objects.count() == 0
    write_an_entry()
    with pytest.raises(DatabaseError, match="append-only"), transaction.atomic():
        Entry.objects.all().delete()


def test_sqlite_runs_with_the_pragmas_of_production(db):
    if connection.vendor != "sqlite":
        pytest.skip("about SQLite")
    with connection.cursor() as cursor:
        pragmas = {
            name: cursor.execute(f"PRAGMA {name}").fetchone()[0]
            for name in ("journal_mode", "foreign_keys", "synchronous")
        }
    assert pragmas == {"journal_mode": "wal", "foreign_keys": 1, "synchronous": 2}


def test_the_people_have_their_roles(alice, bob, vera, olga, planner, mallory, admin, art):
    roles = dict(art.memberships.values_list("user__username", "role"))
    assert roles == {"alice": "editor", "bob": "editor", "vera": "viewer", "olga": "operator", "planner": "editor"}
    assert planner.is_agent
    assert not planner.has_usable_password()
    assert admin.is_superuser
