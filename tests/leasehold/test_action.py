"""`@action` runs a function in one durable transaction, and again after an error that may not recur."""

import uuid

import pytest
from django.db import IntegrityError, OperationalError, connection, transaction

from checkouts.models import Artifact, Blob, Version
from leasehold.actions import action
from leasehold.database import clock
from leasehold.database.transactions import TRIES, violated_constraint
from leasehold.exceptions import Forbidden, TryAgain
from leasehold.models import Lease, Membership, Project, Role, User
from tests.factories import make_account, make_project

pytestmark = pytest.mark.django_db


class PsycopgError(Exception):
    """What psycopg raises, and Django wraps."""

    def __init__(self, sqlstate: str) -> None:
        super().__init__(sqlstate)
        self.sqlstate = sqlstate


def operational_error(sqlstate: str, text: str) -> OperationalError:
    error = OperationalError(text)
    error.__cause__ = PsycopgError(sqlstate)
    return error


def deadlock() -> OperationalError:
    return operational_error("40P01", "database is locked")


class Verb:
    """An action that raises the given errors, one in each run, and then succeeds."""

    def __init__(self, *failures: Exception) -> None:
        self.failures = list(failures)
        self.tries = 0

    @property
    def run(self):
        @action
        def verb() -> str:
            self.tries += 1
            Lease.objects.create(resource=f"try:{self.tries}")
            if self.failures:
                raise self.failures.pop(0)
            return "done"

        return verb


def committed_tries() -> list[str]:
    return list(Lease.objects.values_list("resource", flat=True))


def test_a_deadlock_is_retried_from_the_start():
    verb = Verb(deadlock(), deadlock(), deadlock())
    assert verb.run() == "done"
    assert verb.tries == TRIES == 4
    assert committed_tries() == ["try:4"]


def test_the_third_failed_retry_raises_try_again():
    verb = Verb(*[deadlock() for _ in range(4)])
    with pytest.raises(TryAgain) as refusal:
        verb.run()
    assert verb.tries == 4
    assert committed_tries() == []
    assert isinstance(refusal.value.__cause__, OperationalError)


def test_a_lock_timeout_is_not_retried():
    if connection.vendor != "postgresql":
        return  # SQLite has one lock and only reports that the database is locked
    verb = Verb(operational_error("55P03", "canceling statement due to lock timeout"))
    with pytest.raises(TryAgain):
        verb.run()
    assert verb.tries == 1


@pytest.mark.parametrize(
    "error",
    [
        operational_error("53300", "too many connections"),
        operational_error("57P01", "terminating connection"),
        OperationalError("disk I/O error"),
    ],
    ids=str,
)
def test_other_database_errors_are_not_hidden(error):
    verb = Verb(error)
    with pytest.raises(OperationalError) as raised:
        verb.run()
    assert raised.value is error
    assert (verb.tries, committed_tries()) == (1, [])


def test_a_refusal_rolls_back_and_is_not_retried():
    verb = Verb(Forbidden())
    with pytest.raises(Forbidden):
        verb.run()
    assert (verb.tries, committed_tries()) == (1, [])


def test_a_lost_insert_race_is_retried_and_sees_the_winner(art: Project, alice: User):
    """The second run finds the row that another transaction has inserted, and it can still write."""
    looks = iter([False, True])  # the first look is too early to see the uncommitted row

    @action
    def join() -> str:
        Lease.objects.create(resource="artifact:1")
        if next(looks):
            return "a member already"
        Membership.objects.create(project=art, user=alice, role=Role.VIEWER, created_at=clock.now())
        return "joined"

    assert join() == "a member already"
    assert committed_tries() == ["artifact:1"]


def test_a_unique_violation_on_every_try_is_an_error(art: Project, alice: User):
    tries = []

    @action
    def join() -> None:
        tries.append(1)
        Membership.objects.create(project=art, user=alice, role=Role.VIEWER, created_at=clock.now())

    with pytest.raises(IntegrityError):
        join()
    assert len(tries) == TRIES


def test_a_violated_check_constraint_is_not_retried():
    tries = []

    @action
    def spoil() -> None:
        tries.append(1)
        Lease.objects.create(resource="artifact:1", fence=-1)

    with pytest.raises(IntegrityError):
        spoil()
    assert len(tries) == 1


def test_an_action_refuses_to_run_inside_a_transaction():
    with transaction.atomic(), pytest.raises(RuntimeError, match="durable"):
        Verb().run()


@pytest.fixture
def hero(art: Project, alice: User) -> Artifact:
    return artifact(art, alice)


def artifact(art: Project, alice: User, key: str = "hero.psd") -> Artifact:
    at = clock.now()
    return Artifact.objects.create(
        project=art, path=key, path_key=key, head_size=0, changed_at=at, created_at=at, created_by=alice
    )


def version(hero: Artifact, alice: User) -> Version:
    at = clock.now()
    blob = Blob.objects.create(key=uuid.uuid4(), digest="sha256:0", size=0, created_at=at)
    return Version.objects.create(
        artifact=hero, number=1, blob=blob, digest="sha256:0", size=0, author=alice, created_at=at
    )


def test_unique_violations_are_told_from_other_errors(art: Project, alice: User, hero: Artifact):
    blob = version(hero, alice).blob
    Lease.objects.create(resource="artifact:1")
    doubles = [
        lambda: artifact(art, alice),
        lambda: version(hero, alice),
        lambda: Membership.objects.create(project=art, user=alice, role=Role.VIEWER, created_at=clock.now()),
        lambda: make_account("ALICE"),
        lambda: make_project("art"),
        lambda: Lease.objects.create(resource="artifact:1"),
        lambda: Blob.objects.create(key=blob.key, digest="sha256:0", size=0, created_at=clock.now()),
    ]
    others = [
        lambda: Lease.objects.create(resource="artifact:2", fence=-1),
        lambda: Lease.objects.create(resource="artifact:2", holder=None),
    ]
    for broken in doubles + others:
        with pytest.raises(IntegrityError) as error, transaction.atomic():
            broken()
        assert (violated_constraint(error.value) is not None) == (broken in doubles)


def test_arguments_and_result_pass_through():
    @action
    def add(*, one: int, other: int) -> int:
        """Adds."""
        return one + other

    assert add(one=1, other=2) == 3
    assert (add.__name__, add.__doc__) == ("add", "Adds.")
