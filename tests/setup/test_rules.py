"""Each row of docs/rules.md resolves to the code that holds the rule and to a test that shows it."""

import ast
import re
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
RULES = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in (ROOT / "docs" / "rules.md").read_text().splitlines()
    if line.startswith("| ") and "`" in line
]


def test_the_table_of_rules_has_three_columns():
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
    """`leasehold.leases.free`, `checkouts.attempts.endings.end_committed`, or the name of a database constraint."""
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
