from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
from django.db import connection

from leasehold.actions import sign_in as module
from leasehold.actions.sign_in import ACCOUNT_LIMIT, ADDRESS_LIMIT, WINDOW, sign_in
from leasehold.exceptions import Throttled, Unauthenticated
from leasehold.models import SignInFailure
from tests.factories import PASSWORD

HERE = "192.0.2.7"


def fail(username="alice", address=HERE, times=1):
    for _ in range(times):
        with pytest.raises(Unauthenticated):
            sign_in(username=username, password="wrong", address=address)


def test_alice_signs_in_whatever_the_case_of_her_name(alice):
    assert sign_in(username="Alice", password=PASSWORD, address=HERE) == alice
    assert sign_in(username=" alice ", password=PASSWORD, address=HERE) == alice


def test_every_failed_sign_in_gets_the_same_refusal(alice, bob, planner):
    bob.is_active = False
    bob.save()
    planner.set_password(PASSWORD)  # no action gives an agent one
    planner.save()
    answers = set()
    for username, password in [
        ("alice", "wrong"),
        ("alice", ""),
        ("nobody", PASSWORD),
        ("bob", PASSWORD),
        ("planner", PASSWORD),
        ("x\0", "y"),
        ("\ud800", "y"),
        ("é" * 5000, "y"),
    ]:
        with pytest.raises(Unauthenticated) as refused:
            sign_in(username=username, password=password, address=HERE)
        answers.add(refused.value.detail)
    assert len(answers) == 1


def test_an_unknown_name_takes_as_long_as_a_known_one(db, monkeypatch):
    hashed = []
    monkeypatch.setattr(module, "make_password", hashed.append)
    fail("nobody")
    assert hashed == ["wrong"]


def test_an_account_is_throttled_for_every_address(alice):
    for guess in range(ACCOUNT_LIMIT):
        fail(address=f"192.0.2.{guess}")
    with pytest.raises(Throttled) as refused:
        sign_in(username="ALICE", password=PASSWORD, address="198.51.100.1")
    assert WINDOW - 60 < refused.value.retry_after <= WINDOW


def test_an_unknown_account_is_throttled_like_a_known_one(db):
    fail("nobody", times=ACCOUNT_LIMIT)
    with pytest.raises(Throttled):
        sign_in(username="nobody", password="wrong", address=HERE)


def test_an_address_is_throttled_for_every_account(alice):
    for guess in range(ADDRESS_LIMIT):
        fail(f"name{guess}")
    with pytest.raises(Throttled):
        sign_in(username="alice", password=PASSWORD, address=HERE)
    assert sign_in(username="alice", password=PASSWORD, address="198.51.100.1") == alice


def test_addresses_of_one_ipv6_network_count_as_one(alice):
    for guess in range(ADDRESS_LIMIT):
        fail(f"name{guess}", address=f"2001:db8::{guess:x}")
    with pytest.raises(Throttled):
        sign_in(username="alice", password=PASSWORD, address="2001:db8::ffff")
    assert sign_in(username="alice", password=PASSWORD, address="2001:db8:0:1::1") == alice


def test_the_window_ends_by_the_databases_clock(alice, clock):
    fail(times=ACCOUNT_LIMIT)
    clock.forward(seconds=WINDOW + 1)
    assert sign_in(username="alice", password=PASSWORD, address=HERE) == alice


def test_further_attempts_do_not_prolong_the_window(alice, clock):
    fail(times=ACCOUNT_LIMIT)
    clock.forward(seconds=WINDOW - 10)
    with pytest.raises(Throttled) as refused:
        sign_in(username="alice", password=PASSWORD, address=HERE)
    assert refused.value.retry_after <= 10
    clock.forward(seconds=11)
    assert sign_in(username="alice", password=PASSWORD, address=HERE) == alice


def test_a_success_resets_only_the_accounts_failures(alice):
    fail(times=ACCOUNT_LIMIT - 1)
    sign_in(username="alice", password=PASSWORD, address=HERE)
    assert [row.failures for row in SignInFailure.objects.all()] == [ACCOUNT_LIMIT - 1]
    fail(times=ACCOUNT_LIMIT)


def test_a_refused_attempt_writes_nothing(alice, django_assert_num_queries):
    fail(times=ACCOUNT_LIMIT)
    with django_assert_num_queries(1), pytest.raises(Throttled):
        sign_in(username="alice", password=PASSWORD, address=HERE)


def test_old_counters_are_deleted(alice, clock):
    fail("nobody", address="198.51.100.1")
    clock.forward(seconds=2 * WINDOW + 1)
    sign_in(username="alice", password=PASSWORD, address=HERE)
    assert [row.failures for row in SignInFailure.objects.all()] == [0]


@pytest.mark.races
def test_concurrent_guesses_do_not_exceed_the_limit(alice):
    barrier = Barrier(24)

    def guess(_):
        barrier.wait()
        try:
            sign_in(username="alice", password="wrong", address=HERE)
        except (Unauthenticated, Throttled) as refused:
            return type(refused)
        finally:
            connection.close()

    with ThreadPoolExecutor(24) as pool:
        answers = list(pool.map(guess, range(24)))
    assert answers.count(Unauthenticated) == ACCOUNT_LIMIT
    assert answers.count(Throttled) == 24 - ACCOUNT_LIMIT
