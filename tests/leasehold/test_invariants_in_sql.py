"""What the database itself refuses, tried with raw SQL instead of actions."""

import pytest
from django.db import DatabaseError, IntegrityError, connection, transaction

from leasehold.models import Checkpoint, Failure, Session, Ticket
from tests.work import approved, started, submit

pytestmark = pytest.mark.django_db


def run(sql: str, *values: object) -> None:
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(sql, values)


def delete(table: str, number: int) -> None:
    with transaction.atomic():
        run(f"DELETE FROM {table} WHERE id = %s", number)
        connection.check_constraints()  # deferred ones speak at the commit


def insert_session(ticket: Ticket, **columns: str) -> None:
    """Insert a session; each column is SQL. By default it is active for an hour in 2030."""
    row = {
        "ticket_id": str(ticket.pk),
        "worker_id": str(ticket.created_by_id),
        "label": "''",
        "status": "'active'",
        "ttl": "60",
        "started_at": "'2030-01-01 00:00:00+00:00'",
        "lease_until": "'2030-01-01 01:00:00+00:00'",
        "ended_at": "NULL",
        "outcome": "''",
        "stop_reason": "''",
    } | columns
    run(f"INSERT INTO leasehold_session ({', '.join(row)}) VALUES ({', '.join(row.values())})")


def test_a_ticket_has_one_active_session(alice, olga):
    session = started(alice, olga)
    with pytest.raises(IntegrityError, match=r"session_one_active_on_a_ticket|leasehold_session\.ticket_id"):
        insert_session(session.ticket)
    assert Session.objects.count() == 1
    insert_session(session.ticket, status="'expired'", ended_at="'2030-01-01 01:00:00+00:00'")  # ended ones are many
    submit(session)
    insert_session(session.ticket)  # and after its end there may be another


def test_an_ended_session_cannot_come_back_beside_an_active_one(alice, olga):
    session = started(alice, olga)
    insert_session(session.ticket, status="'expired'", ended_at="'2030-01-01 01:00:00+00:00'")
    with pytest.raises(IntegrityError):
        run("UPDATE leasehold_session SET status = 'active', ended_at = NULL WHERE id <> %s", session.pk)


@pytest.mark.parametrize(
    "columns",
    [
        {"status": "'paused'"},
        {"status": "'ACTIVE'"},
        {"status": "'expired'"},  # without a time
        {"ended_at": "'2030-01-01 01:00:00+00:00'"},  # active, and ended
        {"lease_until": "'2030-01-01 00:00:00+00:00'"},  # no time at all
        {"ttl": "-1"},
        {"worker_id": "NULL"},
    ],
    ids=str,
)
def test_inconsistent_sessions_are_refused(alice, olga, columns):
    with pytest.raises(DatabaseError):
        insert_session(approved(alice, olga), **columns)


@pytest.mark.parametrize(
    "change",
    ["status = 'OPEN'", "status = 'approved'", "approved_by_id = NULL", "state_since = NULL", "project_id = NULL"],
)
def test_inconsistent_tickets_are_refused(alice, olga, change):
    ticket = approved(alice, olga)
    with pytest.raises(DatabaseError):
        run(f"UPDATE leasehold_ticket SET {change} WHERE id = %s", ticket.pk)
    ticket.refresh_from_db()
    assert (ticket.status, ticket.approved_by) == ("APPROVED", olga)


def test_a_ticket_has_each_key_once(alice, olga):
    ticket = approved(alice, olga, "repo")
    insert = "INSERT INTO leasehold_scopekey (ticket_id, key, place) VALUES (%s, %s, %s)"
    with pytest.raises(IntegrityError):
        run(insert, ticket.pk, "Repo", "repo")
    run(insert, ticket.pk, "Docs", "docs")


@pytest.mark.parametrize(
    "change", ["holder = '', expires_at = '2030-01-01 00:00:00+00:00'", "fence = -1", "resource = 'scope:docs'"]
)
def test_inconsistent_leases_are_refused(alice, olga, change):
    started(alice, olga, "docs", "repo")
    with pytest.raises(IntegrityError):
        run(f"UPDATE leasehold_lease SET {change} WHERE resource = 'scope:repo'")


@pytest.mark.parametrize("table", ["leasehold_user", "leasehold_ticket", "leasehold_session"])
def test_rows_with_history_are_not_deleted(alice, olga, table):
    session = started(alice, olga)
    Checkpoint.objects.create(session=session, at=session.started_at, lease_until=session.lease_until)
    Failure.objects.create(ticket=session.ticket, session=session, kind="blocked", at=session.started_at)
    number = {"leasehold_user": alice.pk, "leasehold_ticket": session.ticket_id}.get(table, session.pk)
    with pytest.raises(IntegrityError):
        delete(table, number)
