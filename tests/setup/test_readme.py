"""What the README says is true: its SQL runs, on both databases, and it stays short."""

import re
from datetime import timedelta
from pathlib import Path

import pytest
from django.db import connection

from leasehold.actions.sessions import start
from leasehold.actions.tickets import approve, create_ticket
from leasehold.actors import Actor
from leasehold.models import Lease
from tests.scenes import out, put

README = (Path(__file__).resolve().parents[2] / "README.md").read_text()
QUERIES = [
    statement
    for block in re.findall(r"```sql\n(.*?)```", README, flags=re.DOTALL)
    for statement in re.findall(r"^SELECT.*?;$", block, flags=re.DOTALL | re.MULTILINE)
]


def test_the_readme_is_one_page():
    assert len(README.splitlines()) < 120


@pytest.fixture
def at_work(alice, bob, olga):
    """Bob has a file, another check-out of his has lapsed, and alice works at a ticket."""
    out(bob, put(bob, "heroes/hero.psd"), purpose="new eyes")
    lapsed = out(bob, put(bob, "heroes/cape.psd"))
    Lease.objects.filter(resource=lapsed.lease.resource).update(
        expires_at=lapsed.lease.acquired_at - timedelta(hours=1)
    )
    ticket = create_ticket(actor=Actor(alice), project="art", title="A harbour", scope=["art/Sets", "terminal-1"])
    approve(actor=Actor(olga), ticket_id=ticket.pk)
    return start(actor=Actor(alice), ticket_id=ticket.pk)


def rows_of(query):
    with connection.cursor() as cursor:
        cursor.execute(query)
        return cursor.fetchall()


def test_the_sql_for_live_leases_returns_who_holds_what(at_work):
    rows = rows_of(QUERIES[0])
    holds = [(resource.partition(":")[0], who, why) for resource, _place, who, why, _since, _until in rows]
    assert holds == [("artifact", "user:bob", "new eyes"), ("scope", "", "A harbour"), ("scope", "", "A harbour")]


def test_the_sql_for_live_tickets_returns_their_scope(at_work):
    ticket = at_work.ticket_id
    assert rows_of(QUERIES[1]) == [
        (ticket, "IN_PROGRESS", "A harbour", "art/Sets"),
        (ticket, "IN_PROGRESS", "A harbour", "terminal-1"),
    ]


def test_the_sql_for_active_sessions_returns_who_works(at_work):
    (row,) = rows_of(QUERIES[2])
    assert row[:3] == (at_work.pk, at_work.ticket_id, "alice")
