"""Equal requests at one instant: one claims the key and acts."""

from leasehold.actions import idempotency
from leasehold.actions.idempotency import Claim
from leasehold.exceptions import IdempotencyMismatch, InProgress
from leasehold.models import User

MANY, ROUNDS = 8, 10


def claims(user: User, key: str, fingerprint: str = "x"):
    return lambda: idempotency.claim(user=user, key=key, fingerprint=fingerprint)


def test_of_eight_equal_requests_one_acts_and_the_others_are_told_to_come_again(crowd, alice: User):
    people = crowd(MANY)
    for number in range(ROUNDS):
        told = people.at_once(*[claims(alice, f"k{number}")] * MANY)
        assert sorted(type(answer).__name__ for answer in told) == ["Claim"] + ["InProgress"] * (MANY - 1)
        [claim] = [answer for answer in told if isinstance(answer, Claim)]
        idempotency.store(claim, status=201, headers={}, body="{}")
        assert claims(alice, f"k{number}")().answer.status == 201


def test_what_died_is_claimed_once(crowd, alice: User, clock):
    people = crowd(MANY)
    for number in range(ROUNDS):
        claims(alice, f"k{number}")()
        clock.forward(seconds=61)
        told = people.at_once(*[claims(alice, f"k{number}")] * MANY)
        assert sum(isinstance(answer, Claim) for answer in told) == 1


def test_a_key_given_back_under_way_is_claimed_by_the_next_or_refused(crowd, alice: User):
    people = crowd(2)
    for number in range(ROUNDS):
        claim = claims(alice, f"k{number}")()
        told, _ = people.at_once(claims(alice, f"k{number}"), lambda claim=claim: idempotency.release_claim(claim))
        assert isinstance(told, Claim | InProgress)


def test_two_requests_with_one_key_never_both_act(crowd, alice: User):
    people = crowd(2)
    for number in range(ROUNDS):
        told = people.at_once(claims(alice, f"k{number}", "x"), claims(alice, f"k{number}", "y"))
        assert {type(answer) for answer in told} == {Claim, IdempotencyMismatch}
