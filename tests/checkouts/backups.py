"""Other sites for the tests of backups: a data folder and a database of their own, worked on by `manage.py`."""

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import connection

from checkouts.backups.manifest import manifest_in
from checkouts.backups.rows import file_of, read_lines
from tests.live import ROOT, database_url


@dataclass(frozen=True)
class Site:
    """A site of the product. `url`: its DATABASE_URL; an empty one is SQLite in `data`."""

    data: Path
    url: str = ""

    @property
    def environment(self) -> dict[str, str]:
        own = {name: value for name, value in os.environ.items() if name != "SECRET_KEY"}
        return own | {
            "DJANGO_SETTINGS_MODULE": "leasehold.settings",
            "LEASEHOLD_DATA": str(self.data),
            "DATABASE_URL": self.url,
        }

    def start(self, *command: str, **more: Any) -> "subprocess.Popen[str]":
        return subprocess.Popen(
            [sys.executable, "manage.py", *command],
            cwd=ROOT,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            **more,
        )

    def run(self, *command: str) -> tuple[int, str]:
        """Run a command and return its exit code and what it printed."""
        program = self.start(*command)
        out, err = program.communicate(timeout=120)
        return program.returncode, out + err

    def run_json(self, *command: str) -> dict[str, Any]:
        code, text = self.run(*command, "--json")
        assert code == 0, text
        return json.loads(text)


def this_site() -> Site:
    """The site of the test itself, for commands in other processes."""
    return Site(Path(settings.LEASEHOLD_BLOBS).parent, database_url())


def new_site(folder: Path, kind: str = "sqlite", name: str = "restored") -> Site:
    """Return an empty site below `folder`. `postgresql`: with another database in the cluster of the tests."""
    data = folder / kind
    if kind == "sqlite":
        return Site(data)
    with connection.cursor() as cursor:
        cursor.execute(f'DROP DATABASE IF EXISTS "{name}"')
        cursor.execute(f'CREATE DATABASE "{name}"')
    return Site(data, database_url().replace(f"/{connection.settings_dict['NAME']}?", f"/{name}?"))


def rows_in(folder: Path, table: str) -> list[dict[str, Any]]:
    """Return the rows of a table as a backup has them, by the names of their columns."""
    columns, *rows = read_lines(file_of(folder, table), manifest_in(folder).tables[table])
    return [dict(zip(columns, row, strict=True)) for row in rows]


def digests_in(folder: Path) -> list[tuple[int, int, str]]:
    """Return artifact, number and digest of every version."""
    return [(one["artifact_id"], one["number"], one["digest"]) for one in rows_in(folder, "checkouts.version")]
