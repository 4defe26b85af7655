"""`collectstatic` gives every file a hashed name, and our scripts and stylesheets name each other by it."""

import re
from pathlib import Path

import pytest
from django.contrib.staticfiles.storage import staticfiles_storage
from django.core.management import call_command

REFERENCE = re.compile(r"""(?:import |from |@import url\()"([^"]+)\"""")


@pytest.fixture
def collected(tmp_path: Path, settings) -> Path:
    settings.STATIC_ROOT = tmp_path / "static"
    settings.STORAGES = settings.STORAGES | {
        "staticfiles": {"BACKEND": "leasehold.http.static_files.HashedStaticFiles"},
    }
    call_command("collectstatic", interactive=False, verbosity=0)
    return settings.STATIC_ROOT


@pytest.mark.parametrize("entry", ["js/leasehold.js", "js/sign-in.js", "css/leasehold.css", "css/admin.css"])
def test_every_import_names_a_hashed_file_that_is_there(collected, entry):
    todo = [collected / staticfiles_storage.stored_name(f"leasehold/{entry}")]
    seen = set()
    while todo:
        path = todo.pop()
        seen.add(path)
        assert re.search(r"\.[0-9a-f]{12}\.(js|css)$", path.name), path
        todo += {(path.parent / name).resolve() for name in REFERENCE.findall(path.read_text())} - seen
    assert len(seen) > 3


def test_every_module_and_every_sheet_is_used():
    static = Path(__file__).resolve().parents[2] / "leasehold" / "static" / "leasehold"
    used = {
        (path.parent / name).resolve()
        for path in [*static.rglob("*.js"), *static.rglob("*.css")]
        for name in re.findall(r'(?:import |from |@import )"([^"]+)"', path.read_text())
    }
    entries = {static / name for name in ("js/leasehold.js", "js/sign-in.js", "css/leasehold.css", "css/admin.css")}
    assert {*static.rglob("*.js"), *static.rglob("*.css")} == used | entries
