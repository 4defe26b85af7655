"""The lease engine, on either database: acquire, renew, release, move."""

from datetime import UTC, datetime, timedelta

import pytest
from django.db import IntegrityError, connection, transaction
from django.test.utils import CaptureQueriesContext

from leasehold import leases
from leasehold.database import clock as leasehold_clock
from leasehold.exceptions import Busy, Invalid
from leasehold.leases import HeldLease, Want
from leasehold.models import Lease, User

pytestmark = pytest.mark.django_db

HERO = "artifact:1"
ALICE, ALICES_OTHER_TAB, BOB = "checkout:1:user:alice", "checkout:2:user:alice", "checkout:3:user:bob"


def take(holder: str, *, resource: str = HERO, ttl: int = 3600, **more) -> HeldLease:
    return leases.acquire_one(resource, holder=holder, participant=holder.split(":", 2)[2], ttl=ttl, **more)


def acquire(holder: str, *resources: str, ttl: int = 3600, **more) -> list[HeldLease]:
    wants = [Want(resource, holder, place=f"art/{resource}") for resource in resources]
    return leases.acquire(wants, participant=holder.split(":", 2)[2], ttl=ttl, **more)


def rows() -> list[tuple]:
    return list(Lease.objects.order_by("resource").values_list())


# --- one lease -------------------------------------------------------------------------------------------------------


def test_a_free_resource_can_be_acquired():
    lease = take(ALICE, purpose="repaint", place="art/hero.psd")
    assert (lease.holder, lease.participant, lease.fence) == (ALICE, "user:alice", 1)
    assert (lease.purpose, lease.place, lease.kind) == ("repaint", "art/hero.psd", "checkout")
    assert lease.expires_in == 3600
    assert [held.as_facts() | {"expires_in": 3600} for held in leases.read([HERO])] == [lease.as_facts()]


def test_a_held_resource_is_refused_with_its_lease():
    held = take(ALICE, purpose="repaint")
    before = rows()
    with pytest.raises(Busy) as refusal, transaction.atomic():
        take(BOB, purpose="mine now")
    [lease] = refusal.value.leases
    assert (lease.holder, lease.purpose, lease.expires_at) == (ALICE, "repaint", held.expires_at)
    assert rows() == before


def test_two_tabs_are_two_holders():
    take(ALICE)
    with pytest.raises(Busy):
        take(ALICES_OTHER_TAB)


def test_acquiring_again_by_the_same_holder_renews(clock):
    first = take(ALICE)
    clock.forward(minutes=30)
    again = take(ALICE)
    assert (again.fence, again.acquired_at) == (first.fence, first.acquired_at)
    assert again.expires_at - first.expires_at >= timedelta(minutes=30)


def test_a_lapsed_lease_can_be_acquired_without_a_sweeper(clock):
    take(ALICE, ttl=60)
    clock.forward(seconds=59)
    with pytest.raises(Busy), transaction.atomic():
        take(BOB)
    clock.forward(seconds=2)
    assert leases.read([HERO]) == []
    bobs = take(BOB)
    assert (bobs.holder, bobs.fence) == (BOB, 2)


def test_the_fence_grows_and_never_restarts():
    assert take(ALICE).fence == 1
    leases.release(HERO, holder=ALICE)
    assert take(BOB).fence == 2
    leases.release(HERO, holder=BOB)
    assert take(ALICE).fence == 3


def test_a_lease_with_ttl_0_never_expires(clock):
    lease = take(ALICE, ttl=0)
    assert (lease.expires_at, lease.expires_in) == (None, None)
    assert leases.renew(HERO, holder=ALICE, fence=lease.fence, ttl=0).expires_at is None
    assert take(ALICE, ttl=0).expires_at is None
    clock.forward(days=365 * 300)
    with pytest.raises(Busy):
        take(BOB)


def test_a_lease_lasts_its_ttl_by_the_databases_clock():
    before = leasehold_clock.now()
    lease = take(ALICE, ttl=3600)
    assert lease.expires_at - lease.acquired_at == timedelta(hours=1)
    assert before <= lease.acquired_at <= leasehold_clock.now()


# --- renewing and giving back ----------------------------------------------------------------------------------------


def test_renew_extends_live_and_lapsed_leases_of_the_holder(clock):
    lease = take(ALICE, ttl=60)
    assert leases.renew(HERO, holder=ALICE, fence=lease.fence, ttl=120).expires_in == 120
    clock.forward(seconds=500)
    renewed = leases.renew(HERO, holder=ALICE, fence=lease.fence, ttl=60)
    assert (renewed.expires_in, renewed.fence, renewed.acquired_at) == (60, lease.fence, lease.acquired_at)


def test_a_stale_token_changes_nothing(clock):
    """The release of a former holder must not free the lease of the next one."""
    old = take(ALICE, ttl=1)
    clock.forward(seconds=2)
    take(BOB)
    before = rows()
    assert leases.release(HERO, holder=ALICE, fence=old.fence) is False
    assert leases.release(HERO, holder=ALICE) is False
    assert leases.renew(HERO, holder=ALICE, fence=old.fence, ttl=60) is None
    assert rows() == before
    with pytest.raises(Busy) as refusal:
        take(ALICES_OTHER_TAB)
    assert [lease.holder for lease in refusal.value.leases] == [BOB]


def test_an_older_fence_of_the_same_holder_is_stale():
    old = take(ALICE)
    leases.release(HERO, holder=ALICE, fence=old.fence)
    take(ALICE)
    before = rows()
    assert leases.release(HERO, holder=ALICE, fence=old.fence) is False
    assert leases.renew(HERO, holder=ALICE, fence=old.fence, ttl=60) is None
    assert rows() == before


def test_a_second_release_changes_nothing():
    lease = take(ALICE, purpose="repaint")
    assert leases.release(HERO, holder=ALICE, fence=lease.fence) is True
    assert leases.release(HERO, holder=ALICE, fence=lease.fence) is False
    row = Lease.objects.get()
    assert (row.holder, row.participant, row.purpose, row.expires_at, row.fence) == ("", "", "", None, 1)


def test_still_held_guards_a_write(clock, alice: User):
    lease = take(ALICE, ttl=60)

    def write(fence: int, holder: str = ALICE) -> int:
        guarded = User.objects.filter(leases.still_held(HERO, holder=holder, fence=fence), pk=alice.pk)
        return guarded.update(name="Alice the Brave")

    assert write(lease.fence) == 1
    assert write(lease.fence + 1) == write(lease.fence, holder=BOB) == 0
    clock.forward(seconds=60)
    assert write(lease.fence) == 0


def test_move_changes_the_place_of_a_lease():
    take(ALICE, place="art/hero.psd")
    leases.move(HERO, "art/old/hero.psd")
    assert leases.read([HERO])[0].place == "art/old/hero.psd"


# --- a set -----------------------------------------------------------------------------------------------------------


def test_a_set_is_returned_in_the_order_of_its_names():
    granted = acquire(ALICE, "scope:b", "scope:a", purpose="both")
    assert [(lease.resource, lease.fence, lease.purpose) for lease in granted] == [
        ("scope:a", 1, "both"),
        ("scope:b", 1, "both"),
    ]
    assert granted[0].place == "art/scope:a"


def test_a_set_is_refused_whole_with_every_conflicting_lease():
    take(BOB, resource="scope:b")
    take(ALICES_OTHER_TAB, resource="scope:d")
    held = list(Lease.objects.exclude(holder="").order_by("pk").values_list())
    with pytest.raises(Busy) as refusal:
        acquire(ALICE, "scope:e", "scope:d", "scope:c", "scope:b", "scope:a")
    assert [(lease.resource, lease.holder) for lease in refusal.value.leases] == [
        ("scope:b", BOB),
        ("scope:d", ALICES_OTHER_TAB),
    ]
    assert list(Lease.objects.exclude(holder="").order_by("pk").values_list()) == held
    assert leases.read(["scope:a", "scope:c", "scope:e"]) == []


def test_a_set_renews_own_and_acquires_lapsed_leases(clock):
    mine = take(ALICE, resource="scope:a", ttl=7200)
    take(BOB, resource="scope:b", ttl=60)
    clock.forward(seconds=61)
    granted = {lease.resource: lease for lease in acquire(ALICE, "scope:a", "scope:b", "scope:c")}
    assert (granted["scope:a"].fence, granted["scope:a"].acquired_at) == (1, mine.acquired_at)
    assert (granted["scope:b"].fence, granted["scope:b"].holder) == (2, ALICE)
    assert granted["scope:c"].fence == 1


def test_a_large_set_is_acquired_at_once():
    resources = [f"scope:{number:04}" for number in range(601)]
    assert [lease.resource for lease in acquire(ALICE, *resources)] == resources
    with pytest.raises(Busy) as refusal:
        acquire(BOB, *resources, "scope:other")
    assert len(refusal.value.leases) == 601


def test_a_set_with_ttl_0_never_expires(clock):
    acquire(ALICE, "scope:a", "scope:b", ttl=0)
    clock.forward(days=4000)
    assert [lease.expires_at for lease in leases.read(["scope:a", "scope:b"])] == [None, None]


def test_an_empty_set_needs_no_statement(django_assert_num_queries):
    with django_assert_num_queries(0):
        assert acquire(ALICE) == []


def test_one_resource_cannot_have_two_holders_in_one_set():
    with pytest.raises(ValueError, match="scope:a"):
        leases.acquire([Want("scope:a", ALICE), Want("scope:a", BOB)], participant="user:alice", ttl=60)
    assert rows() == []


NAMES = ["Z", "a", "z", "_", "Ä", "ä", "a/b", "a0", "a-b", "A", "é", "e\u0301", "名", "\U0001f600", "\uffee"]


def test_the_database_orders_names_by_bytes_as_python_does():
    acquire(ALICE, *NAMES)
    assert [lease.resource for lease in leases.read(NAMES)] == sorted(NAMES)
    assert list(Lease.objects.order_by("resource").values_list("resource", flat=True)) == sorted(NAMES)
    assert list(Lease.objects.order_by("place").values_list("resource", flat=True)) == sorted(NAMES)


@pytest.mark.parametrize("names", [["m", "z", "a"], ["z", "m", "a"], ["a", "z", "m"]], ids="".join)
def test_rows_are_inserted_and_locked_in_sorted_order(names):
    """In the same order, two overlapping sets cannot deadlock."""
    resources = [f"scope:{name}" for name in names]
    with CaptureQueriesContext(connection) as captured:
        acquire(ALICE, *resources)
    statements = [query["sql"] for query in captured.captured_queries]
    [insert] = [sql for sql in statements if sql.startswith("INSERT")]
    places = [insert.index(resource) for resource in sorted(resources)]
    assert places == sorted(places)
    locks = [sql for sql in statements if sql.startswith("SELECT") and sql.endswith("FOR NO KEY UPDATE")]
    assert len(locks) == (1 if connection.vendor == "postgresql" else 0)
    assert all('ORDER BY "leasehold_lease"."resource" ASC' in sql for sql in locks)


# --- how long --------------------------------------------------------------------------------------------------------

MONTH = 30 * 24 * 3600


@pytest.mark.parametrize("ttl", [1, 45, 3600, MONTH])
def test_whole_seconds_up_to_30_days_are_a_ttl(ttl):
    assert leases.checked_ttl(ttl) == ttl


NO_TTLS = [
    *[-1, 0, MONTH + 1, 10**12, 2**31, 2**63, 2**64, -(2**63)],
    *[0.5, 1.0, 0.5e-9, float("nan"), float("inf"), 1e12],
    *[True, False, None, "900", "900s", "8h", b"1", [], {}],
]


@pytest.mark.parametrize("ttl", NO_TTLS, ids=repr)
def test_any_other_ttl_is_refused(ttl):
    with pytest.raises(Invalid) as refusal:
        leases.checked_ttl(ttl, field="lifetime")
    assert [error["field"] for error in refusal.value.errors] == ["lifetime"]


def test_ttl_0_needs_least_0():
    assert leases.checked_ttl(0, least=0) == 0
    with pytest.raises(Invalid):
        leases.checked_ttl(ttl=False, least=0)


@pytest.mark.parametrize(
    ("left", "expires_in", "is_lapsed"),
    [
        (timedelta(seconds=60), 60, False),
        (timedelta(microseconds=1), 1, False),
        (timedelta(seconds=59, microseconds=1), 60, False),
        (timedelta(0), 0, True),
        (timedelta(seconds=-5), 0, True),
        (None, None, False),
    ],
)
def test_expires_in_is_rounded_up(left, expires_in, is_lapsed):
    at = datetime(2026, 1, 1, tzinfo=UTC)
    lease = HeldLease(HERO, "", ALICE, "user:alice", 1, at, None if left is None else at + left, "", at)
    assert (lease.expires_in, lease.is_lapsed) == (expires_in, is_lapsed)


# --- the clock change ------------------------------------------------------------------------------------------------


@pytest.fixture
def los_angeles(settings):
    """The app runs in a time zone with daylight saving; PostgreSQL's server, in these tests, in another such zone."""
    settings.TIME_ZONE = "America/Los_Angeles"
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT setting FROM pg_settings WHERE name = 'TimeZone'")
            assert cursor.fetchone() == ("UTC",), "the session must not use the server's zone"


def set_clock(monkeypatch, at: str) -> None:
    """Fix the database's time at `at` (UTC)."""

    def sql(seconds: int = 0) -> str:
        if connection.vendor == "postgresql":
            return f"('{at}+00'::timestamptz + make_interval(secs => {seconds}))"
        return f"(strftime('%Y-%m-%d %H:%M:%f', '{at}', '{seconds:+d} seconds') || '000')"

    monkeypatch.setattr(leasehold_clock, "sql", sql)


@pytest.mark.parametrize(
    ("taken", "live", "dead"),
    [
        ("2026-11-01 08:45:00", "2026-11-01 09:30:00", "2026-11-01 09:46:00"),  # 01:45 occurs twice
        ("2026-03-08 09:45:00", "2026-03-08 10:30:00", "2026-03-08 10:46:00"),  # 02:xx does not occur
    ],
)
def test_a_lease_of_an_hour_lasts_an_hour_when_clocks_change(los_angeles, monkeypatch, taken, live, dead):
    set_clock(monkeypatch, taken)
    lease = take(ALICE, ttl=3600)
    assert lease.expires_at - lease.acquired_at == timedelta(hours=1)
    assert lease.acquired_at == datetime.fromisoformat(f"{taken}+00:00")
    assert Lease.objects.get().expires_at == lease.expires_at
    set_clock(monkeypatch, live)
    with pytest.raises(Busy), transaction.atomic():
        take(BOB)
    assert Lease.objects.filter(leases.is_lapsed()).count() == 0
    set_clock(monkeypatch, dead)
    assert Lease.objects.filter(leases.is_lapsed()).count() == 1
    assert take(BOB).fence == 2


# --- what the database itself refuses --------------------------------------------------------------------------------


def test_the_database_refuses_an_expiry_on_a_free_row():
    with pytest.raises(IntegrityError, match="lease_free_has_no_expiry"):
        Lease.objects.create(resource=HERO, holder="", expires_at=leasehold_clock.now())


def test_the_database_refuses_a_negative_fence():
    with pytest.raises(IntegrityError, match="lease_fence_not_negative"):
        Lease.objects.create(resource=HERO, fence=-1)


def test_the_database_refuses_a_second_row_for_a_resource():
    Lease.objects.create(resource=HERO)
    with pytest.raises(IntegrityError):
        Lease.objects.create(resource=HERO)


VERBS = {
    "acquire_one": lambda: take(ALICE),
    "acquire": lambda: acquire(ALICE, HERO),
    "lock": lambda: leases.lock([HERO]),
    "lock_one": lambda: leases.lock_one(HERO),
    "gate": lambda: leases.gate(["art"]),
    "renew": lambda: leases.renew(HERO, holder=ALICE, fence=1, ttl=60),
    "release": lambda: leases.release(HERO, holder=ALICE),
    "free": lambda: leases.free(Lease.objects.all()),
    "move": lambda: leases.move(HERO, "art/a"),
}


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("verb", VERBS)
def test_nothing_is_written_outside_a_transaction(verb):
    with pytest.raises(transaction.TransactionManagementError):
        VERBS[verb]()
    assert rows() == []


# --- the gate --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("exclusive", "mode"), [(False, "ShareLock"), (True, "ExclusiveLock")])
def test_a_gate_is_one_advisory_lock_for_each_first_segment(exclusive, mode):
    places = ["art/heroes/a.psd", "art/b.psd", "terminal-1", "art"]
    leases.gate(places, exclusive=exclusive)
    if connection.vendor != "postgresql":
        return  # there is no lock to see: SQLite runs one writing transaction at a time
    with connection.cursor() as cursor:
        cursor.execute("SELECT mode FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid()")
        assert cursor.fetchall() == [(mode,), (mode,)]


def test_lease_of_joins_leases_to_other_tables(clock):
    """`lease_of` and `is_live` in a query of another table."""
    lease = take(ALICE, resource="artifact:77", ttl=60)
    row = Lease.objects.annotate(found=leases.lease_of("artifact", "fence")).get()
    assert row.found is None
    Lease.objects.update(fence=77)
    row = Lease.objects.annotate(found=leases.lease_of("artifact", "fence")).get()
    found = leases.held_from_json(row.found, leasehold_clock.now())
    assert (found.holder, found.acquired_at, found.expires_at) == (ALICE, lease.acquired_at, lease.expires_at)
    clock.forward(seconds=61)
    assert Lease.objects.filter(leases.is_live()).count() == 0
    assert leases.held_from_json(row.found, leasehold_clock.now()).is_lapsed
