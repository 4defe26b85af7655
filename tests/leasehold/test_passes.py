"""The same tests for both implementations of `RoleContextLocks`: in memory, and on the lease table."""

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime, timedelta
from threading import Barrier

import pytest
from django.db import connection

from leasehold import leases, pass_names
from leasehold.actors import Actor
from leasehold.exceptions import Invalid, RoleContextBusy
from leasehold.models import Entry, Lease
from leasehold.pass_names import pass_resource, role_and_context
from leasehold.passes.lease_table import LeaseRoleContextLocks
from leasehold.passes.memory import RoleContextLockTable
from leasehold.passes.protocol import RoleContextLocks


@dataclass
class Subject:
    """The implementation under test, and its clock, which tests can move."""

    locks: RoleContextLocks
    forward: Callable[..., None]
    now: Callable[[], datetime]

    def take(self, role="critic", context="chapter-3", pass_id="p1", ttl=0):  # noqa: S107  (no password)
        return self.locks.try_acquire(role, context, pass_id, ttl)

    def holder(self, role="critic", context="chapter-3"):
        return self.locks.inspect_holder(role, context)


@pytest.fixture(params=["in memory", "on the lease table"])
def subject(request) -> Subject:
    if request.param == "on the lease table":
        clock, admin = request.getfixturevalue("clock"), request.getfixturevalue("admin")
        return Subject(LeaseRoleContextLocks(Actor(admin)), clock.forward, clock.now)
    moved = 0.0

    def forward(**by):
        nonlocal moved
        moved += timedelta(**by).total_seconds()

    def now() -> float:
        return time.time() + moved

    return Subject(RoleContextLockTable(now), forward, lambda: datetime.fromtimestamp(now()).astimezone())


def test_acquire_inspect_and_release(subject):
    assert subject.holder() is None
    before = subject.now() - timedelta(seconds=1)
    token = subject.take()
    assert (token.role, token.context, token.pass_id, token.expires_at) == ("critic", "chapter-3", "p1", None)
    assert before < token.acquired_at <= subject.now()
    assert subject.holder() == "p1"
    token.release()
    assert subject.holder() is None
    assert subject.take(pass_id="p2").pass_id == "p2"


@pytest.mark.parametrize("pass_id", ["p1", "p2"])
def test_a_live_holder_refuses_even_the_same_pass_id(subject, pass_id):
    token = subject.take()
    with pytest.raises(RoleContextBusy) as refused:
        subject.take(pass_id=pass_id)
    busy = refused.value
    assert (busy.pass_id, busy.role, busy.context) == ("p1", "critic", "chapter-3")
    assert busy.acquired_at == token.acquired_at
    assert busy.code == "role_context_busy"


@pytest.mark.races
def test_of_two_threads_one_wins(subject):
    def one(pass_id):
        barrier.wait(30)
        try:
            return subject.take(pass_id=pass_id)
        except RoleContextBusy as busy:
            return busy
        finally:
            connection.close()

    for _ in range(10):
        barrier = Barrier(2)
        with ThreadPoolExecutor(2) as pool:
            answers = list(pool.map(one, ["p1", "p2"]))
        (refused,) = [answer for answer in answers if isinstance(answer, RoleContextBusy)]
        (token,) = [answer for answer in answers if answer is not refused]
        assert (refused.pass_id, refused.acquired_at) == (token.pass_id, token.acquired_at)
        token.release()


def test_release_is_idempotent_and_silent(subject):
    token = subject.take()
    for _ in range(3):
        assert token.release() is None
    other = subject.take(pass_id="p2")
    token.release()
    assert subject.holder() == "p2"
    other.release()
    assert subject.holder() is None


def test_a_stale_token_changes_nothing(subject):
    stale = subject.take(ttl=10)
    subject.forward(seconds=11)
    assert subject.holder() is None
    new = subject.take(pass_id="p2", ttl=60)
    assert new.fence > stale.fence
    assert stale.renew(600) is False
    stale.release()
    assert subject.holder() == "p2"
    with pytest.raises(RoleContextBusy):
        subject.take(pass_id="p3")
    assert new.renew(60) is True


def test_an_expired_pass_is_overwritten(subject):
    subject.take(ttl=10)
    subject.forward(seconds=9)
    with pytest.raises(RoleContextBusy):
        subject.take(pass_id="p2")
    subject.forward(seconds=2)
    subject.take(pass_id="p2")
    subject.forward(days=4000)
    with pytest.raises(RoleContextBusy):
        subject.take(pass_id="p3")


def test_renew_counts_from_now(subject):
    token = subject.take(ttl=10)
    fence, began = token.fence, token.acquired_at
    subject.forward(seconds=8)
    assert token.renew(10) is True
    assert timedelta(seconds=9) < token.expires_at - subject.now() <= timedelta(seconds=10)
    assert (token.fence, token.acquired_at) == (fence, began)
    subject.forward(seconds=9)
    assert subject.holder() == "p1"
    assert token.renew(0) is True
    assert token.expires_at is None
    subject.forward(days=400)
    assert subject.holder() == "p1"
    assert token.renew(5) is True
    subject.forward(seconds=6)
    assert subject.holder() is None
    assert token.renew(5) is True, "no other pass had the lock in between"


def test_a_released_token_renews_nothing(subject):
    token = subject.take(ttl=10)
    token.release()
    assert token.renew(10) is False
    assert subject.holder() is None


def test_expire_older_than_leaves_passes_without_expiry(subject):
    short, long = subject.take(context="short", ttl=10), subject.take(context="long", ttl=1000)
    subject.take(context="endless")
    assert subject.locks.expire_older_than(subject.now()) == 0
    subject.forward(seconds=11)
    assert subject.locks.expire_older_than(subject.now()) == 1
    assert subject.locks.expire_older_than(subject.now()) == 0
    assert short.renew(10) is False
    assert subject.holder(context="long") == "p1"
    assert subject.locks.expire_older_than(long.expires_at) == 1
    assert subject.holder(context="long") is None
    assert subject.holder(context="endless") == "p1"


def test_each_role_and_context_has_its_own_lock(subject):
    tokens = [subject.take(role, context) for role in ("critic", "writer") for context in ("a", "b")]
    tokens[0].release()
    assert [subject.holder(token.role, token.context) for token in tokens] == [None, "p1", "p1", "p1"]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (("a/b", "c"), ("a", "b/c")),
        (("a%2Fb", "c"), ("a/b", "c")),
        (("critic", "a"), ("Critic", "a")),
        (("critic", "a"), ("critic", "a ")),
        (("é", "a"), ("e\u0301", "a")),
        (("1", "%"), ("1", "_")),
    ],
)
def test_similar_names_are_different_locks(subject, one, other):
    subject.take(*one)
    assert subject.take(*other, pass_id="p2").pass_id == "p2"
    assert (subject.holder(*one), subject.holder(*other)) == ("p1", "p2")


@pytest.mark.parametrize(
    "pass_id", ["a:b", "pass:1:2", "5f0c3c9e-9d0c-4d3e-8f43-0d5f1c1a7f10", "Durchgang äöü", "x" * 200]
)
def test_a_pass_id_stays_as_it_is(subject, pass_id):
    assert subject.take(pass_id=pass_id).pass_id == pass_id
    assert subject.holder() == pass_id


@pytest.mark.parametrize("value", ["", " ", "\t\n", "x" * 201, "é" * 101, "a\0b", "\ud800", None, 7, b"a"])
@pytest.mark.parametrize("field", ["role", "context", "pass_id"])
def test_an_invalid_name_is_refused_by_its_field(subject, field, value):
    subject.take()  # a valid call before must not skip the check
    with pytest.raises(Invalid) as refused:
        subject.take(**{field: value})
    assert [error["field"] for error in refused.value.errors] == [field]


@pytest.mark.parametrize("ttl", [-1, 0.5, True, "60", None, float("nan"), leases.MAX_TTL + 1, 2**63])
def test_an_invalid_ttl_is_refused(subject, ttl):
    with pytest.raises(Invalid) as refused:
        subject.take(ttl=ttl)
    assert refused.value.errors[0]["field"] == "ttl"
    assert subject.holder() is None
    token = subject.take(ttl=leases.MAX_TTL)
    with pytest.raises(Invalid):
        token.renew(ttl)
    assert subject.holder() == "p1"


def test_a_context_manager_releases_on_an_error_too(subject):
    with subject.take() as token:
        assert subject.holder() == token.pass_id == "p1"
    assert subject.holder() is None
    with pytest.raises(ZeroDivisionError), subject.take():
        1 / 0  # noqa: B018
    assert subject.holder() is None


def test_the_fence_counts_the_holders(subject):
    fences = []
    for number in range(3):
        with subject.take(pass_id=f"p{number}") as token:
            fences.append(token.fence)
    assert fences == [1, 2, 3]


# --- of one implementation only ---


def test_both_have_the_same_longest_ttl():
    assert pass_names.MAX_TTL == leases.MAX_TTL


@pytest.mark.parametrize(("role", "context"), [("a/b", "c"), ("a", "b/c"), ("100%", "ü/é"), ("a:b", "#?&")])
def test_a_resource_contains_its_role_and_context(role, context):
    assert role_and_context(pass_resource(role, context)) == (role, context)
    assert pass_resource(role, context).count("/") == 1


def test_the_lease_table_writes_the_journal(admin):
    locks = LeaseRoleContextLocks(Actor(admin))
    with locks.try_acquire("critic", "a", "p1"):
        row = Lease.objects.get()
        assert (row.resource, row.participant, row.expires_at, row.place) == ("role:critic/a", "user:admin", None, "")
        assert row.holder.endswith(":p1")
    assert list(Entry.objects.order_by("id").values_list("kind", flat=True)) == ["pass_acquired", "pass_released"]
    assert Lease.objects.get().holder == ""


def test_two_tables_in_memory_are_independent():
    RoleContextLockTable().try_acquire("critic", "a", "p1")
    assert RoleContextLockTable().inspect_holder("critic", "a") is None
