"""The floors are joined when Django starts, in one place, before any URL module is imported."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.apps import apps

from leasehold.registry import Registry

ROOT = Path(__file__).resolve().parents[2]

#: prints the names in each registry of the ground floor, and the URL modules that were imported by then
START = """
import importlib, json, pkgutil, sys
import django
from django.conf import settings
if sys.argv[1] == "alone":
    settings.INSTALLED_APPS = [app for app in settings.INSTALLED_APPS if app != "checkouts"]
django.setup()
urls = [name for name in sys.modules if name.endswith(".urls") and name.partition(".")[0] in ("leasehold", "checkouts")]

import leasehold
from leasehold.registry import Registry
tables = {}
for info in pkgutil.walk_packages(leasehold.__path__, "leasehold."):
    if any(part in info.name for part in (".admin", ".migrations", ".settings", "urls", "wsgi", "gunicorn_conf")):
        continue
    for name, value in vars(importlib.import_module(info.name)).items():
        if isinstance(value, Registry):
            tables[name] = [getattr(key, "__name__", key) for key in value]
print(json.dumps({"urls": urls, "tables": tables}))
"""
TABLES = {
    "BREAKERS",
    "COMMITS",
    "DESCRIPTIONS",
    "FIGURES",
    "FILES_BELOW",
    "HEADINGS",
    "HOLDINGS",
    "KINDS",
    "KIND_LABELS",
    "OPEN_CHECKOUTS",
    "ROLES",
    "SENTENCES",
    "STATUSES",
    "STORES",
    "SUBJECT_NAMES",
    "SUBJECT_SEARCHES",
    "WAITING",
}


def start(which: str) -> dict:
    environment = os.environ | {"DJANGO_SETTINGS_MODULE": "tests.settings"}
    run = subprocess.run(
        [sys.executable, "-c", START, which], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)


@pytest.fixture(scope="module")
def joined() -> dict:
    return start("joined")


@pytest.fixture(scope="module")
def alone() -> dict:
    return start("alone")


def test_every_table_is_full_before_a_url_module_is_imported(joined, alone):
    assert joined["urls"] == []
    assert set(joined["tables"]) == TABLES
    for name, entries in joined["tables"].items():
        assert len(entries) > len(alone["tables"][name]), name


def test_without_the_upper_floor_no_table_knows_of_files(alone):
    assert alone["urls"] == []
    assert set(alone["tables"]) == TABLES
    words = ("artifact", "checkout_", "edit_", "proposal", "version", "desk", "Artifact", "Digest", "Storage")
    entries = {entry for table in alone["tables"].values() for entry in table}
    assert [entry for entry in entries if entry.startswith(words)] == []


def test_a_registry_takes_one_value_under_a_name_and_keeps_the_order(monkeypatch):
    monkeypatch.setattr(apps, "ready", False)
    table = Registry({"ticket": 1})
    table.add_all({"desk": 2, "artifact": 3})
    assert list(table.items()) == [("ticket", 1), ("desk", 2), ("artifact", 3)]
    with pytest.raises(ValueError, match="desk"):
        table.add("desk", 4)
    assert table["desk"] == 2


def test_a_registry_takes_nothing_once_django_has_started():
    with pytest.raises(RuntimeError):
        Registry({"ticket": 1}).add("desk", 2)
