"""Every pair of verbs on one file, run concurrently, has the effect of one of the two orders.

Each pair runs first in turn, in both orders, on files of its own, then concurrently, RACE_ROUNDS times (3). Results,
the holders in refusals and the state afterwards must be those of one of the two orders. In half of the rounds alice's
lease is live at the beginning, in half it has lapsed.
"""

import os
from collections.abc import Callable
from dataclasses import dataclass
from itertools import count
from typing import Any

import pytest

from checkouts.actions import breaks, check_in, check_out, holds, moves
from checkouts.actions.breaks import Broken
from checkouts.models import Artifact, Checkout
from checkouts.outcomes import Committed, Granted, Proposed, Unchanged
from leasehold import leases
from leasehold.actors import Actor
from leasehold.exceptions import Refusal, TryAgain
from leasehold.models import User
from tests.scenes import HOUR, out, put, received

ROUNDS = int(os.environ.get("RACE_ROUNDS", "3"))


@dataclass
class Scene:
    """A file that alice has checked out, and the people who call verbs on it."""

    hero: Artifact
    checkout: Checkout
    alice: Actor
    bob: Actor
    olga: Actor

    def check_out(self) -> Callable[[], Any]:
        return lambda: check_out.check_out(actor=self.bob, artifact_id=self.hero.pk, ttl=HOUR)

    def extend(self) -> Callable[[], Any]:
        return lambda: holds.extend(actor=self.alice, checkout_id=self.checkout.pk)

    def check_in(self) -> Callable[[], Any]:
        upload = received(f"new bytes of {self.hero.pk}")
        return lambda: check_in.check_in(actor=self.alice, checkout_id=self.checkout.pk, upload=upload)

    def discard(self) -> Callable[[], Any]:
        return lambda: holds.discard(actor=self.alice, checkout_id=self.checkout.pk)

    def break_(self) -> Callable[[], Any]:
        return lambda: breaks.break_checkout(actor=self.olga, checkout_id=self.checkout.pk, reason="on holiday")

    def take_over(self) -> Callable[[], Any]:
        return lambda: breaks.take_over(actor=self.olga, artifact_id=self.hero.pk, reason="on holiday", ttl=HOUR)

    def hand_over(self) -> Callable[[], Any]:
        return lambda: holds.hand_over(actor=self.alice, checkout_id=self.checkout.pk, to="bob")

    def rename(self) -> Callable[[], Any]:
        path = f"{self.hero.pk}/renamed.psd"
        return lambda: moves.rename(actor=self.alice, artifact_id=self.hero.pk, path=path)

    def archive(self) -> Callable[[], Any]:
        return lambda: moves.archive(actor=self.alice, artifact_id=self.hero.pk)


VERBS = [
    Scene.check_out, Scene.extend, Scene.check_in, Scene.discard, Scene.break_,
    Scene.take_over, Scene.hand_over, Scene.rename, Scene.archive,
]  # fmt: skip


@pytest.fixture
def scene(alice: User, bob: User, olga: User, clock) -> Callable[[bool], Scene]:
    """`scene(is_lapsed)` makes a new file and alice's check-out of it, live or lapsed."""
    numbers = count()

    def make(is_lapsed: bool) -> Scene:
        hero = put(alice, f"{next(numbers)}.psd")
        checkout = out(alice, hero, ttl=60 if is_lapsed else 3 * HOUR).checkout
        if is_lapsed:
            clock.forward(seconds=61)
        return Scene(hero, checkout, Actor(alice), Actor(bob), Actor(olga))

    return make


@pytest.mark.parametrize("number", range(len(VERBS)), ids=lambda number: VERBS[number].__name__)
def test_concurrent_verbs_have_the_effect_of_one_order(crowd, scene, number: int):
    people = crowd(2)
    first = VERBS[number]
    for second in VERBS[number:]:
        for is_lapsed in (False, True):
            possible = [
                run_in_turn(scene(is_lapsed), first, second),
                run_in_turn(scene(is_lapsed), second, first)[::-1],
            ]
            possible = [(sides[:2], rest) for *sides, rest in map(results_first, possible)]
            for _ in range(is_lapsed, ROUNDS, 2):
                at = scene(is_lapsed)
                answers = people.at_once(first(at), second(at))
                actual = ([summary(answer, at) for answer in answers], state_after(at))
                where = f"{first.__name__} and {second.__name__}, lapsed: {is_lapsed}"
                assert not any(isinstance(answer, TryAgain) for answer in answers), where
                assert actual in possible, f"{where}\n{actual}\nis neither of\n{possible[0]}\n{possible[1]}"
                assert_nothing_is_lost(at, answers)


def run_in_turn(at: Scene, *verbs: Callable[[Scene], Callable[[], Any]]) -> tuple[Any, ...]:
    """Run the verbs one after the other; return the first result, the state after both, the second result."""
    answers = []
    for verb in verbs:
        try:
            answers.append(verb(at)())
        except Refusal as refusal:
            answers.append(refusal)
    return summary(answers[0], at), state_after(at), summary(answers[1], at)


def results_first(turn: tuple[Any, ...]) -> tuple[Any, ...]:
    one, rest, other = turn
    return one, other, rest


def summary(answer: Any, at: Scene) -> Any:
    """The result of a verb, without what differs from file to file."""
    match answer:
        case Refusal():
            lease = getattr(answer, "lease", None)
            return answer.code, (lease.participant, lease.fence, lease.holder == at.checkout.holder) if lease else None
        case Granted():
            checkout = answer.checkout
            return "granted", checkout.participant, checkout.base_version.number, answer.lease.fence
        case Committed() | Unchanged() | Proposed():
            return answer.code, answer.replayed
        case Broken():
            return "broken", answer.ended
        case Checkout():
            return "discarded", answer.outcome
        case Artifact():
            return "moved", answer.path.rpartition("/")[2] == "renamed.psd", answer.archived_at is not None
    raise AssertionError(f"an answer of another kind: {answer!r}")


def state_after(at: Scene) -> Any:
    """The state afterwards: the file's lease, path, versions and proposals, and alice's check-out."""
    hero = Artifact.objects.select_related("head").get(pk=at.hero.pk)
    checkout = Checkout.objects.get(pk=at.checkout.pk)
    held = [(lease.participant, lease.fence) for lease in leases.read([hero.resource])]
    return (
        held,
        hero.path.rpartition("/")[2] == "renamed.psd",
        hero.archived_at is not None,
        hero.head.number,
        hero.proposals.count(),
        (checkout.state, checkout.outcome, checkout.broken_how),
        sorted(hero.checkouts.exclude(pk=checkout.pk).values_list("participant", "state", "base_version__number")),
    )


def assert_nothing_is_lost(at: Scene, answers: list[Any]) -> None:
    """Assert that every upload is a version, or a proposal with its bytes."""
    for answer in answers:
        if isinstance(answer, Committed):
            assert at.hero.versions.get(number=answer.version.number).digest == answer.version.digest
        if isinstance(answer, Proposed):
            assert at.hero.proposals.get().blob.digest == answer.attempt.result_digest
    numbers = sorted(at.hero.versions.values_list("number", flat=True))
    assert numbers == list(range(1, len(numbers) + 1))
