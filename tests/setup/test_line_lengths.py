"""Templates, stylesheets and script modules stay short enough to read, and a diff of them shows what changed."""

from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
STATIC = ROOT / "leasehold" / "static" / "leasehold"


@pytest.mark.parametrize(("folder", "suffix", "most"), [(ROOT / "templates", "html", 160), (STATIC, "css", 120)])
def test_no_line_is_too_long(folder, suffix, most):
    files = list(folder.rglob(f"*.{suffix}"))
    assert files
    assert [
        f"{path.relative_to(ROOT)}:{number} has {len(line)} characters"
        for path in files
        for number, line in enumerate(path.read_text().splitlines(), start=1)
        if len(line) > most
    ] == []


def test_no_script_module_is_too_long():
    modules = list(STATIC.rglob("*.js"))
    assert modules
    lengths = {path.name: len(path.read_text().splitlines()) for path in modules}
    assert {name: lines for name, lines in lengths.items() if lines > 150} == {}
