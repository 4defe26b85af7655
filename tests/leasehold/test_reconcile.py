"""Reconcile writes down what has lapsed, and nothing depends on it."""

import json
from datetime import timedelta

import pytest
from django.core.management import call_command
from django.db import connection, transaction
from django.db.models import QuerySet
from django.test.utils import CaptureQueriesContext

from leasehold import leases, selectors
from leasehold.actions import reconcile
from leasehold.actors import Actor
from leasehold.database import clock as leasehold_clock
from leasehold.models import Entry, Failure, Lease, Project, Session, Ticket, User
from tests.scenes import put
from tests.work import reserved_by, started

pytestmark = pytest.mark.django_db


def acquire(number: int, *, ttl: int = 60, place: str = "art/hero.psd") -> leases.HeldLease:
    holder = f"checkout:{number}:user:alice"
    return leases.acquire_one(f"artifact:{number}", holder=holder, participant="user:alice", ttl=ttl, place=place)


def lapses_written() -> list[reconcile.Lapse]:
    return reconcile.reconcile().lapsed


def entries() -> list[tuple]:
    return list(Entry.objects.order_by("id").values_list("kind", "subject", "data__holder"))


def test_a_lapse_is_written_down_once(clock, art: Project):
    lease = acquire(1)
    clock.forward(seconds=61)
    [lapse] = lapses_written()
    assert (lapse.resource, lapse.holder, lapse.participant) == ("artifact:1", lease.holder, "user:alice")
    row = Lease.objects.get()
    assert (row.holder, row.participant, row.expires_at, row.fence) == ("", "", None, 1)
    entry = Entry.objects.get()
    assert (entry.kind, entry.participant, entry.project, entry.actor) == (
        "lease_lapsed",
        "system:reconcile",
        art,
        None,
    )
    assert entry.data["held_by"] == "user:alice"
    assert entry.data["expired_at"] == lease.expires_at.isoformat()
    assert lapses_written() == []
    assert Entry.objects.count() == 1


def test_a_dry_run_changes_nothing(clock):
    acquire(1)
    acquire(2)
    clock.forward(seconds=61)
    before = list(Lease.objects.values_list())
    announced = reconcile.find_due().lapsed
    assert list(Lease.objects.values_list()) == before
    assert entries() == []
    assert lapses_written() == announced
    assert len(announced) == 2


def test_live_leases_are_left_alone(clock):
    acquire(1, ttl=3600)
    acquire(2, ttl=0)
    clock.forward(seconds=3599)
    assert lapses_written() == []
    clock.forward(days=365 * 100)
    assert [lapse.resource for lapse in lapses_written()] == ["artifact:1"]
    assert [lease.resource for lease in leases.read(["artifact:1", "artifact:2"])] == ["artifact:2"]


def test_a_lease_renewed_in_time_is_not_due(clock):
    lease = acquire(1)
    clock.forward(seconds=50)
    leases.renew("artifact:1", holder=lease.holder, fence=lease.fence, ttl=60)
    clock.forward(seconds=50)
    assert lapses_written() == []


def test_a_lease_outside_any_project_is_written_down_too(clock):
    acquire(1, place="")
    acquire(2, place="terminal-1")
    clock.forward(seconds=61)
    assert len(lapses_written()) == 2
    assert list(Entry.objects.values_list("project", flat=True)) == [None, None]


def test_many_lapses_are_written_down_in_order_of_time(clock, monkeypatch):
    monkeypatch.setattr(reconcile, "BATCH", 2)
    for number in (3, 1, 2, 5, 4):
        acquire(number, ttl=60 + number)
    clock.forward(seconds=70)
    lapses_written()
    assert [subject for _, subject, _ in entries()] == [f"artifact:{number}" for number in (1, 2, 3, 4, 5)]


def test_a_lapsed_lease_that_was_acquired_again_is_not_written_down(clock):
    acquire(1)
    clock.forward(seconds=61)
    leases.acquire_one("artifact:1", holder="checkout:9:user:bob", participant="user:bob", ttl=60)
    assert lapses_written() == []
    assert leases.read(["artifact:1"])[0].participant == "user:bob"


def test_the_command_prints_text_and_json(clock, capsys):
    lease = acquire(1)
    clock.forward(seconds=61)
    call_command("reconcile", "--dry-run")
    assert "artifact:1" in capsys.readouterr().out
    assert entries() == []
    call_command("reconcile", "--json")
    report = json.loads(capsys.readouterr().out)
    assert report["dry_run"] is False
    assert [lapse["holder"] for lapse in report["lapsed"]] == [lease.holder]
    assert len(entries()) == 1
    call_command("reconcile")
    assert "artifact:1" not in capsys.readouterr().out


@pytest.fixture
def many_live_rows(art: Project, alice: User) -> None:
    """So many rows that an index pays, none of them due; PostgreSQL has statistics about them."""
    now = leasehold_clock.now()
    times = [now + timedelta(hours=1, minutes=number) for number in range(400)]
    Lease.objects.bulk_create(
        Lease(
            resource=f"artifact:{number}",
            holder=f"checkout:{number}:user:alice",
            participant="user:alice",
            fence=1,
            acquired_at=now,
            expires_at=until,
        )
        for number, until in enumerate(times)
    )
    tickets = Ticket.objects.bulk_create(
        Ticket(
            project=art,
            title="Work",
            status="IN_PROGRESS",
            state_since=now,
            created_at=now,
            created_by=alice,
            approved_by=alice,
        )
        for _ in times
    )
    Session.objects.bulk_create(
        Session(ticket=ticket, worker=alice, ttl=900, started_at=now, lease_until=until)
        for ticket, until in zip(tickets, times, strict=True)
    )
    with connection.cursor() as cursor:
        cursor.execute(f"ANALYZE {Lease._meta.db_table}")
        cursor.execute(f"ANALYZE {Session._meta.db_table}")


def plan_of(rows: QuerySet) -> str:
    """The query's plan, as if reading every row were expensive."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SET LOCAL enable_seqscan = off")
            cursor.execute("SET LOCAL enable_bitmapscan = off")
    return rows.explain()


def test_lapsed_rows_are_found_by_index(many_live_rows):
    """Every action looks for lapsed sessions first, so the look-up must not read every row."""
    lapsed = plan_of(Lease.objects.filter(leases.is_lapsed()).order_by("expires_at", "resource")[:1])
    due = plan_of(reconcile._due_sessions().values_list("pk")[:1])
    if connection.vendor == "postgresql":
        assert "Index Cond: (expires_at <=" in lapsed
        assert "Index Cond: (lease_until <=" in due
    else:
        assert "INDEX lease_due (expires_at<?)" in lapsed
        assert "INDEX session_due (lease_until<?)" in due


# --- sessions --------------------------------------------------------------------------------------------------------


def test_a_lapsed_session_expires_and_blocks_its_ticket(clock, alice, olga):
    session = started(alice, olga, "repo", "docs", ttl=60)
    clock.forward(seconds=61)
    [expiry] = reconcile.reconcile().expired
    assert (expiry.session, expiry.ticket, expiry.worker) == (session.pk, session.ticket_id, "user:alice")
    row = Session.objects.select_related("ticket").get()
    assert (row.status, row.ticket.status) == ("expired", "BLOCKED")
    assert row.ended_at == row.ticket.state_since > row.lease_until
    assert reserved_by(row.ticket) == ["docs", "repo"]
    failure = Failure.objects.get()
    assert (failure.kind, failure.session, failure.ticket) == ("lease_expired", session, row.ticket)
    assert "user:alice" in failure.detail
    [entry] = Entry.objects.filter(kind="session_expired")
    assert (entry.participant, entry.actor, entry.subject, entry.data["session"]) == (
        "system:reconcile",
        None,
        f"ticket:{session.ticket_id}",
        session.pk,
    )
    assert reconcile.reconcile() == reconcile.Reconciled()


def test_a_session_does_not_expire_before_its_time(clock, alice, olga):
    started(alice, olga, ttl=60)
    clock.forward(seconds=58)
    assert reconcile.reconcile().expired == []


def test_an_action_of_the_upper_floor_expires_sessions(clock, alice, bob, olga):
    session = started(alice, olga, ttl=60)
    clock.forward(seconds=61)
    put(bob)
    session.refresh_from_db()
    assert session.status == "expired"


def test_reading_expires_nothing(clock, alice, olga):
    session = started(alice, olga, ttl=60)
    clock.forward(seconds=61)
    found = selectors.session_for(Actor(alice), session.pk)
    assert (found.status, found.is_lapsed) == ("active", True)
    assert list(selectors.sessions_in(selectors.sessions_for(Actor(alice)), "lapsed")) == [found]
    assert list(selectors.sessions_in(selectors.sessions_for(Actor(alice)), "active")) == []


def test_a_dry_run_reports_sessions(clock, alice, olga, capsys):
    session = started(alice, olga, ttl=60)
    clock.forward(seconds=61)
    call_command("reconcile", "--dry-run", "--json")
    report = json.loads(capsys.readouterr().out)
    assert [expiry["session"] for expiry in report["expired"]] == [session.pk]
    session.refresh_from_db()
    assert session.status == "active"


def test_sessions_expire_in_batches(clock, alice, olga, monkeypatch):
    monkeypatch.setattr(reconcile, "BATCH", 2)
    running = [started(alice, olga, f"own/{number}", ttl=60) for number in range(5)]
    clock.forward(seconds=61)
    assert sorted(expiry.session for expiry in reconcile.reconcile().expired) == [one.pk for one in running]


def test_each_expiry_has_its_own_data(clock, alice, bob, olga, planner):
    """In one batch with several workers, each session's failure, journal entry and result have its own data."""
    User.objects.filter(pk=bob.pk).update(username='bo"b\\é')
    bob.refresh_from_db()
    running = [started(worker, olga, f"own/{worker.pk}", ttl=60) for worker in (planner, alice, bob)]
    Session.objects.filter(pk=running[0].pk).update(lease_until=running[0].lease_until.replace(microsecond=0))
    clock.forward(seconds=61)
    expired = reconcile.reconcile().expired
    failures = Failure.objects.order_by("session_id")
    written = Entry.objects.filter(kind="session_expired").order_by("id")
    for session, expiry, failure, entry in zip(running, expired, failures, written, strict=True):
        session.refresh_from_db()
        participant, until = session.worker.participant, session.lease_until.isoformat()
        assert expiry == reconcile.Expiry(session.pk, session.ticket_id, participant, until)
        assert (failure.session_id, failure.ticket_id, failure.at) == (session.pk, session.ticket_id, session.ended_at)
        assert failure.detail == f"{participant} gave no sign of life until {until}"
        assert (entry.at, entry.project.slug, entry.request_id) == (session.ended_at, "art", "")
        assert (entry.subject, entry.participant) == (f"ticket:{session.ticket_id}", "system:reconcile")
        assert entry.data == {"session": session.pk, "worker": participant, "lease_until": until}
    assert expired[0].worker == "agent:planner"


def test_only_lapsed_sessions_of_a_batch_expire(clock, alice, bob, olga):
    short, long = started(alice, olga, "own/1", ttl=60), started(bob, olga, "own/2", ttl=600)
    clock.forward(seconds=61)
    tickets = [short.ticket_id, long.ticket_id]
    with transaction.atomic():
        assert reconcile._expire_locked(tickets, clock.now()) == {short.pk: short.ticket_id}
    assert reconcile.reconcile().expired == []
    assert dict(Session.objects.values_list("pk", "status")) == {short.pk: "expired", long.pk: "active"}


def test_a_batch_needs_as_many_statements_as_one_session(clock, alice, olga):
    def statements() -> int:
        clock.forward(seconds=61)
        with CaptureQueriesContext(connection) as captured:
            assert reconcile.expire_batch(limit=9)
        return len(captured.captured_queries)

    started(alice, olga, "own/0", ttl=60)
    one = statements()
    for number in range(1, 8):
        started(alice, olga, f"own/{number}", ttl=60)
    assert statements() == one


def test_with_nothing_lapsed_an_action_reads_one_index_entry(alice, olga):
    for number in range(3):
        started(alice, olga, f"own/{number}")
    with CaptureQueriesContext(connection) as captured:
        assert reconcile.expire_sessions() == []
    [probe] = captured.captured_queries
    with connection.cursor() as cursor:
        explain = "EXPLAIN QUERY PLAN " if connection.vendor == "sqlite" else "EXPLAIN "
        if connection.vendor == "postgresql":
            cursor.execute("SET LOCAL enable_seqscan = off")  # any planner would scan three rows
        cursor.execute(explain + probe["sql"])
        plan = "\n".join(str(row) for row in cursor.fetchall())
    assert "session_due" in plan
    assert "Sort" not in plan
    assert "TEMP B-TREE" not in plan
