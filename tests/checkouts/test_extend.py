"""Extend: the lease acquired again, by whoever has it, as long as nothing came between."""

from datetime import timedelta

import pytest

from checkouts.actions.breaks import break_checkout
from checkouts.actions.holds import discard, extend
from checkouts.actions.moves import archive
from checkouts.exceptions import ArtifactBusy, CheckoutClosed, StaleBase
from checkouts.models import Artifact
from checkouts.outcomes import Granted
from leasehold.actions import reconcile
from leasehold.actors import Actor
from leasehold.exceptions import Forbidden, Invalid, LeaseLost, NotFound, WrongState
from leasehold.models import Entry, Lease, Membership, Scope, User
from tests.scenes import HOUR, back, out

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("sound")]


@pytest.fixture
def alices(alice: User, hero: Artifact) -> Granted:
    """Alice has hero.psd for an hour."""
    return out(alice, hero, ttl=HOUR)


def longer(user: User, granted: Granted, ttl: int | None = None) -> Granted:
    return extend(actor=Actor(user), checkout_id=granted.checkout.pk, ttl=ttl)


def test_it_runs_from_now_for_as_long_as_first_asked(alice: User, alices: Granted, clock):
    clock.forward(minutes=40)
    again = longer(alice, alices)
    assert again.lease.expires_in == HOUR
    assert again.lease.expires_at - alices.lease.expires_at >= timedelta(minutes=40)
    assert (again.lease.fence, again.lease.acquired_at) == (alices.lease.fence, alices.lease.acquired_at)
    assert again.checkout.expires_at == again.lease.expires_at
    entry = Entry.objects.get(kind="checkout_extended")
    assert entry.data["renewed_lapsed_lease"] is False


def test_it_may_be_made_shorter_or_longer(alice: User, alices: Granted):
    assert longer(alice, alices, ttl=60).lease.expires_in == 60
    assert longer(alice, alices, ttl=9 * HOUR).lease.expires_in == 9 * HOUR


def test_a_lapsed_lease_that_nobody_wanted_goes_on(alice: User, alices: Granted, clock):
    """H25."""
    clock.forward(hours=2)
    again = longer(alice, alices)
    assert (again.lease.fence, again.lease.expires_in) == (alices.lease.fence, HOUR)
    assert Entry.objects.get(kind="checkout_extended").data["renewed_lapsed_lease"] is True


def test_a_lapse_that_was_written_down_goes_on_all_the_same(alice: User, alices: Granted, clock):
    clock.forward(hours=2)
    reconcile.reconcile()
    assert longer(alice, alices).lease.fence == alices.lease.fence + 1


def test_what_bob_has_taken_meanwhile_is_his(alice: User, bob: User, hero: Artifact, alices: Granted, clock):
    clock.forward(hours=2)
    bobs = out(bob, hero)
    with pytest.raises(ArtifactBusy) as refusal:
        longer(alice, alices)
    assert refusal.value.lease.holder == bobs.lease.holder


def test_what_bob_has_changed_meanwhile_is_stale(alice: User, bob: User, hero: Artifact, alices: Granted, clock):
    """H25."""
    clock.forward(hours=2)
    back(bob, out(bob, hero).checkout, "bob's")
    with pytest.raises(StaleBase) as refusal:
        longer(alice, alices)
    assert (refusal.value.base, refusal.value.head) == (1, 2)


def test_what_bob_had_and_left_as_it_was_goes_on(alice: User, bob: User, hero: Artifact, alices: Granted, clock):
    clock.forward(hours=2)
    discard(actor=Actor(bob), checkout_id=out(bob, hero).checkout.pk)
    assert longer(alice, alices).lease.participant == "user:alice"


def test_bob_does_not_extend_alices(bob: User, alices: Granted):
    with pytest.raises(Forbidden):
        longer(bob, alices)
    assert Lease.objects.get().expires_at == alices.lease.expires_at


def test_not_even_an_operator_does(olga: User, alices: Granted):
    with pytest.raises(Forbidden):
        longer(olga, alices)


def test_what_has_ended_is_not_extended(alice: User, alices: Granted):
    discard(actor=Actor(alice), checkout_id=alices.checkout.pk)
    with pytest.raises(CheckoutClosed) as refusal:
        longer(alice, alices)
    assert refusal.value.outcome == "discarded"


def test_what_olga_broke_is_never_extended_and_says_by_whom_and_why(alice: User, olga: User, alices: Granted):
    """H23."""
    break_checkout(actor=Actor(olga), checkout_id=alices.checkout.pk, reason="on holiday")
    with pytest.raises(LeaseLost, match="olga: on holiday") as refusal:
        longer(alice, alices)
    assert refusal.value.lease is None


def test_after_a_break_the_new_holder_is_named(alice: User, bob: User, olga: User, hero: Artifact, alices: Granted):
    break_checkout(actor=Actor(olga), checkout_id=alices.checkout.pk, reason="on holiday")
    out(bob, hero)
    with pytest.raises(LeaseLost) as refusal:
        longer(alice, alices)
    assert refusal.value.lease.participant == "user:bob"


def test_who_has_left_the_project_extends_nothing(alice: User, alices: Granted):
    Membership.objects.filter(user=alice).delete()
    with pytest.raises(Forbidden):
        longer(alice, alices)


def test_a_token_that_only_reads_extends_nothing(alice: User, alices: Granted):
    with pytest.raises(Forbidden):
        extend(actor=Actor(alice, scope=Scope.READ), checkout_id=alices.checkout.pk)


def test_an_archived_file_is_not_held_any_longer(alice: User, hero: Artifact, alices: Granted):
    archive(actor=Actor(alice), artifact_id=hero.pk)
    with pytest.raises(WrongState):
        longer(alice, alices)


def test_a_stranger_finds_nothing(mallory: User, alices: Granted):
    with pytest.raises(NotFound):
        longer(mallory, alices)


@pytest.mark.parametrize("ttl", [0, -1, 0.5, True, "900", 10**12], ids=repr)
def test_a_ttl_out_of_bounds_changes_nothing(alice: User, alices: Granted, ttl):
    with pytest.raises(Invalid):
        longer(alice, alices, ttl=ttl)
    assert Lease.objects.get().expires_at == alices.lease.expires_at
