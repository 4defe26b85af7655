"""Concurrent sets of leases that overlap: no deadlock, no double holder, no long wait."""

import random
import time
from threading import Lock

from django.db import connection, transaction

from leasehold import leases
from leasehold.exceptions import Busy
from leasehold.models import Lease

RESOURCES = [f"scope:key-{number:02}" for number in range(12)]
THREADS = 16


class Ledger:
    """Which holder has which resource, as the threads see it, beside the database."""

    def __init__(self) -> None:
        self.lock, self.held, self.doubles = Lock(), {}, []

    def took(self, holder: str, resources: list[str]) -> None:
        with self.lock:
            self.doubles += [(name, holder, self.held[name]) for name in resources if name in self.held]
            self.held |= dict.fromkeys(resources, holder)

    def refused(self, holder: str, resources: list[str], busy: Busy) -> None:
        assert {lease.resource for lease in busy.leases} <= set(resources)
        assert holder not in {lease.holder for lease in busy.leases}

    def gives(self, resources: list[str]) -> None:
        with self.lock:
            for name in resources:
                del self.held[name]


def worker(number: int, ledger: Ledger, times: int):
    """Acquire and free random sets in plain transactions, in which a deadlock is an error and not retried."""
    chance = random.Random(number)

    def run() -> int:
        granted = 0
        for attempt in range(times):
            names = chance.sample(RESOURCES, chance.randint(1, 6))
            holder = f"checkout:{number}-{attempt}:user:u{number}"
            try:
                with transaction.atomic():
                    wants = [leases.Want(name, holder) for name in names]
                    leases.acquire(wants, participant=f"user:u{number}", ttl=60)
            except Busy as busy:
                ledger.refused(holder, names, busy)
                continue
            granted += 1
            ledger.took(holder, names)
            ledger.gives(names)
            with transaction.atomic():
                leases.lock(names)
                assert leases.free(Lease.objects.filter(resource__in=names, holder=holder)) == len(names)
        return granted

    return run


def test_overlapping_sets_never_deadlock(crowd, on_sqlite: bool):
    times = 5 if on_sqlite else 25  # SQLite commits one by one, each with a disk sync
    ledger, people = Ledger(), crowd(THREADS)
    earlier = deadlocks()  # PostgreSQL counts them over all the tests of a run
    began = time.monotonic()
    granted = people.at_once(*[worker(number, ledger, times) for number in range(THREADS)])
    assert time.monotonic() - began < 30  # some 5 s on a quiet machine; a deadlock costs 1 s each
    assert sum(granted) > 0
    assert ledger.doubles == []
    assert leases.read(RESOURCES) == []
    assert deadlocks() == earlier


def deadlocks() -> int:
    """The number of deadlocks in this PostgreSQL database; 0 on SQLite, which has one writer at a time."""
    if connection.vendor == "sqlite":
        return 0
    with connection.cursor() as cursor:
        cursor.execute("SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()")
        return cursor.fetchone()[0]


def test_of_two_overlapping_sets_one_wins_whole(crowd, on_sqlite: bool):
    """Sets in opposite orders, with rows that exist and rows that do not."""
    people = crowd(2)
    for number in range(5 if on_sqlite else 20):
        old, fresh = f"scope:a{number % 2}", f"scope:b{number}"

        def take(who: str, *names: str):
            def run():
                wants = [leases.Want(name, f"checkout:{who}:user:{who}") for name in names]
                with transaction.atomic():
                    return leases.acquire(wants, participant=f"user:{who}", ttl=60)

            return run

        one, other = people.at_once(take("alice", old, fresh, "scope:x"), take("bob", "scope:y", fresh, old))
        assert isinstance(one, Busy) != isinstance(other, Busy)
        winner, loser = (other, one) if isinstance(one, Busy) else (one, other)
        assert {lease.holder for lease in loser.leases} == {winner[0].holder}
        assert [lease.resource for lease in loser.leases] == sorted([old, fresh])
        with transaction.atomic():
            names = [lease.resource for lease in winner]
            leases.lock(names)
            leases.free(Lease.objects.filter(resource__in=names))
