"""What the README says is true: its SQL and its shell commands run, and it stays short."""

import re
import shutil
import subprocess
import sys
from datetime import timedelta

import pytest
from django.db import connection

from checkouts.models import Version
from leasehold.actions.sessions import start
from leasehold.actions.tickets import approve, create_ticket
from leasehold.actors import Actor
from leasehold.models import Lease, Membership, Role
from tests.factories import make_account, make_member, make_project
from tests.live import ROOT, served
from tests.scenes import out, put

README = (ROOT / "README.md").read_text()
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


def blocks_below(heading: str) -> list[str]:
    """The commands below a heading, as they run here: with this Python, and in this project."""
    section = README.partition(f"## {heading}\n")[2].partition("\n## ")[0]
    here = f"{sys.executable} {ROOT / 'manage.py'}"
    found = re.findall(r"^```\n(.*?)^```", section, flags=re.DOTALL | re.MULTILINE)
    return [block.replace(".venv/bin/python manage.py", here) for block in found]


@pytest.mark.django_db(transaction=True)
def test_the_commands_run_as_they_are_written(tmp_path, admin):
    if not (shutil.which("curl") and shutil.which("bash")):
        pytest.skip("no curl, or no bash, on this machine")
    make_member(make_project("demo", "Demo"), make_account("alice"), Role.EDITOR)
    (tmp_path / "old-disk").mkdir()
    (tmp_path / "old-disk" / "castle.psd").write_text("walls")
    (on_the_shell,), (by_program,) = blocks_below("The first ten minutes"), blocks_below("By program")
    with served(tmp_path / "data", workers=1) as live:
        script = f"set -e\n{on_the_shell}\n{by_program}".replace("http://127.0.0.1:8000", live.address)
        script = script.replace("~/", f"{tmp_path}/").replace("python3 -c", f"{sys.executable} -c")
        command = ["bash", "-c", script]
        run = subprocess.run(command, cwd=tmp_path, env=live.environment, check=False, capture_output=True, text=True)
        assert run.returncode == 0, run.stderr
    assert Membership.objects.get(user__username="carol").role == Role.EDITOR
    versions = Version.objects.order_by("pk").values_list("artifact__path", "number", "comment")
    assert [*versions][-2:] == [("heroes/new.psd", 1, ""), ("heroes/new.psd", 2, "Red")]
    assert ("castle.psd", 1) in [(path, number) for path, number, _comment in versions]
