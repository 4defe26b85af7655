"""What the pages name exists: files, functions in files (`a/b.py::name`), dotted names, and the targets of links."""

import ast
import re
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md"))]
SPAN = re.compile(r"`([^`\n]+)`")
FILE = re.compile(r"([\w.-]+/[\w./-]*\.(?:py|md|toml|html|css|js|txt)|[\w./-]+\.(?:md|toml))(?:::(\w+))?")
FOLDER = re.compile(r"(?:leasehold|checkouts|tests|templates|docs|bench)/(?:[\w-]+/)*")
DOTTED = re.compile(r"(?:leasehold|checkouts|tests)(?:\.\w+)+")
LINK = re.compile(r"\]\(([^)\s#]+)(#[\w-]+)?\)")


def spans(page: Path) -> list[str]:
    """The texts between backticks, outside of blocks of code."""
    return SPAN.findall(re.sub(r"^```.*?^```$", "", page.read_text(), flags=re.DOTALL | re.MULTILINE))


def anchors(page: Path) -> set[str]:
    """The headings of a page, as its links name them."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(), flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def resolves(name: str) -> bool:
    parts = name.split(".")
    for cut in range(len(parts), 0, -1):
        try:
            thing = import_module(".".join(parts[:cut]))
        except ModuleNotFoundError:
            continue
        for part in parts[cut:]:
            if not hasattr(thing, part):
                return False
            thing = getattr(thing, part)
        return True
    return False


def names_in(file: Path) -> set[str]:
    tree = ast.parse(file.read_text())
    named = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    assigned = {target.id for node in tree.body for target in targets(node) if isinstance(target, ast.Name)}
    return named | assigned


def targets(node: ast.stmt) -> list[ast.expr]:
    if isinstance(node, ast.Assign):
        return node.targets
    return [node.target] if isinstance(node, ast.AnnAssign) else []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_the_files_and_functions_that_a_page_names_exist(page):
    assert [span for span in spans(page) if is_missing(span, page)] == []


def is_missing(span: str, page: Path) -> bool:
    """Does this span name a folder, a file, or a function in a file, that is not there?"""
    if FOLDER.fullmatch(span):
        return not (ROOT / span).is_dir()
    if not (found := FILE.fullmatch(span)):
        return False
    file = next((base / found[1] for base in (ROOT, page.parent) if (base / found[1]).exists()), None)
    return file is None or bool(found[2] and found[2] not in names_in(file))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_the_dotted_names_of_a_page_resolve(page):
    assert [span for span in spans(page) if DOTTED.fullmatch(span) and not resolves(span)] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_the_links_of_a_page_lead_somewhere(page):
    broken = []
    for target, anchor in LINK.findall(page.read_text()):
        if "://" in target or target.startswith("mailto:"):
            continue
        goal = (page.parent / target).resolve()
        if not goal.exists() or (anchor and goal.suffix == ".md" and anchor[1:] not in anchors(goal)):
            broken.append(target + anchor)
    assert broken == []
