"""Concurrent requests with one `Idempotency-Key`: one of them claims the key."""

from leasehold.actions import idempotency
from leasehold.actions.idempotency import Claim
from leasehold.exceptions import IdempotencyMismatch, InProgress
from leasehold.models import User

MANY, ROUNDS = 8, 10


def claims(user: User, key: str, fingerprint: str = "x"):
    return lambda: idempotency.claim(user=user, key=key, fingerprint=fingerprint)


def test_of_eight_equal_requests_one_claims_the_key(crowd, alice: User):
    people = crowd(MANY)
    for number in range(ROUNDS):
        answers = people.at_once(*[claims(alice, f"k{number}")] * MANY)
        assert sorted(type(answer).__name__ for answer in answers) == ["Claim"] + ["InProgress"] * (MANY - 1)
        [claim] = [answer for answer in answers if isinstance(answer, Claim)]
        idempotency.store(claim, status=201, headers={}, body="{}")
        assert claims(alice, f"k{number}")().answer.status == 201


def test_a_dead_claim_is_taken_over_once(crowd, alice: User, clock):
    people = crowd(MANY)
    for number in range(ROUNDS):
        claims(alice, f"k{number}")()
        clock.forward(seconds=61)
        answers = people.at_once(*[claims(alice, f"k{number}")] * MANY)
        assert sum(isinstance(answer, Claim) for answer in answers) == 1


def test_a_key_released_meanwhile_is_claimed_or_refused(crowd, alice: User):
    people = crowd(2)
    for number in range(ROUNDS):
        claim = claims(alice, f"k{number}")()
        answers, _ = people.at_once(claims(alice, f"k{number}"), lambda claim=claim: idempotency.release_claim(claim))
        assert isinstance(answers, Claim | InProgress)


def test_two_requests_with_one_key_never_both_claim_it(crowd, alice: User):
    people = crowd(2)
    for number in range(ROUNDS):
        answers = people.at_once(claims(alice, f"k{number}", "x"), claims(alice, f"k{number}", "y"))
        assert {type(answer) for answer in answers} == {Claim, IdempotencyMismatch}
