"""The database's clock, in Python, in SQL and in the ORM."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from django.db import connection
from django.utils import timezone as app_clock

from leasehold import leases
from leasehold.database import clock
from leasehold.database.clock import DatabaseNow, IsoText
from leasehold.exceptions import Busy
from leasehold.models import User

pytestmark = pytest.mark.django_db


def select(expression: str) -> datetime:
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {expression}")
        return clock.as_utc(cursor.fetchone()[0])


def test_now_is_aware_in_utc_and_moves_on_inside_a_transaction():
    first = clock.now()
    assert first.tzinfo is UTC
    assert abs(first - datetime.now(UTC)) < timedelta(seconds=5)
    with connection.cursor() as cursor:  # work, until the clock has moved: a transaction's start would never
        for _ in range(100_000):
            cursor.execute("SELECT 1")
            if (later := clock.now()) > first:
                break
    assert later > first


@pytest.mark.parametrize("seconds", [1, 45, 3600, -1, -3600, 30 * 24 * 3600])
def test_the_database_adds_seconds_to_its_time(seconds):
    before, then, after = clock.now(), select(clock.sql(seconds)), clock.now()
    assert before <= then - timedelta(seconds=seconds) <= after


@pytest.mark.parametrize("seconds", [0, 60, -60])
def test_the_orm_and_raw_sql_use_the_same_now(alice: User, seconds):
    before = clock.now()
    then = User.objects.annotate(then=DatabaseNow(seconds)).get(pk=alice.pk).then
    assert before <= then - timedelta(seconds=seconds) <= clock.now()


@pytest.mark.parametrize("micros", [0, 1, 120, 500_000, 999_999])
def test_iso_text_is_what_python_writes(alice: User, micros):
    User.objects.update(date_joined=datetime(2026, 3, 29, 23, 59, 1, micros, tzinfo=timezone(timedelta(hours=2))))
    found = User.objects.annotate(spelled=IsoText("date_joined")).get(pk=alice.pk)
    assert found.spelled == found.date_joined.isoformat()


def test_times_as_text_are_ordered_as_times():
    """SQLite keeps times as text; Django writes six decimals and SQLite's own functions three."""
    if connection.vendor != "sqlite":
        assert clock.sql() == "clock_timestamp()"
        return
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {clock.sql()}, {clock.sql(60)}")
        texts = cursor.fetchone()
    assert [len(text) for text in texts] == [len("2026-11-01 08:45:00.123000")] * 2


@pytest.mark.parametrize(
    "value",
    [
        "2026-11-01 08:45:00.250000",
        "2026-11-01T08:45:00.250000+00:00",
        "2026-11-01 03:45:00.250000-05:00",
        datetime(2026, 11, 1, 8, 45, 0, 250_000),
        datetime(2026, 11, 1, 9, 45, 0, 250_000, tzinfo=timezone(timedelta(hours=1))),
    ],
    ids=str,
)
def test_as_utc_reads_the_times_of_both_databases(value):
    moment = clock.as_utc(value)
    assert (moment, moment.tzinfo) == (datetime(2026, 11, 1, 8, 45, 0, 250_000, tzinfo=UTC), UTC)


@pytest.mark.parametrize("value", [None, "soon", ""])
def test_as_utc_refuses_what_is_no_time(value):
    with pytest.raises(ValueError, match="no time"):
        clock.as_utc(value)


@pytest.mark.parametrize("minutes", [10, -10])
def test_a_wrong_clock_of_the_app_server_changes_no_lease(monkeypatch, minutes):
    """Only the database's clock counts."""
    wrong = datetime.now(UTC) + timedelta(minutes=minutes)
    monkeypatch.setattr(app_clock, "now", lambda: wrong)
    lease = leases.acquire_one("artifact:1", holder="checkout:1:user:alice", participant="user:alice", ttl=300)
    assert abs(lease.acquired_at - wrong) > timedelta(minutes=9)
    assert lease.expires_in == 300
    with pytest.raises(Busy):
        leases.acquire_one("artifact:1", holder="checkout:2:user:bob", participant="user:bob", ttl=300)


def test_the_clock_moves_for_every_thread(request):
    before = clock.now()
    request.getfixturevalue("clock").forward(hours=9)
    assert clock.now() - before >= timedelta(hours=9)
    assert select(clock.sql(60)) - before >= timedelta(hours=9, seconds=60)
