"""The SQL of docs/who-holds-what.md, run as it is written there."""

import re
from pathlib import Path

import pytest
from django.db import connection

from tests.scenes import out, put
from tests.work import in_state, started

pytestmark = pytest.mark.django_db
PAGE = Path(__file__).resolve().parents[2] / "docs" / "who-holds-what.md"


def answers() -> list[list[tuple]]:
    """The rows of each statement on the page, in the page's order."""
    found = []
    with connection.cursor() as cursor:
        for statement in re.findall(r"```sql\n(.*?);\n```", PAGE.read_text(), flags=re.DOTALL):
            cursor.execute(statement.replace("%", "%%"))
            found.append(cursor.fetchall())
    return found


def end_lease(table: str, column: str, number: int) -> None:
    """Let a lease lapse by writing its row: the statements read the database's real clock, which tests cannot move."""
    with connection.cursor() as cursor:
        cursor.execute(f"UPDATE {table} SET {column} = '2020-01-02 00:00:00+00:00' WHERE id = %s", [number])


def test_the_statements_of_the_page_say_who_holds_what(alice, bob, olga):
    hero, cape = put(alice, "heroes/hero.psd"), put(alice, "cape.psd")
    held, lapsed = out(alice, hero, purpose="new light"), out(bob, cape)
    runs, ran_out = started(alice, olga, "Repo/api", "terminal-1"), started(bob, olga, "docs")
    review = in_state("REVIEW", bob, olga, "site")
    in_state("APPROVED", bob, olga, "free")
    in_state("DONE", bob, olga, "done")
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE leasehold_session SET started_at = '2020-01-01 00:00:00+00:00' WHERE id = %s", [ran_out.pk]
        )
        cursor.execute("SELECT id FROM leasehold_lease WHERE resource = %s", [cape.resource])
        [number] = cursor.fetchone()
    end_lease("leasehold_session", "lease_until", ran_out.pk)
    end_lease("leasehold_lease", "expires_at", number)

    leases, tickets, sessions, file = answers()
    assert [row[:5] for row in leases] == [
        (hero.resource, "art/heroes/hero.psd", held.checkout.holder, "user:alice", "new light"),
        ("scope:docs", "docs", f"ticket:{ran_out.ticket_id}", "", "Work"),
        ("scope:repo/api", "repo/api", f"ticket:{runs.ticket_id}", "", "Work"),
        ("scope:site", "site", f"ticket:{review.pk}", "", "Work"),
        ("scope:terminal-1", "terminal-1", f"ticket:{runs.ticket_id}", "", "Work"),
    ]
    assert lapsed.checkout.holder not in {row[2] for row in leases}
    assert [row[:5] for row in tickets] == [
        (runs.ticket_id, "art", "IN_PROGRESS", "Work", "Repo/api"),
        (runs.ticket_id, "art", "IN_PROGRESS", "Work", "terminal-1"),
        (ran_out.ticket_id, "art", "IN_PROGRESS", "Work", "docs"),
        (review.pk, "art", "REVIEW", "Work", "site"),
    ]
    assert [row[:3] for row in sessions] == [(runs.pk, runs.ticket_id, "alice")]
    assert [row[:3] for row in file] == [(held.checkout.holder, "user:alice", "new light")]
