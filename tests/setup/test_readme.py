"""What the README says is true: its rules resolve to code and tests, its SQL runs, its settings exist."""

import ast
import re
from datetime import timedelta
from importlib import import_module
from pathlib import Path

import pytest
from django.db import connection

from leasehold.actions.sessions import start
from leasehold.actions.tickets import approve, create_ticket
from leasehold.actors import Actor
from leasehold.models import Lease
from tests.scenes import out, put

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text()
RULES = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in README.partition("## The rules")[2].partition("## ")[0].splitlines()
    if line.startswith("| ") and "`" in line
]
QUERIES = re.findall(r"```sql\n(.*?)```", README, flags=re.DOTALL)


def test_the_table_of_rules_is_there():
    assert len(RULES) >= 20
    assert all(len(row) == 3 for row in RULES)


@pytest.mark.parametrize(("rule", "held_by", "seen_in"), RULES, ids=[row[0] for row in RULES])
def test_each_rule_resolves_to_what_holds_it_and_to_a_test(rule, held_by, seen_in):
    for name in re.findall(r"`([^`]+)`", held_by):
        thing = resolved(name)
        assert thing is not None, name
    tests = re.findall(r"`([^`]+)`", seen_in)
    assert tests
    for test in tests:
        file, _, function = test.partition("::")
        tree = ast.walk(ast.parse((ROOT / file).read_text()))
        assert function in {node.name for node in tree if isinstance(node, ast.FunctionDef)}, test


def resolved(name: str) -> object:
    """`leasehold.leases.free`, `checkouts.actions.endings.Ending.committed`, or the name of a database constraint."""
    if "." not in name:
        return constraint(name)
    parts = name.split(".")
    for cut in range(len(parts) - 1, 0, -1):
        try:
            thing = import_module(".".join(parts[:cut]))
        except ModuleNotFoundError:
            continue
        for part in parts[cut:]:
            thing = getattr(thing, part)
        return thing
    return None


def constraint(name: str) -> object:
    from django.apps import apps

    return next(
        (one for model in apps.get_models() for one in model._meta.constraints if one.name == name),
        None,
    )


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


def answers(query):
    with connection.cursor() as cursor:
        cursor.execute(query)
        return cursor.fetchall()


def test_the_sql_for_live_leases_tells_who_holds_what(at_work):
    rows = answers(QUERIES[0])
    holds = [(resource.partition(":")[0], who, why) for resource, _place, who, why, _since, _until in rows]
    assert holds == [("artifact", "user:bob", "new eyes"), ("scope", "", "A harbour"), ("scope", "", "A harbour")]


def test_the_sql_for_live_tickets_tells_their_scope(at_work):
    ticket = at_work.ticket_id
    assert answers(QUERIES[1]) == [
        (ticket, "IN_PROGRESS", "A harbour", "art/Sets"),
        (ticket, "IN_PROGRESS", "A harbour", "terminal-1"),
    ]


def test_the_sql_for_active_sessions_tells_who_works(at_work):
    (row,) = answers(QUERIES[2])
    assert row[:3] == (at_work.pk, at_work.ticket_id, "alice")


def test_every_setting_in_the_code_stands_in_the_table():
    sources = [*ROOT.glob("leasehold/**/*.py"), *ROOT.glob("checkouts/**/*.py")]
    used = {
        name
        for source in sources
        for name in re.findall(r"environ(?:\.get)?[\[(]\s*\"([A-Z_]+)\"", source.read_text())
        if name not in {"PATH", "PYTHONPATH", "PORT", "DJANGO_SETTINGS_MODULE"}
    }
    table = README.partition("## Settings")[2].partition("\n## ")[0]
    assert used - set(re.findall(r"`([A-Z_]+)`", table)) == set()
