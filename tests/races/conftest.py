"""Run verbs concurrently, or one in the gap between two steps of another, in real threads and transactions."""

from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from threading import Barrier, Event
from typing import Any

import pytest
from django.db import connection, connections

from leasehold.exceptions import Refusal
from tests.invariants import assert_sound

PATIENCE = 60  # seconds until a test gives up on a thread
Verb = Callable[[], Any]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.path.parent.name == "races":
            item.add_marker(pytest.mark.races)
            item.add_marker(pytest.mark.django_db(transaction=True))
            item.add_marker(pytest.mark.usefixtures("sound_race"))


@pytest.fixture
def sound_race(transactional_db) -> Iterator[None]:
    yield
    assert_sound()


class Crowd:
    """Threads that keep their database connections, as the server's threads do."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.pool = ThreadPoolExecutor(size)
        self.at_once(*[connection.ensure_connection] * size)

    def at_once(self, *verbs: Verb) -> list[Any]:
        """Run the verbs at the same time, each in its own thread, and return their results in order.

        A refusal counts as a result. Any other exception is raised.
        """
        barrier = Barrier(len(verbs))

        def run(verb: Verb) -> Any:
            barrier.wait(PATIENCE)
            try:
                return verb()
            except Refusal as refusal:
                return refusal

        return [future.result(PATIENCE) for future in [self.pool.submit(run, verb) for verb in verbs]]

    def leave(self) -> None:
        self.at_once(*[connections.close_all] * self.size)
        self.pool.shutdown()


@pytest.fixture
def crowd(sound_race) -> Iterator[Callable[[int], Crowd]]:
    """`crowd(32)` starts 32 threads. They close their connections before the tables are emptied."""
    crowds: list[Crowd] = []

    def gather(size: int) -> Crowd:
        crowds.append(Crowd(size))
        return crowds[-1]

    yield gather
    for gathered in crowds:
        gathered.leave()


class Nap:
    """Replaces a step of a verb, so that the first thread that calls it sleeps before it until it is woken."""

    def __init__(self, patch: pytest.MonkeyPatch, owner: object, step: str) -> None:
        self.asleep, self.awake = Event(), Event()
        real = getattr(owner, step)

        def napping(*args: Any, **kwargs: Any) -> Any:
            if not self.asleep.is_set():
                self.asleep.set()
                assert self.awake.wait(PATIENCE), "nobody woke me"
            return real(*args, **kwargs)

        patch.setattr(owner, step, napping)


class Gap:
    """Lets one verb sleep before a named step, while another verb runs to its end or until it waits for a lock."""

    def __init__(self, crowd: Crowd, patch: pytest.MonkeyPatch) -> None:
        self.crowd, self.patch = crowd, patch

    def between(self, sleeper: Verb, owner: object, step: str, other: Verb) -> tuple[Any, Any]:
        """Return the results or refusals of the sleeper and of the other verb."""
        nap, begun = Nap(self.patch, owner, step), Event()

        def run(verb: Verb) -> Any:
            try:
                return verb()
            except Refusal as refusal:
                return refusal

        def begin() -> Any:
            begun.set()
            return run(other)

        first = self.crowd.pool.submit(run, sleeper)
        while not nap.asleep.is_set():
            assert not first.done(), f"the sleeper never called {step}: {first.result()}"
            nap.asleep.wait(0.01)
        second = self.crowd.pool.submit(begin)
        assert begun.wait(PATIENCE)
        wait_until_done_or_blocked(second)
        nap.awake.set()
        return first.result(PATIENCE), second.result(PATIENCE)


def wait_until_done_or_blocked(future: "Future[Any]") -> None:
    """Wait until the verb is done or waits for a lock.

    PostgreSQL shows who waits. On SQLite the sleeper has the only lock, so the other waits after a moment.
    """
    if connection.vendor != "postgresql":
        wait([future], timeout=0.05)
        return
    for _ in range(2_000):
        if wait([future], timeout=0.005).done:
            return
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
            )
            if cursor.fetchone()[0]:
                return
    raise AssertionError("neither done nor waiting for a lock")


@pytest.fixture
def gap(crowd: Callable[[int], Crowd], monkeypatch: pytest.MonkeyPatch) -> Gap:
    return Gap(crowd(2), monkeypatch)


@pytest.fixture
def on_sqlite() -> bool:
    return connection.vendor == "sqlite"
