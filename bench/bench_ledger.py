"""Measure what reconcile and scope keys cost.

    .venv/bin/python bench/bench_ledger.py [sqlite|postgres|postgres://…] [--ended 1000000] [--lapsed 100000]
                                           [--seconds 3]    0 skips the check-outs

It uses a new SQLite database, a PostgreSQL that it starts (fsync off), or the database at an address. Compare the
ratios within one run; the rates depend on the machine.
"""

import argparse
import os
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from statistics import median

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests import postgres

parser = argparse.ArgumentParser()
parser.add_argument("database", nargs="?", default="postgres")
parser.add_argument("--ended", type=int, default=1_000_000, help="sessions that have ended long ago")
parser.add_argument("--live", type=int, default=10_000)
parser.add_argument("--lapsed", type=int, default=100_000)
parser.add_argument("--seconds", type=float, default=3.0, help="of each turn of check-outs")
SCALE = parser.parse_args()
DATA = tempfile.TemporaryDirectory(prefix="leasehold-bench-")

os.environ["DJANGO_SETTINGS_MODULE"] = "leasehold.settings"
os.environ["LEASEHOLD_DATA"] = DATA.name
os.environ["DATABASE_URL"] = postgres.url_for(SCALE.database)

import django

django.setup()

from django.core.management import call_command
from django.db import connection, connections

from checkouts.actions.holds import discard
from leasehold.actions import reconcile, sessions
from leasehold.actors import Actor
from leasehold.database import clock
from leasehold.models import Role
from tests.factories import make_account, make_member, make_project
from tests.scenes import out, put
from tests.work import approved, send_back, start

THREADS, TURNS = 8, 4
DAY = 24 * 3600  # seconds


def main() -> None:
    call_command("migrate", verbosity=0)
    art = make_project("art")
    alice, olga = make_account("alice"), make_account("olga")
    make_member(art, alice, Role.EDITOR)
    make_member(art, olga, Role.OPERATOR)
    print(f"{connection.vendor} {connection.get_database_version()}, load {os.getloadavg()[0]:.1f}")
    if SCALE.seconds:
        check_outs(alice, olga)
    probe(alice.pk, olga.pk, art.pk)
    print(f"load {os.getloadavg()[0]:.1f}")


def check_outs(alice, olga) -> None:
    """Print the check-outs with discard in a second, without and with a reserved key above the files, in turns."""
    files = [put(alice, f"heroes/{number}.psd", str(number)) for number in range(THREADS)]
    without, below = [], []
    with ThreadPoolExecutor(THREADS) as pool:
        for _ in range(TURNS):
            without.append(rate(pool, alice, files))
            session = start(alice, approved(alice, olga, "art/heroes"), ttl=3600)
            below.append(rate(pool, alice, files))
            sessions.submit(actor=Actor(alice), session_id=session.pk)
            send_back(olga, session.ticket)
        list(pool.map(lambda _: connections.close_all(), range(THREADS)))
    print(f"check-out + discard, {THREADS} threads: {median(without):.0f}/s without a key")
    print(f"  {median(below):.0f}/s below one: {median(below) / median(without):.2f} (goal 0.8)")


def rate(pool, user, files) -> float:
    until = time.perf_counter() + SCALE.seconds

    def work(file) -> int:
        done = 0
        while time.perf_counter() < until:
            discard(actor=Actor(user), checkout_id=out(user, file).checkout.pk)
            done += 1
        return done

    return sum(pool.map(work, files)) / SCALE.seconds


def probe(worker: int, operator: int, project: int) -> None:
    """Print what reconcile costs an action when nothing has lapsed, and how fast it writes many lapses down."""
    empty, one = timed(reconcile.expire_sessions), timed(select_one)
    done = work(worker, operator, project, count=1_000, status="DONE")
    fill(worker, done, tickets=1_000, count=SCALE.ended, status="submitted", until=-DAY, ended=clock.sql(-DAY))
    fill(worker, work(worker, operator, project, count=SCALE.live), tickets=SCALE.live, count=SCALE.live, until=DAY)
    run("ANALYZE")
    full = timed(reconcile.expire_sessions)
    print(f"reconcile, nothing lapsed: {empty:.0f} µs in an empty ledger, {full:.0f} µs with {SCALE.ended:,} ended and")
    print(f"  {SCALE.live:,} live sessions: {full / empty:.2f}× (goal 2×); SELECT 1 takes {one:.0f} µs")
    print(plan())
    fill(
        worker,
        work(worker, operator, project, count=SCALE.lapsed),
        tickets=SCALE.lapsed,
        count=SCALE.lapsed,
        until=-DAY,
    )
    run("ANALYZE")
    batches = timed_batches()
    begun, cpu = time.perf_counter(), time.process_time()
    expired = len(reconcile.expire_sessions())
    took, cpu = time.perf_counter() - begun, time.process_time() - cpu
    print(
        f"{expired:,} lapsed sessions written down in {took:.2f} s, of which {cpu:.2f} s of this process's processor:"
    )
    print(f"  {expired / took:,.0f}/s (goal 50,000, floor 20,000); {len(batches)} batches, the longest")
    print(f"  {max(batches) * 1e3:.0f} ms (at most 150), the median {median(batches) * 1e3:.0f} ms")
    after = timed(reconcile.expire_sessions)
    print(f"reconcile right after: {after:.0f} µs, {after / one:.1f}× SELECT 1 (goal 2×, floor 5×)")


def timed_batches() -> list[float]:
    """Measure every batch from now on; return the list to which their seconds are appended."""
    batches: list[float] = []
    expire_batch = reconcile.expire_batch

    def timed_batch(**limit):
        begun = time.perf_counter()
        try:
            return expire_batch(**limit)
        finally:
            batches.append(time.perf_counter() - begun)

    reconcile.expire_batch = timed_batch
    return batches


def work(worker: int, operator: int, project: int, *, count: int, status: str = "IN_PROGRESS") -> int:
    """Insert `count` tickets; return the id of the last ticket before them."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT coalesce(max(id), 0) FROM leasehold_ticket")
        last = cursor.fetchone()[0]
    run(
        f"""
        INSERT INTO leasehold_ticket
          (project_id, title, description, status, state_since, created_at, created_by_id, approved_by_id)
        {numbers(count)}
        SELECT {project}, 'Work', '', '{status}', {clock.sql(-2 * DAY)}, {clock.sql(-2 * DAY)}, {worker}, {operator}
        FROM numbers
        """
    )
    return last


def fill(
    worker: int, last: int, *, tickets: int, count: int, until: int, status: str = "active", ended: str = "NULL"
) -> None:
    """Insert `count` sessions, spread over the `tickets` after `last`; their leases end `until` seconds from now."""
    run(
        f"""
        INSERT INTO leasehold_session
          (ticket_id, worker_id, label, status, ttl, started_at, lease_until, ended_at, outcome, stop_reason)
        {numbers(count)}
        SELECT {last} + 1 + n % {tickets}, {worker}, '', '{status}', 900,
               {clock.sql(-2 * DAY)}, {clock.sql(until)}, {ended}, '', ''
        FROM numbers
        """
    )


def numbers(count: int) -> str:
    return f"WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < {count})"


def plan() -> str:
    """Return the plan of reconcile's look-up, as the database ran it."""
    lines: list[str] = []
    with connection.execute_wrapper(partial(explain_first, lines)):
        reconcile.expire_sessions()
    return "\n".join(lines)


def explain_first(lines: list[str], execute, sql, params, many, context):
    """Append the statement's plan to `lines`, then execute it."""
    explain = "EXPLAIN QUERY PLAN" if connection.vendor == "sqlite" else "EXPLAIN (ANALYZE, COSTS OFF)"
    with connection.cursor() as cursor:
        rows = cursor.cursor.execute(f"{explain} {sql}").fetchall()
        lines += [f"  {row[-1]}" for row in rows]
    return execute(sql, params, many, context)


def select_one() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
        cursor.fetchone()


def timed(verb, times: int = 2_000) -> float:
    """Return the median of one call in microseconds."""
    taken = []
    for _ in range(times):
        begun = time.perf_counter()
        verb()
        taken.append(time.perf_counter() - begun)
    return median(taken) * 1e6


def run(sql: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(sql)


if __name__ == "__main__":
    main()
