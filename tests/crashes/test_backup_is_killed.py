"""`kill -9` in the middle of a backup and of a restore: run again, they go on and end well."""

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from checkouts.backups.folders import PARTIAL, backups_in
from tests.checkouts.backups import Site, new_site, this_site
from tests.live import ROOT
from tests.scenes import back, out, put

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("blobs")]

CREATION, RESTORATION = "checkouts.backups.creation", "checkouts.backups.restoration"


def killed(site: Site, point: str, number: int, *command: str) -> None:
    """Run the command in a process that is killed when it calls the function `point` the n-th time."""
    words = [sys.executable, "-m", "tests.crashes.dying_command", point, str(number), *command]
    ended = subprocess.run(
        words, cwd=ROOT, env=site.environment, capture_output=True, text=True, timeout=120, check=False
    )
    assert ended.returncode == -signal.SIGKILL, ended.stdout + ended.stderr


@pytest.fixture
def target(tmp_path, alice, hero) -> Path:
    """A folder for backups. The site has four blobs."""
    back(alice, out(alice, hero).checkout, "two")
    put(alice, "sounds/steps.wav", "tap")
    put(alice, "sounds/door.wav", "creak")
    return tmp_path / "backups"


@pytest.mark.parametrize(
    ("function", "number"),
    [
        ("write_lines", 9),  # in the middle of the rows
        ("copy_durably", 3),  # in the middle of the bytes
        ("write_manifest", 1),  # after the bytes
    ],
)
def test_a_killed_backup_goes_on(function, number, target):
    site = this_site()
    killed(site, f"{CREATION}.{function}", number, "backup", str(target))
    assert backups_in(target) == []
    left = len([path for path in target.glob(f"{PARTIAL}/blobs/??/*") if "." not in path.name])
    made = site.run_json("backup", str(target))
    assert (made["copied"], made["lacking"]) == (4 - left, [])
    assert len(list(Path(made["folder"]).glob("blobs/??/*"))) == 4
    assert not (target / PARTIAL).exists()
    assert site.run_json("backup", str(target), "--verify")["is_whole"]


@pytest.mark.parametrize(
    ("function", "number"),
    [
        ("copy_durably", 3),  # in the middle of the bytes
        ("set_sequences", 1),  # before the rows are committed
        ("restore_key", 1),  # after they are
    ],
)
def test_a_killed_restore_goes_on(function, number, target, tmp_path):
    this_site().run_json("backup", str(target))
    site = new_site(tmp_path)
    killed(site, f"{RESTORATION}.{function}", number, "restore", str(target))
    assert json.loads((site.data / "restoring.json").read_text())

    assert site.run_json("restore", str(target))["blobs"] == 4
    assert not (site.data / "restoring.json").exists()
    assert site.run_json("verify")["is_whole"]


def test_a_killed_restore_goes_on_with_no_other_backup(target, tmp_path):
    this_site().run_json("backup", str(target))
    site = new_site(tmp_path)
    killed(site, f"{RESTORATION}.load_rows", 2, "restore", str(target))
    this_site().run_json("backup", str(target))
    code, text = site.run("restore", str(target))
    assert code == 1
    assert "Another restore was begun here" in text
