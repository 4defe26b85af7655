"""The lock files are complete and hashed, hold both Django lines, and name no index."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
LOCKS = ["requirements.txt", "requirements-dev.txt"]


@pytest.mark.parametrize("lock", LOCKS)
@pytest.mark.parametrize(
    "line",
    [r"django==5\.2\.\d+ ; python_full_version < '3\.12'", r"django==6\.\d+(\.\d+)? ; python_full_version >= '3\.12'"],
)
def test_both_django_lines_are_locked(lock: str, line: str):
    """A package that caps Django drops one of them silently."""
    assert re.search(rf"^{line}", (ROOT / lock).read_text(), re.MULTILINE)


@pytest.mark.parametrize("lock", LOCKS)
def test_a_lock_file_names_no_index(lock: str):
    text = (ROOT / lock).read_text()
    assert "://" not in text
    assert not re.search(r"^\s*(-i|-f|--index|--extra-index|--find-links|--trusted-host)", text, re.MULTILINE)


@pytest.mark.parametrize("lock", LOCKS)
def test_every_locked_package_has_hashes(lock: str):
    text = (ROOT / lock).read_text().replace("\\\n", " ")
    packages = [row for row in text.splitlines() if re.match(r"[a-z0-9]", row)]
    assert packages
    assert [row.split()[0] for row in packages if "--hash=sha256:" not in row] == []


def test_the_tests_run_on_the_locked_runtime_versions():
    runtime, dev = (
        set(re.findall(r"^(\S+==[^\\\n]+?)\s*\\$", (ROOT / lock).read_text(), re.MULTILINE)) for lock in LOCKS
    )
    assert runtime <= dev
