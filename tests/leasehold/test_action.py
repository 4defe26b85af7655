"""`@action`: one durable transaction, tried again where the same work may succeed."""

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


class Fault(Exception):
    """What psycopg raises below Django."""

    def __init__(self, sqlstate: str) -> None:
        super().__init__(sqlstate)
        self.sqlstate = sqlstate


def fault(sqlstate: str, text: str) -> OperationalError:
    error = OperationalError(text)
    error.__cause__ = Fault(sqlstate)
    return error


def deadlock() -> OperationalError:
    return fault("40P01", "database is locked")


class Verb:
    """An action that fails as it is told, one failure after the other, and then succeeds."""

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


def tries_kept() -> list[str]:
    return list(Lease.objects.values_list("resource", flat=True))


def test_a_deadlock_or_a_locked_database_is_tried_again_from_the_start():
    verb = Verb(deadlock(), deadlock(), deadlock())
    assert verb.run() == "done"
    assert verb.tries == TRIES == 4
    assert tries_kept() == ["try:4"]


def test_after_the_third_retry_the_caller_is_told_to_try_again():
    verb = Verb(*[deadlock() for _ in range(4)])
    with pytest.raises(TryAgain) as refusal:
        verb.run()
    assert verb.tries == 4
    assert tries_kept() == []
    assert isinstance(refusal.value.__cause__, OperationalError)


def test_a_lock_that_is_not_had_in_time_is_not_waited_for_again():
    if connection.vendor != "postgresql":
        return  # SQLite has one lock, and says that the database is locked
    verb = Verb(fault("55P03", "canceling statement due to lock timeout"))
    with pytest.raises(TryAgain):
        verb.run()
    assert verb.tries == 1


@pytest.mark.parametrize(
    "error",
    [
        fault("53300", "too many connections"),
        fault("57P01", "terminating connection"),
        OperationalError("disk I/O error"),
    ],
    ids=str,
)
def test_another_fault_of_the_database_is_not_hidden(error):
    verb = Verb(error)
    with pytest.raises(OperationalError) as raised:
        verb.run()
    assert raised.value is error
    assert (verb.tries, tries_kept()) == (1, [])


def test_a_refusal_undoes_everything_and_is_not_tried_again():
    verb = Verb(Forbidden())
    with pytest.raises(Forbidden):
        verb.run()
    assert (verb.tries, tries_kept()) == (1, [])


def test_a_lost_insert_race_is_judged_again_and_sees_the_winner(art: Project, alice: User):
    """H33: somebody else's row came first. The second look finds it, and the loser can still write."""
    looks = iter([False, True])  # the first was too early to see what had not been committed yet

    @action
    def join() -> str:
        Lease.objects.create(resource="artifact:1")
        if next(looks):
            return "a member already"
        Membership.objects.create(project=art, user=alice, role=Role.VIEWER, created_at=clock.now())
        return "joined"

    assert join() == "a member already"
    assert tries_kept() == ["artifact:1"]


def test_a_row_in_the_way_that_no_look_ever_finds_is_our_fault(art: Project, alice: User):
    tries = []

    @action
    def join() -> None:
        tries.append(1)
        Membership.objects.create(project=art, user=alice, role=Role.VIEWER, created_at=clock.now())

    with pytest.raises(IntegrityError):
        join()
    assert len(tries) == TRIES


def test_a_check_violated_is_our_fault_and_not_tried_again():
    tries = []

    @action
    def spoil() -> None:
        tries.append(1)
        Lease.objects.create(resource="artifact:1", fence=-1)

    with pytest.raises(IntegrityError):
        spoil()
    assert len(tries) == 1


def test_an_action_never_runs_inside_another_transaction():
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


def test_a_unique_constraint_is_known_from_other_faults_on_either_database(art: Project, alice: User, hero: Artifact):
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


def test_arguments_and_answer_pass_through():
    @action
    def add(*, one: int, other: int) -> int:
        """Adds."""
        return one + other

    assert add(one=1, other=2) == 3
    assert (add.__name__, add.__doc__) == ("add", "Adds.")
