"""The layers of both floors, as the contracts of import-linter in pyproject.toml say them."""

import ast
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FLOORS = ("leasehold", "checkouts")
#: what may know of HTTP; below it are actions, selectors, rules, models and the engine
DOORS = {
    "api",
    "web",
    "admin",
    "admin_site.py",
    "http",
    "management",
    "templatetags",
    "urls.py",
    "wsgi.py",
    "wiring.py",
}
HTTP = ("django.http", "django.shortcuts", "django.template", "django.urls", "django.views", "rest_framework")


def lint(folder: Path) -> subprocess.CompletedProcess[str]:
    program = Path(sys.executable).with_name("lint-imports")
    return subprocess.run([program, "--no-cache"], cwd=folder, capture_output=True, text=True, check=False)


@pytest.fixture
def copy(tmp_path):
    """A copy of both floors that a test may break."""
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    for floor in FLOORS:
        shutil.copytree(ROOT / floor, tmp_path / floor, ignore=shutil.ignore_patterns("__pycache__", "static"))
    return tmp_path


def test_imports_point_down():
    run = lint(ROOT)
    assert run.returncode == 0, run.stdout + run.stderr


def test_a_module_outside_the_layers_is_refused(copy):
    layered = ["leasehold", "checkouts"]
    layered += [f"{floor}/{door}" for floor in FLOORS for door in ("api", "web", "admin")]
    for folder in layered:
        (copy / folder / "stray.py").touch()
    run = lint(copy)
    assert run.returncode == 1
    assert [folder for folder in layered if f"{folder.replace('/', '.')}.stray" not in run.stdout] == []


def test_an_import_that_points_up_is_refused(copy):
    with (copy / "leasehold" / "rules.py").open("a") as rules:
        rules.write("\nimport leasehold.actions.tickets  # noqa\n")
    run = lint(copy)
    assert run.returncode == 1
    assert "leasehold.rules is not allowed to import leasehold.actions" in run.stdout


def test_an_action_that_reaches_http_by_way_of_another_module_is_refused(copy):
    with (copy / "checkouts" / "entries.py").open("a") as entries:
        entries.write("\nimport leasehold.http.statuses  # noqa\n")
    run = lint(copy)
    assert run.returncode == 1
    assert "checkouts.actions is not allowed to import leasehold.http" in run.stdout


def test_nothing_below_the_doors_knows_http():
    """A verb takes values and never a request; a refusal carries facts and never a status.

    This looks at what Django and REST framework offer; import-linter looks at the doors' own modules.
    """
    knows = set()
    for file in (file for floor in FLOORS for file in (ROOT / floor).rglob("*.py")):
        inside = file.relative_to(ROOT)
        if inside.parts[1] in DOORS or "migrations" in inside.parts:
            continue
        for node in ast.walk(ast.parse(file.read_text())):
            modules = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            modules += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if any(module == http or module.startswith(f"{http}.") for module in modules for http in HTTP):
                knows.add(str(inside))
    assert knows == set()
