"""Concurrent check-outs of one file: exactly one succeeds, and the others are refused with its lease."""

import pytest

from checkouts.actions.breaks import take_over
from checkouts.actions.check_out import check_out
from checkouts.exceptions import ArtifactBusy
from checkouts.models import Artifact, Checkout
from checkouts.outcomes import Granted
from leasehold import leases
from leasehold.actors import Actor
from leasehold.models import Project, Role, User
from tests.factories import make_account, make_member
from tests.scenes import out, put

THREADS, ROUNDS = 32, 20


@pytest.fixture
def editors(art: Project) -> list[User]:
    found = [make_account(f"editor{number}") for number in range(THREADS)]
    for user in found:
        make_member(art, user, Role.EDITOR)
    return found


@pytest.fixture
def rounds(on_sqlite: bool) -> int:
    """Fewer rounds on SQLite, where one transaction writes at a time and the others poll for the lock."""
    return 5 if on_sqlite else ROUNDS


def check_outs(users: list[User], hero: Artifact) -> list:
    return [lambda user=user: check_out(actor=Actor(user), artifact_id=hero.pk, ttl=60) for user in users]


def winner_of(answers: list, hero: Artifact) -> Granted:
    """Return the one that succeeded, and assert that every other was refused with its lease."""
    [winner] = [answer for answer in answers if isinstance(answer, Granted)]
    losers = [answer for answer in answers if answer is not winner]
    assert all(isinstance(loser, ArtifactBusy) for loser in losers), losers
    assert {loser.lease.holder for loser in losers} == {winner.lease.holder}
    [lease] = leases.read([hero.resource])
    assert (lease.holder, lease.fence) == (winner.lease.holder, winner.lease.fence)
    return winner


def test_of_many_one_checks_out_a_free_file(crowd, editors, alice: User, rounds: int):
    people = crowd(THREADS)
    for number in range(rounds):
        hero = put(alice, f"heroes/{number}.psd")
        assert winner_of(people.at_once(*check_outs(editors, hero)), hero).lease.fence == 1
    assert Checkout.objects.count() == rounds


def test_of_many_one_checks_out_a_file_whose_lease_has_lapsed(
    crowd, editors, alice: User, hero: Artifact, clock, rounds: int
):
    people = crowd(THREADS)
    out(alice, hero, ttl=30)
    for number in range(rounds):
        clock.forward(seconds=61)
        assert winner_of(people.at_once(*check_outs(editors, hero)), hero).lease.fence == number + 2


def test_of_many_tabs_one_checks_out_the_file(crowd, alice: User, hero: Artifact, clock):
    """One person clicks in many tabs."""
    people = crowd(16)
    for _ in range(5):
        winner_of(people.at_once(*check_outs([alice] * 16, hero)), hero)
        clock.forward(seconds=61)


def test_a_take_over_leaves_no_gap_for_others(crowd, editors, alice, olga: User, hero: Artifact, clock):
    """Breaking and checking out are one step, so nobody can check out in between."""
    people = crowd(21)
    for _ in range(5):
        alices = out(alice, hero, ttl=60)
        take = [lambda: take_over(actor=Actor(olga), artifact_id=hero.pk, reason="the deadline", ttl=60)]
        winner = winner_of_take_over(people.at_once(*take, *check_outs(editors[:20], hero)), alices, hero)
        assert winner.checkout.participant == "user:olga"
        clock.forward(seconds=61)


def winner_of_take_over(answers: list, before: Granted, hero: Artifact) -> Granted:
    taken, *losers = answers
    assert isinstance(taken, Granted), taken
    assert {loser.lease.holder for loser in losers} <= {before.lease.holder, taken.lease.holder}
    assert leases.read([hero.resource])[0].holder == taken.lease.holder
    assert Checkout.objects.get(pk=before.checkout.pk).broken_by.username == "olga"
    return taken
