"""The ledger's figures, on a PostgreSQL of its own (fsync off) or on DATABASE_URL.

    .venv/bin/python bench/bench_ledger.py

Ratios within this run count; the rates are this machine's.
"""

import os
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from statistics import median

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests import postgres

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "leasehold.settings")
os.environ["LEASEHOLD_DATA"] = tempfile.mkdtemp(prefix="leasehold-bench-")
os.environ.setdefault("DATABASE_URL", postgres.url_for("postgres"))

import django

django.setup()

from django.core.management import call_command
from django.db import connection, connections

from checkouts.actions.holding import discard
from leasehold.actions import reconcile, sessions
from leasehold.actors import Actor
from leasehold.models import Role
from tests.factories import make_account, make_member, make_project
from tests.scenes import out, put
from tests.work import approved, send_back, start

THREADS, SECONDS, TURNS = 8, 3.0, 4
ENDED, LIVE = 1_000_000, 10_000


def main() -> None:
    call_command("migrate", verbosity=0)
    art = make_project("art")
    alice, olga = make_account("alice"), make_account("olga")
    make_member(art, alice, Role.EDITOR)
    make_member(art, olga, Role.OPERATOR)
    check_outs(alice, olga)
    probe(alice, olga, art)


def check_outs(alice, olga) -> None:
    """Check-out and discard, as fast as they go, without a declared key above the files and with one, in turns."""
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
    until = time.perf_counter() + SECONDS

    def work(file) -> int:
        done = 0
        while time.perf_counter() < until:
            discard(actor=Actor(user), checkout_id=out(user, file).checkout.pk)
            done += 1
        return done

    return sum(pool.map(work, files)) / SECONDS


def probe(alice, olga, art) -> None:
    """What every command pays for reconcile when nothing has lapsed."""
    empty, one = timed(reconcile.expire_sessions), timed(select_one)
    fill(alice.pk, olga.pk, art.pk)
    full = timed(reconcile.expire_sessions)
    print(f"reconcile, nothing lapsed: {empty:.0f} µs in an empty ledger, {full:.0f} µs with {ENDED:,} ended and")
    print(f"  {LIVE:,} live sessions: {full / empty:.2f}× (goal 2×); SELECT 1 takes {one:.0f} µs")
    print(plan())
    run("UPDATE leasehold_session SET lease_until = started_at + interval '1 second' WHERE status = 'active'")
    begun = time.perf_counter()
    expired = len(reconcile.expire_sessions())
    took = time.perf_counter() - begun
    print(f"{expired:,} lapsed sessions written down in {took:.2f} s: {expired / took:,.0f}/s")
    print(f"reconcile right after: {timed(reconcile.expire_sessions):.0f} µs")


def fill(worker: int, operator: int, project: int) -> None:
    run(
        f"""
        INSERT INTO leasehold_ticket
          (project_id, title, description, status, state_since, created_at, created_by_id, approved_by_id)
        SELECT {project}, 'Work', '', CASE WHEN n <= {LIVE} THEN 'IN_PROGRESS' ELSE 'DONE' END,
               now() - interval '2 days', now() - interval '2 days', {worker}, {operator}
        FROM generate_series(1, {LIVE} + 1000) AS n
        """
    )
    columns = "ticket_id, worker_id, label, status, ttl, started_at, lease_until, ended_at, outcome, stop_reason"
    run(
        f"""
        INSERT INTO leasehold_session ({columns})
        SELECT (SELECT max(id) FROM leasehold_ticket) - n % 1000, {worker}, '', 'submitted', 900,
               now() - interval '2 days', now() - interval '1 day', now() - interval '1 day', '', ''
        FROM generate_series(1, {ENDED}) AS n
        """
    )
    run(
        f"""
        INSERT INTO leasehold_session ({columns})
        SELECT id, {worker}, '', 'active', 900, now() - interval '1 hour', now() + interval '1 day', NULL, '', ''
        FROM leasehold_ticket WHERE status = 'IN_PROGRESS'
        """
    )
    run("ANALYZE")


def plan() -> str:
    """The probe's plan, as PostgreSQL ran it."""
    with connection.execute_wrapper(explained):
        said: list[str] = []
        explained.said = said
        reconcile.expire_sessions()
    return "\n".join(said)


def explained(execute, sql, params, many, context):
    with connection.cursor() as cursor:
        cursor.cursor.execute(f"EXPLAIN (ANALYZE, COSTS OFF) {sql}", params)
        explained.said += [f"  {row[0]}" for row in cursor.cursor.fetchall()]
    return execute(sql, params, many, context)


def select_one() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
        cursor.fetchone()


def timed(verb, times: int = 2_000) -> float:
    """The median of one call, in microseconds."""
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
