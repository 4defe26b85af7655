"""docs/operating.md lists every setting that the code reads."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "operating.md").read_text()


def test_every_setting_that_the_code_reads_is_in_the_table():
    sources = [*ROOT.glob("leasehold/**/*.py"), *ROOT.glob("checkouts/**/*.py")]
    used = {
        name
        for source in sources
        for name in re.findall(r"environ(?:\.get)?[\[(]\s*\"([A-Z_]+)\"", source.read_text())
        if name not in {"PATH", "PYTHONPATH", "PORT", "DJANGO_SETTINGS_MODULE"}
    }
    table = PAGE.partition("## Settings")[2].partition("\n## ")[0]
    assert used - set(re.findall(r"`([A-Z_]+)`", table)) == set()
