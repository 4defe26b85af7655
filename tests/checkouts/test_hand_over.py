"""Hand over: a held check-out passes to somebody else in one step."""

import pytest

from checkouts.actions.breaks import break_checkout
from checkouts.actions.holds import extend, hand_over
from checkouts.exceptions import CheckoutClosed
from checkouts.models import Artifact, Checkout
from checkouts.outcomes import Committed, Proposed
from leasehold import leases
from leasehold.actors import Actor
from leasehold.exceptions import Forbidden, Invalid, LeaseLost, NotFound
from leasehold.models import Entry, Membership, Scope, User
from tests.scenes import back, out

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("sound")]


def given(actor: User, checkout: Checkout, to: str, reason: str = ""):
    return hand_over(actor=Actor(actor), checkout_id=checkout.pk, to=to, reason=reason)


def test_the_receivers_lease_lasts_as_long_as_the_first(alice: User, bob: User, hero: Artifact, clock):
    first = out(alice, hero, ttl=600, purpose="New cape")
    clock.forward(seconds=500)
    granted = given(alice, first.checkout, "bob")
    assert (granted.lease.participant, granted.lease.purpose, granted.lease.expires_in) == ("user:bob", "New cape", 600)
    assert granted.lease.fence == first.lease.fence + 1
    assert isinstance(back(bob, granted.checkout, "bob's"), Committed)
    entry = Entry.objects.get(kind="checkout_handed_over")
    assert (entry.data["holder"], entry.data["to"]) == ("user:alice", "user:bob")


def test_the_givers_check_out_stays_open_and_names_the_receiver(alice: User, bob: User, hero: Artifact):
    checkout = out(alice, hero).checkout
    given(alice, checkout, "bob", "gone fishing")
    with pytest.raises(LeaseLost, match="handed over by user:alice: gone fishing"):
        extend(actor=Actor(alice), checkout_id=checkout.pk)
    assert isinstance(back(alice, checkout, "hers"), Proposed)
    assert leases.read([hero.resource])[0].participant == "user:bob"


def test_an_operator_hands_over_with_a_reason(alice: User, bob: User, olga: User, hero: Artifact):
    checkout = out(alice, hero).checkout
    with pytest.raises(Invalid):
        given(olga, checkout, "bob")
    assert given(olga, checkout, "bob", "Alice is ill").checkout.actor == bob
    checkout.refresh_from_db()
    assert (checkout.broken_by, checkout.broken_how) == (olga, "handed_over")


def test_a_former_member_may_hand_over(alice: User, bob: User, hero: Artifact):
    checkout = out(alice, hero).checkout
    Membership.objects.filter(user=alice).delete()
    assert given(alice, checkout, "bob").checkout.actor == bob


def test_only_the_holder_or_an_operator_hands_over(
    alice: User, bob: User, mallory: User, planner: User, hero: Artifact
):
    checkout = out(alice, hero).checkout
    for user, refusal in ((bob, Forbidden), (planner, Forbidden), (mallory, NotFound)):
        with pytest.raises(refusal):
            given(user, checkout, "bob", "mine")
    with pytest.raises(Forbidden):
        hand_over(actor=Actor(alice, scope=Scope.READ), checkout_id=checkout.pk, to="bob")
    assert leases.read([hero.resource])[0].holder == checkout.holder


def test_a_check_out_without_a_lease_is_not_handed_over(alice: User, bob: User, olga: User, hero: Artifact, clock):
    lapsed = out(alice, hero, ttl=60).checkout
    clock.forward(seconds=61)
    with pytest.raises(LeaseLost):
        given(alice, lapsed, "bob")
    broken = out(alice, hero).checkout
    break_checkout(actor=Actor(olga), checkout_id=broken.pk, reason="on holiday")
    with pytest.raises(LeaseLost, match="on holiday"):
        given(alice, broken, "bob")
    back(alice, broken, "two")
    with pytest.raises(CheckoutClosed):
        given(alice, broken, "bob")


def test_a_disabled_account_receives_nothing(alice: User, bob: User, hero: Artifact):
    checkout = out(alice, hero).checkout
    bob.is_active = False
    bob.save()
    with pytest.raises(Invalid):
        given(alice, checkout, "bob")
