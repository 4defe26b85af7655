"""`collectstatic` gives every file a hashed name, and our scripts and stylesheets name each other by it."""

import re
from pathlib import Path

import pytest
from django.contrib.staticfiles.storage import staticfiles_storage
from django.core.management import call_command

STATIC = Path(__file__).resolve().parents[2] / "leasehold" / "static" / "leasehold"
SOURCES = [*STATIC.rglob("*.js"), *STATIC.rglob("*.css")]
ENTRIES = ("js/leasehold.js", "js/sign-in.js", "css/leasehold.css", "css/admin.css")
REFERENCE = re.compile(r"""(?:import |from |@import url\()"([^"]+)\"""")


@pytest.fixture
def collected(tmp_path: Path, settings) -> Path:
    settings.STATIC_ROOT = tmp_path / "static"
    settings.STORAGES = settings.STORAGES | {
        "staticfiles": {"BACKEND": "leasehold.http.static_files.HashedStaticFiles"},
    }
    call_command("collectstatic", interactive=False, verbosity=0)
    return settings.STATIC_ROOT


def test_every_import_names_a_hashed_file_that_exists(collected):
    todo = [collected / staticfiles_storage.stored_name(f"leasehold/{entry}") for entry in ENTRIES]
    seen = set()
    while todo:
        path = todo.pop()
        seen.add(path)
        assert re.search(r"\.[0-9a-f]{12}\.(js|css)$", path.name), path
        todo += {(path.parent / name).resolve() for name in REFERENCE.findall(path.read_text())} - seen
    assert len(seen) == len(SOURCES)


def test_every_module_and_stylesheet_is_used():
    used = {
        (path.parent / name).resolve()
        for path in SOURCES
        for name in re.findall(r'(?:import |from |@import )"([^"]+)"', path.read_text())
    }
    assert used | {STATIC / entry for entry in ENTRIES} == set(SOURCES)
