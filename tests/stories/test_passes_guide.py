"""The dispatchers of docs/passes.md, run as they are written there, also with a failing clause and a killed process."""

import re
import signal
import subprocess
import sys
import time

import pytest

from leasehold import leases
from leasehold.exceptions import RoleContextBusy
from leasehold.pass_names import pass_resource
from tests.live import ROOT, database_url

GUIDE = ROOT / "docs" / "passes.md"


def code() -> list[str]:
    return re.findall(r"^```python\n(.*?)^```$", GUIDE.read_text(), re.MULTILINE | re.DOTALL)


@pytest.fixture
def guide() -> dict:
    names: dict = {}
    for example in code():
        exec(example, names)  # noqa: S102  (our own page)
    return names


def test_every_clause_runs_under_one_lock(guide):
    seen = []

    def clause(context):
        seen.append(guide["locks"].inspect_holder("critic", context))

    assert guide["run_pass"]("critic", "chapter-3", "p1", [clause, clause]) == 2
    assert seen == ["p1", "p1"]
    assert guide["locks"].inspect_holder("critic", "chapter-3") is None


def test_a_failing_clause_releases_the_lock(guide):
    ran = []

    def broken(context):
        raise RuntimeError("killed")

    with pytest.raises(RuntimeError):
        guide["run_pass"]("critic", "chapter-3", "p1", [ran.append, broken, ran.append])
    assert ran == ["chapter-3"]
    assert guide["run_pass"]("critic", "chapter-3", "p2", [ran.append]) == 1


def test_a_second_dispatcher_runs_nothing(guide, capsys):
    inner = []

    def clause(context):
        inner.append(guide["run_pass"]("critic", context, "p1", [inner.append]))

    assert guide["run_pass"]("critic", "chapter-3", "p1", [clause]) == 1
    assert inner == [0]
    assert capsys.readouterr().out.startswith("critic on chapter-3: pass p1 has run since ")


def test_a_failing_clause_releases_the_lock_on_the_lease_table(guide, planner):
    fences = []

    def broken(context, fence):
        fences.append(fence)
        raise RuntimeError("killed")

    for _ in range(2):
        with pytest.raises(RuntimeError):
            guide["run_shared_pass"]("planner", "critic", "chapter-3", "p1", [broken])
    assert fences == [1, 2]
    assert leases.read([pass_resource("critic", "chapter-3")]) == []


def test_a_dispatcher_whose_lock_another_took_over_stops(guide, planner, clock):
    ran = []

    def slow(context, fence):
        ran.append(fence)
        clock.forward(seconds=61)
        guide["LeaseRoleContextLocks"](guide["Actor"](planner)).try_acquire("critic", context, "p2")

    with pytest.raises(guide["PassLost"]):
        guide["run_shared_pass"]("planner", "critic", "chapter-3", "p1", [slow, slow])
    assert ran == [1]
    (lease,) = leases.read([pass_resource("critic", "chapter-3")])
    assert lease.holder.endswith(":p2"), "the other pass keeps its lock"


@pytest.mark.races
def test_a_killed_dispatchers_lock_ends_with_its_ttl(guide, planner, clock, tmp_path):
    """SIGKILL leaves no chance to release: the lock is refused until its ttl has passed, and no longer."""
    mark = tmp_path / "half-way"
    script = tmp_path / "dispatcher.py"
    script.write_text(
        f"import django, pathlib, time\ndjango.setup()\n{code()[1]}\n"
        f"def clause(context, fence):\n    pathlib.Path({str(mark)!r}).touch()\n    time.sleep(60)\n"
        "run_shared_pass('planner', 'critic', 'chapter-3', 'p1', [clause, clause])\n"
    )
    environment = {
        "DJANGO_SETTINGS_MODULE": "leasehold.settings",
        "DATABASE_URL": database_url(),
        "LEASEHOLD_DATA": str(tmp_path),
        "SECRET_KEY": "test",
        "PYTHONPATH": str(ROOT),
    }
    process = subprocess.Popen([sys.executable, str(script)], cwd=ROOT, env=environment)
    until = time.monotonic() + 60
    while not mark.exists() and time.monotonic() < until and process.poll() is None:
        time.sleep(0.05)
    process.send_signal(signal.SIGKILL)
    process.wait(30)

    def go(pass_id):
        guide["run_shared_pass"]("planner", "critic", "chapter-3", pass_id, [lambda *_: None])

    with pytest.raises(RoleContextBusy) as refused:
        go("p2")
    assert refused.value.pass_id == "p1"
    clock.forward(seconds=61)
    go("p2")
    assert leases.read([pass_resource("critic", "chapter-3")]) == []
