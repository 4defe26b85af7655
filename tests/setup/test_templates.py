"""Every template that code or another template names exists, is named somewhere, and lies where its page does."""

import re
from pathlib import Path

import pytest
from django.template.loader import get_template

ROOT = Path(__file__).resolve().parents[2]
TEMPLATES = ROOT / "templates"
FLOORS = ("leasehold", "checkouts")
SOURCES = [
    *(file for floor in FLOORS for file in (ROOT / floor).rglob("*.py")),
    *TEMPLATES.rglob("*.html"),
]
NAMED = sorted({name for file in SOURCES for name in re.findall(r"\"([\w/]+\.html)\"", file.read_text())})
#: Django itself looks for these
KNOWN_TO_DJANGO = re.compile(r"(\d{3}\w*|admin/(base_site|index|pagination|search_form))\.html")


@pytest.mark.parametrize("name", NAMED)
def test_a_template_that_is_named_exists(name):
    get_template(name)


def test_every_template_is_named():
    there = {str(file.relative_to(TEMPLATES)) for file in TEMPLATES.rglob("*.html")}
    assert {name for name in there - set(NAMED) if not KNOWN_TO_DJANGO.fullmatch(name)} == set()


def test_the_folders_mirror_the_packages_of_pages():
    """`templates/tickets` belongs to `leasehold/web/tickets`; what several pages share is in `templates/parts`."""
    packages = {inner.parent.name for floor in FLOORS for inner in (ROOT / floor / "web").glob("*/__init__.py")}
    folders = {file.relative_to(TEMPLATES).parts[0] for file in TEMPLATES.rglob("*/*.html")}
    assert folders == packages | {"admin", "api", "parts"}
