"""The docstring of a package is its map: it names each of its modules and sub-packages, and nothing else."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
#: a line of a map: a module or a sub-package, two spaces or more, what it is
ENTRY = re.compile(r"^ *(\w+\.py|\w+/)  +\S", re.MULTILINE)
#: packages whose modules need no map: Django names them, or their names say all
WITHOUT = {"migrations", "commands", "formats"}
UNCOUNTED = {"__init__.py", "urls.py"}
PACKAGES = sorted(
    folder.parent.relative_to(ROOT)
    for floor in ("leasehold", "checkouts")
    for folder in (ROOT / floor).rglob("__init__.py")
    if WITHOUT.isdisjoint(folder.parent.relative_to(ROOT).parts)
)


def in_package(folder: Path) -> list[str]:
    modules = [file.name for file in folder.glob("*.py") if file.name != "__init__.py"]
    return sorted(modules + [f"{inner.parent.name}/" for inner in folder.glob("*/__init__.py")])


def in_docstring(folder: Path) -> list[str]:
    docstring = ast.get_docstring(ast.parse((folder / "__init__.py").read_text())) or ""
    return sorted(ENTRY.findall(docstring))


@pytest.mark.parametrize("package", PACKAGES, ids=[".".join(package.parts) for package in PACKAGES])
def test_a_packages_docstring_names_each_of_its_modules_once(package):
    assert in_docstring(ROOT / package) == in_package(ROOT / package)


@pytest.mark.parametrize("package", PACKAGES, ids=[".".join(package.parts) for package in PACKAGES])
def test_a_packages_docstring_begins_with_a_sentence(package):
    docstring = ast.get_docstring(ast.parse((ROOT / package / "__init__.py").read_text())) or ""
    first = docstring.partition("\n\n")[0]
    assert first.endswith(".")
    assert not ENTRY.search(first)


def test_a_package_has_few_modules():
    """At most 12 beside each other; `__init__.py` and `urls.py` do not count. The floors themselves may have more."""
    counts = {
        str(package): len([file for file in (ROOT / package).glob("*.py") if file.name not in UNCOUNTED])
        for package in PACKAGES
        if len(package.parts) > 1
    }
    assert {name: count for name, count in counts.items() if count > 12} == {}
