"""Every template that code or another template names exists, and every template is named somewhere."""

import re
from pathlib import Path

import pytest
from django.template.loader import get_template

ROOT = Path(__file__).resolve().parents[2]
TEMPLATES = ROOT / "templates"
SOURCES = [
    *(file for floor in ("leasehold", "checkouts") for file in (ROOT / floor).rglob("*.py")),
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
