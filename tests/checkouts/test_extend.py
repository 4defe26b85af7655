"""Extend: the holder acquires the lease again, if nothing has changed in between."""

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


def test_an_extension_counts_from_now(alice: User, alices: Granted, clock):
    clock.forward(minutes=40)
    again = longer(alice, alices)
    assert again.lease.expires_in == HOUR
    assert again.lease.expires_at - alices.lease.expires_at >= timedelta(minutes=40)
    assert (again.lease.fence, again.lease.acquired_at) == (alices.lease.fence, alices.lease.acquired_at)
    assert again.checkout.expires_at == again.lease.expires_at
    entry = Entry.objects.get(kind="checkout_extended")
    assert entry.data["renewed_lapsed_lease"] is False


def test_an_extension_may_shorten_or_lengthen(alice: User, alices: Granted):
    assert longer(alice, alices, ttl=60).lease.expires_in == 60
    assert longer(alice, alices, ttl=9 * HOUR).lease.expires_in == 9 * HOUR


def test_a_lapsed_lease_is_extended_if_the_file_is_free(alice: User, alices: Granted, clock):
    clock.forward(hours=2)
    again = longer(alice, alices)
    assert (again.lease.fence, again.lease.expires_in) == (alices.lease.fence, HOUR)
    assert Entry.objects.get(kind="checkout_extended").data["renewed_lapsed_lease"] is True


def test_a_reconciled_lapse_can_still_be_extended(alice: User, alices: Granted, clock):
    clock.forward(hours=2)
    reconcile.reconcile()
    assert longer(alice, alices).lease.fence == alices.lease.fence + 1


def test_a_file_that_bob_took_is_not_extended(alice: User, bob: User, hero: Artifact, alices: Granted, clock):
    clock.forward(hours=2)
    bobs = out(bob, hero)
    with pytest.raises(ArtifactBusy) as refusal:
        longer(alice, alices)
    assert refusal.value.lease.holder == bobs.lease.holder


def test_a_file_that_bob_changed_is_stale(alice: User, bob: User, hero: Artifact, alices: Granted, clock):
    clock.forward(hours=2)
    back(bob, out(bob, hero).checkout, "bob's")
    with pytest.raises(StaleBase) as refusal:
        longer(alice, alices)
    assert (refusal.value.base, refusal.value.head) == (1, 2)


def test_a_file_that_bob_left_unchanged_is_extended(alice: User, bob: User, hero: Artifact, alices: Granted, clock):
    clock.forward(hours=2)
    discard(actor=Actor(bob), checkout_id=out(bob, hero).checkout.pk)
    assert longer(alice, alices).lease.participant == "user:alice"


def test_only_the_holder_extends(bob: User, alices: Granted):
    with pytest.raises(Forbidden):
        longer(bob, alices)
    assert Lease.objects.get().expires_at == alices.lease.expires_at


def test_an_operator_cannot_extend_for_others(olga: User, alices: Granted):
    with pytest.raises(Forbidden):
        longer(olga, alices)


def test_a_closed_check_out_is_not_extended(alice: User, alices: Granted):
    discard(actor=Actor(alice), checkout_id=alices.checkout.pk)
    with pytest.raises(CheckoutClosed) as refusal:
        longer(alice, alices)
    assert refusal.value.outcome == "discarded"


def test_a_broken_check_out_is_not_extended_and_says_who_and_why(alice: User, olga: User, alices: Granted):
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


def test_a_former_member_extends_nothing(alice: User, alices: Granted):
    Membership.objects.filter(user=alice).delete()
    with pytest.raises(Forbidden):
        longer(alice, alices)


def test_a_read_only_token_extends_nothing(alice: User, alices: Granted):
    with pytest.raises(Forbidden):
        extend(actor=Actor(alice, scope=Scope.READ), checkout_id=alices.checkout.pk)


def test_an_archived_file_is_not_extended(alice: User, hero: Artifact, alices: Granted):
    archive(actor=Actor(alice), artifact_id=hero.pk)
    with pytest.raises(WrongState):
        longer(alice, alices)


def test_a_stranger_gets_not_found(mallory: User, alices: Granted):
    with pytest.raises(NotFound):
        longer(mallory, alices)


@pytest.mark.parametrize("ttl", [0, -1, 0.5, True, "900", 10**12], ids=repr)
def test_a_ttl_out_of_bounds_changes_nothing(alice: User, alices: Granted, ttl):
    with pytest.raises(Invalid):
        longer(alice, alices, ttl=ttl)
    assert Lease.objects.get().expires_at == alices.lease.expires_at
