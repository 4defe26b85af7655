"""H05: a take-over is one step, so nobody who waits for the file can come between."""

import threading

from checkouts.actions.breaking import take_over
from checkouts.actions.check_out import check_out
from checkouts.actions.records import Granted
from checkouts.exceptions import ArtifactBusy
from checkouts.models import Artifact
from leasehold import leases
from leasehold.actors import Actor
from leasehold.models import Role, User
from tests.factories import make_account, make_member
from tests.scenes import HOUR, out

EAGER = 12


def test_twelve_who_try_in_a_loop_never_get_it_from_a_take_over(crowd, art, alice: User, olga: User, hero: Artifact):
    people = crowd(EAGER + 1)
    eager = [make_account(f"editor{number}") for number in range(EAGER)]
    for user in eager:
        make_member(art, user, Role.EDITOR)
    out(alice, hero, ttl=HOUR)
    is_over = threading.Event()

    def tries(user: User):
        def until_it_is_over() -> list[object]:
            told = []
            while not is_over.is_set():
                try:
                    told.append(check_out(actor=Actor(user), artifact_id=hero.pk, ttl=HOUR))
                except ArtifactBusy as refusal:
                    told.append(refusal.lease and refusal.lease.participant)
            return told

        return until_it_is_over

    def takes_over() -> Granted:
        try:
            return take_over(actor=Actor(olga), artifact_id=hero.pk, reason="Alice is ill", ttl=HOUR)
        finally:
            is_over.set()

    *told, granted = people.at_once(*map(tries, eager), takes_over)
    assert isinstance(granted, Granted), granted
    [lease] = leases.read([hero.resource])
    assert (lease.participant, lease.holder) == ("user:olga", granted.checkout.holder)
    assert {name for answers in told for name in answers} <= {"user:alice", "user:olga"}
