"""One suite, both implementations of `RoleContextLocks`: in memory, and on the lease table."""

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
from leasehold.pass_names import resource_of, role_and_context
from leasehold.passes.lease_table import LeaseRoleContextLocks
from leasehold.passes.memory import RoleContextLockTable
from leasehold.passes.protocol import RoleContextLocks


@dataclass
class Stand:
    """An implementation, and its clock, which moves on when it is told."""

    locks: RoleContextLocks
    forward: Callable[..., None]
    now: Callable[[], datetime]

    def take(self, role="critic", context="chapter-3", pass_id="p1", ttl=0):  # noqa: S107  (no password)
        return self.locks.try_acquire(role, context, pass_id, ttl)

    def holder(self, role="critic", context="chapter-3"):
        return self.locks.inspect_holder(role, context)


@pytest.fixture(params=["in memory", "on the lease table"])
def stand(request) -> Stand:
    if request.param == "on the lease table":
        clock, admin = request.getfixturevalue("clock"), request.getfixturevalue("admin")
        return Stand(LeaseRoleContextLocks(Actor(admin)), clock.forward, clock.now)
    moved = 0.0

    def forward(**by):
        nonlocal moved
        moved += timedelta(**by).total_seconds()

    def now() -> float:
        return time.time() + moved

    return Stand(RoleContextLockTable(now), forward, lambda: datetime.fromtimestamp(now()).astimezone())


def test_it_is_taken_seen_and_given_back(stand):
    assert stand.holder() is None
    before = stand.now() - timedelta(seconds=1)
    token = stand.take()
    assert (token.role, token.context, token.pass_id, token.expires_at) == ("critic", "chapter-3", "p1", None)
    assert before < token.acquired_at <= stand.now()
    assert stand.holder() == "p1"
    token.release()
    assert stand.holder() is None
    assert stand.take(pass_id="p2").pass_id == "p2"


@pytest.mark.parametrize("pass_id", ["p1", "p2"])
def test_any_live_holder_refuses_the_same_pass_id_included(stand, pass_id):
    token = stand.take()
    with pytest.raises(RoleContextBusy) as refused:
        stand.take(pass_id=pass_id)
    busy = refused.value
    assert (busy.pass_id, busy.role, busy.context) == ("p1", "critic", "chapter-3")
    assert busy.acquired_at == token.acquired_at
    assert busy.code == "role_context_busy"


@pytest.mark.races
def test_of_two_threads_on_one_key_one_wins_and_the_other_is_told_by_whom(stand):
    def one(pass_id):
        barrier.wait(30)
        try:
            return stand.take(pass_id=pass_id)
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


def test_release_is_idempotent_and_silent(stand):
    token = stand.take()
    for _ in range(3):
        assert token.release() is None
    other = stand.take(pass_id="p2")
    token.release()
    assert stand.holder() == "p2"
    other.release()
    assert stand.holder() is None


def test_a_stale_token_changes_nothing(stand):
    stale = stand.take(ttl=10)
    stand.forward(seconds=11)
    assert stand.holder() is None
    new = stand.take(pass_id="p2", ttl=60)
    assert new.fence > stale.fence
    assert stale.renew(600) is False
    stale.release()
    assert stand.holder() == "p2"
    with pytest.raises(RoleContextBusy):
        stand.take(pass_id="p3")
    assert new.renew(60) is True


def test_one_that_has_run_out_is_overwritten_and_one_without_an_end_is_not(stand):
    stand.take(ttl=10)
    stand.forward(seconds=9)
    with pytest.raises(RoleContextBusy):
        stand.take(pass_id="p2")
    stand.forward(seconds=2)
    stand.take(pass_id="p2")
    stand.forward(days=4000)
    with pytest.raises(RoleContextBusy):
        stand.take(pass_id="p3")


def test_renewing_goes_on_from_now_and_keeps_fence_and_beginning(stand):
    token = stand.take(ttl=10)
    fence, began = token.fence, token.acquired_at
    stand.forward(seconds=8)
    assert token.renew(10) is True
    assert timedelta(seconds=9) < token.expires_at - stand.now() <= timedelta(seconds=10)
    assert (token.fence, token.acquired_at) == (fence, began)
    stand.forward(seconds=9)
    assert stand.holder() == "p1"
    assert token.renew(0) is True
    assert token.expires_at is None
    stand.forward(days=400)
    assert stand.holder() == "p1"
    assert token.renew(5) is True
    stand.forward(seconds=6)
    assert stand.holder() is None
    assert token.renew(5) is True, "nobody came in between"


def test_after_its_release_a_token_renews_nothing(stand):
    token = stand.take(ttl=10)
    token.release()
    assert token.renew(10) is False
    assert stand.holder() is None


def test_expire_older_than_leaves_those_without_an_end(stand):
    short, long = stand.take(context="short", ttl=10), stand.take(context="long", ttl=1000)
    stand.take(context="endless")
    assert stand.locks.expire_older_than(stand.now()) == 0
    stand.forward(seconds=11)
    assert stand.locks.expire_older_than(stand.now()) == 1
    assert stand.locks.expire_older_than(stand.now()) == 0
    assert short.renew(10) is False
    assert stand.holder(context="long") == "p1"
    assert stand.locks.expire_older_than(long.expires_at) == 1
    assert stand.holder(context="long") is None
    assert stand.holder(context="endless") == "p1"


def test_other_keys_are_others(stand):
    tokens = [stand.take(role, context) for role in ("critic", "writer") for context in ("a", "b")]
    tokens[0].release()
    assert [stand.holder(token.role, token.context) for token in tokens] == [None, "p1", "p1", "p1"]


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
def test_names_that_look_alike_stay_apart(stand, one, other):
    stand.take(*one)
    assert stand.take(*other, pass_id="p2").pass_id == "p2"
    assert (stand.holder(*one), stand.holder(*other)) == ("p1", "p2")


@pytest.mark.parametrize(
    "pass_id", ["a:b", "pass:1:2", "5f0c3c9e-9d0c-4d3e-8f43-0d5f1c1a7f10", "Durchgang äöü", "x" * 200]
)
def test_a_pass_id_comes_back_as_it_went_in(stand, pass_id):
    assert stand.take(pass_id=pass_id).pass_id == pass_id
    assert stand.holder() == pass_id


@pytest.mark.parametrize("value", ["", " ", "\t\n", "x" * 201, "é" * 101, "a\0b", "\ud800", None, 7, b"a"])
@pytest.mark.parametrize("field", ["role", "context", "pass_id"])
def test_what_is_no_name_is_refused_by_its_field(stand, field, value):
    stand.take()  # names that were good once do not make others good
    with pytest.raises(Invalid) as refused:
        stand.take(**{field: value})
    assert [error["field"] for error in refused.value.errors] == [field]


@pytest.mark.parametrize("ttl", [-1, 0.5, True, "60", None, float("nan"), leases.MAX_TTL + 1, 2**63])
def test_what_is_no_length_of_time_is_refused(stand, ttl):
    with pytest.raises(Invalid) as refused:
        stand.take(ttl=ttl)
    assert refused.value.errors[0]["field"] == "ttl"
    assert stand.holder() is None
    token = stand.take(ttl=leases.MAX_TTL)
    with pytest.raises(Invalid):
        token.renew(ttl)
    assert stand.holder() == "p1"


def test_as_a_context_manager_it_is_given_back_also_on_an_error(stand):
    with stand.take() as token:
        assert stand.holder() == token.pass_id == "p1"
    assert stand.holder() is None
    with pytest.raises(ZeroDivisionError), stand.take():
        1 / 0  # noqa: B018
    assert stand.holder() is None


def test_the_fence_counts_on(stand):
    fences = []
    for number in range(3):
        with stand.take(pass_id=f"p{number}") as token:
            fences.append(token.fence)
    assert fences == [1, 2, 3]


# --- of one implementation only ---


def test_both_know_the_same_longest_time():
    assert pass_names.MAX_TTL == leases.MAX_TTL


@pytest.mark.parametrize(("role", "context"), [("a/b", "c"), ("a", "b/c"), ("100%", "ü/é"), ("a:b", "#?&")])
def test_a_resource_says_its_role_and_context(role, context):
    assert role_and_context(resource_of(role, context)) == (role, context)
    assert resource_of(role, context).count("/") == 1


def test_on_the_lease_table_the_journal_tells_and_the_row_stays(admin):
    locks = LeaseRoleContextLocks(Actor(admin))
    with locks.try_acquire("critic", "a", "p1"):
        row = Lease.objects.get()
        assert (row.resource, row.participant, row.expires_at, row.place) == ("role:critic/a", "user:admin", None, "")
        assert row.holder.endswith(":p1")
    assert list(Entry.objects.order_by("id").values_list("kind", flat=True)) == ["pass_acquired", "pass_released"]
    assert Lease.objects.get().holder == ""


def test_two_tables_in_memory_are_two_worlds():
    RoleContextLockTable().try_acquire("critic", "a", "p1")
    assert RoleContextLockTable().inspect_holder("critic", "a") is None
