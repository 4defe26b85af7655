"""Every example in docs/api.md runs as written, in one shell against the real server, with the documented answer.

In an answer `…` stands for anything, and `"...": "…"` for other fields that are not shown.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import takewhile
from pathlib import Path
from subprocess import PIPE
from typing import Any

import pytest

from checkouts.models import Artifact, Checkout, Edit, Proposal
from leasehold.models import Role, Session, Ticket
from tests.factories import make_account, make_member, make_project
from tests.invariants import assert_sound
from tests.live import ROOT, Live, served

GUIDE = ROOT / "docs" / "api.md"
BLOCK = re.compile(r"^```(sh|json|text)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
END = "--- end of example ---"


def examples() -> Iterator[tuple[str, str, str]]:
    """Yield each command with the kind and the text of the answer below it; both are empty if it has none."""
    blocks = BLOCK.findall(GUIDE.read_text())
    for (kind, text), (next_kind, expected) in zip(blocks, [*blocks[1:], ("", "")], strict=True):
        if kind == "sh":
            yield text, *((next_kind, expected) if next_kind != "sh" else ("", ""))


@pytest.mark.django_db(transaction=True)
def test_every_example_answers_as_documented(tmp_path):
    if not (shutil.which("curl") and shutil.which("bash")):
        (pytest.fail if os.environ.get("CI") else pytest.skip)("no curl, or no bash, on this machine")
    demo = make_project("demo", "Demo")
    for name in ("alice", "bob"):
        make_member(demo, make_account(name), Role.EDITOR)
    make_member(demo, make_account("olga"), Role.OPERATOR)

    with served(tmp_path / "data", workers=1) as live, shell_in(tmp_path, live) as run:
        for command, kind, expected in examples():
            answer = run(with_ids(command))
            if kind == "json":
                assert_fits(json.loads(expected), json.loads(answer), command)
            elif kind == "text":
                assert answer.replace("\r", "") == expected, command
    assert_sound()


def test_the_guide_has_an_example_of_every_step():
    text = " ".join(command for command, _, _ in examples())
    for part in ("create_token", "/me/", "-F path=", "?path=", "?prefix=", "/content/", "/check-in/", "If-Match"):
        assert part in text
    assert sum(kind == "json" for _, kind, _ in examples()) >= 15


@contextmanager
def shell_in(folder: Path, live: Live) -> Iterator[Callable[[str], str]]:
    """One bash for all examples, so that what one of them names the next can use. Answers what a command prints."""
    environment = live.environment | {"LC_ALL": "C.UTF-8"}
    with (folder / "errors").open("wb") as errors:
        bash = subprocess.Popen(
            ["bash"], cwd=folder, env=environment, stdin=PIPE, stdout=PIPE, stderr=errors, text=True, bufsize=1
        )

    def run(command: str) -> str:
        command = command.replace("http://127.0.0.1:8000", live.address)
        command = command.replace(".venv/bin/python manage.py", f"{sys.executable} {ROOT / 'manage.py'}")
        bash.stdin.write(f"{command}\nprintf '\\n%s\\n' '{END}'\n")  # curl ends no line
        lines = list(takewhile(lambda line: line and line != f"{END}\n", bash.stdout))
        complaint = (folder / "errors").read_text()
        assert not complaint, f"{command}\n{complaint}"
        return "".join(lines).removesuffix("\n")

    try:
        yield run
    finally:
        bash.stdin.close()
        bash.wait(60)
        bash.stdout.close()


def with_ids(command: str) -> str:
    """The ids that a reader takes from the answers."""
    newest = {
        "ARTIFACT": Artifact.objects.filter(path="guide/hero.psd"),
        "CHECKOUT": Checkout.objects.filter(actor__username="alice"),
        "LATE": Checkout.objects.filter(actor__username="bob"),
        "TICKET": Ticket.objects,
        "SESSION": Session.objects,
        "CAPE": Artifact.objects.filter(path="levels/cape.psd"),
        "EDIT": Edit.objects,
        "PROPOSAL": Proposal.objects,
    }
    return re.sub(
        r"^([A-Z]+)=ID +# the id",
        lambda found: f"{found[1]}={last(newest[found[1]])} #",
        command,
        flags=re.MULTILINE,
    )


def last(rows: Any) -> Any:
    """The id of the newest row; an edit's id has no order."""
    return rows.latest("opened_at" if rows.model is Edit else "pk").pk


def assert_fits(expected: Any, actual: Any, where: str) -> None:
    """Compare `actual` with the example; see the top of this module for the wildcards."""
    if isinstance(expected, dict) and isinstance(actual, dict):
        if "..." in expected:
            actual = {name: value for name, value in actual.items() if name in expected}
            expected = {name: value for name, value in expected.items() if name != "..."}
        assert set(expected) == set(actual), where
        for name, value in expected.items():
            assert_fits(value, actual[name], f"{where}: {name}")
    elif isinstance(expected, list) and isinstance(actual, list):
        assert len(expected) == len(actual), where
        for one, other in zip(expected, actual, strict=True):
            assert_fits(one, other, where)
    elif isinstance(expected, str) and expected != "…" and "…" in expected and isinstance(actual, str):
        assert re.fullmatch(".*".join(map(re.escape, expected.split("…"))), actual), f"{where}: {actual}"
    else:
        assert expected in ("…", actual), f"{where}: {actual!r}"
