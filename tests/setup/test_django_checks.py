"""Migrations are complete, and Django's deployment checks pass."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.management import call_command

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.django_db
def test_no_migration_is_missing():
    call_command("makemigrations", "--check", "--dry-run", verbosity=0)


def test_check_deploy_is_clean_with_an_https_address(tmp_path: Path):
    """In a process of its own, because settings are read once."""
    environment = os.environ | {
        "DJANGO_SETTINGS_MODULE": "leasehold.settings",
        "LEASEHOLD_URL": "https://leasehold.example",
        "LEASEHOLD_DATA": str(tmp_path),
        "DATABASE_URL": "",
    }
    environment.pop("DJANGO_ALLOW_ASYNC_UNSAFE", None)  # the browser tests set it, for this process alone
    run = subprocess.run(
        [sys.executable, "manage.py", "check", "--deploy", "--fail-level", "WARNING"],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
