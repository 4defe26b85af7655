"""Measure one try_acquire and its release on the locks in memory, on one thread, as an embedded dispatcher uses them.

The figure is the best of many short rounds, since other work on the machine can only make a round slower.

    .venv/bin/python bench/passes.py [--rounds 400]
"""

import argparse
import platform
import sys
import timeit
from pathlib import Path
from statistics import median

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from leasehold.passes.memory import RoleContextLockTable

PAIRS = 1_000  # in a round
GOAL, FLOOR = 2.0, 3.0  # microseconds


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--rounds", type=int, default=400)
    rounds = arguments.parse_args().rounds
    locks = RoleContextLockTable()
    pass_id = "5f0c3c9e-9d0c-4d3e-8f43-0d5f1c1a7f10"

    def pair() -> None:
        locks.try_acquire("critic", "chapter-3", pass_id).release()

    def pair_with_ttl() -> None:
        locks.try_acquire("critic", "chapter-3", pass_id, 60).release()

    print(f"role locks in memory, CPython {platform.python_version()}, best and median of {rounds} rounds of {PAIRS}")
    for name, call in (("acquire + release", pair), ("acquire + release, with a ttl", pair_with_ttl)):
        taken = [seconds / PAIRS * 1e6 for seconds in timeit.repeat(call, number=PAIRS, repeat=rounds)]
        best = min(taken)
        verdict = "goal reached" if best <= GOAL else "floor reached" if best <= FLOOR else "TOO SLOW"
        print(f"{name:32}{best:6.2f} µs  {median(taken):6.2f} µs  {verdict} (goal {GOAL}, floor {FLOOR})")


if __name__ == "__main__":
    main()
