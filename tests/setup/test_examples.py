"""Example calls in docstrings and in the guides name keywords that the functions have.

Looked at: every call with keywords in the docstrings of `leasehold/` and `checkouts/` (indented blocks, and spans
between backticks), and in the Python blocks of README.md, CONTRIBUTING.md and docs/*.md. The function is looked up
where the example stands: in the docstring's module, or by the page's own imports. If it is not there, every public
function of the project with that name is a candidate, and one of them must have the keywords. Names that the project
does not have (`print`, a method of a local variable) are left alone.
"""

import ast
import inspect
import re
import textwrap
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
MODULES = sorted(
    file
    for floor in ("leasehold", "checkouts")
    for file in (ROOT / floor).rglob("*.py")
    if "migrations" not in file.parts and file.name not in ("gunicorn_conf.py", "wsgi.py")
)
PAGES = [ROOT / "README.md", *ROOT.glob("CONTRIBUTING.md"), *sorted((ROOT / "docs").glob("*.md"))]


def dotted(file: Path) -> str:
    parts = file.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def docstrings(file: Path) -> Iterator[str]:
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef)
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, documented) and (text := ast.get_docstring(node)):
            yield text


def examples(text: str) -> Iterator[str]:
    """The indented blocks of a docstring, and its spans between backticks."""
    yield from re.findall(r"`([^`]+)`", text)
    for block in re.findall(r"(?:^(?: {4}.*)?\n?)+", text, flags=re.MULTILINE):
        yield textwrap.dedent(block)


def calls(code: str) -> list[tuple[str, set[str]]]:
    """The calls with keywords in a piece of code: dotted name, keywords. Nothing for what is not Python."""
    try:
        tree = ast.parse(code.replace("…", "...").strip("\n"))
    except SyntaxError:
        return []
    found = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and node.keywords]
    return [(ast.unparse(call.func), {word.arg for word in call.keywords if word.arg}) for call in found]


@cache
def by_name() -> dict[str, list[object]]:
    """Every public function and class of the project that stands at the top of its module, by its name."""
    named: dict[str, list[object]] = {}
    for file in MODULES:
        module = import_module(dotted(file))
        for name, thing in vars(module).items():
            if callable(thing) and getattr(thing, "__module__", "") == module.__name__ and not name.startswith("_"):
                named.setdefault(name, []).append(thing)
    return named


def candidates(name: str, places: list[object]) -> list[object]:
    first, *rest = name.split(".")
    for place in places:
        thing = getattr(place, first, None)
        for part in rest:
            thing = getattr(thing, part, None)
        if callable(thing):
            return [thing]
    return by_name().get(name, [])


def has_keywords(thing: object, keywords: set[str]) -> bool:
    parameters = inspect.signature(inspect.unwrap(thing)).parameters.values()
    takes_any = any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters)
    return takes_any or keywords <= {parameter.name for parameter in parameters}


def wrong(code: str, places: list[object]) -> list[str]:
    return [
        f"{name}({', '.join(sorted(keywords))})"
        for name, keywords in calls(code)
        if (found := candidates(name, places)) and not any(has_keywords(thing, keywords) for thing in found)
    ]


WITH_EXAMPLES = [file for file in MODULES if any(calls(code) for text in docstrings(file) for code in examples(text))]


@pytest.mark.parametrize("file", WITH_EXAMPLES, ids=dotted)
def test_the_example_calls_of_a_docstring_fit(file):
    module = import_module(dotted(file))
    assert [fault for text in docstrings(file) for code in examples(text) for fault in wrong(code, [module])] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_example_calls_of_a_page_fit(page):
    blocks = re.findall(r"```python\n(.*?)```", page.read_text(), flags=re.DOTALL)
    imported = {}
    for node in (node for block in blocks for node in ast.walk(ast.parse(block))):
        if isinstance(node, ast.ImportFrom) and str(node.module).partition(".")[0] in ("leasehold", "checkouts"):
            module = import_module(str(node.module))
            imported |= {alias.asname or alias.name: getattr(module, alias.name) for alias in node.names}
    names = type("Names", (), {name: staticmethod(thing) for name, thing in imported.items()})
    assert [fault for block in blocks for fault in wrong(block, [names])] == []


def test_a_wrong_keyword_is_found():
    example = "check_in(checkout_id=…, actor=…, received=…)"
    assert wrong(example, []) == ["check_in(actor, checkout_id, received)"]
    assert wrong("check_in(checkout_id=…, actor=…, upload=…)", []) == []
