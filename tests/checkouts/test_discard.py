"""Discard: one's own check-out ends and nothing is committed."""

import pytest

from checkouts.actions.breaks import break_checkout
from checkouts.actions.holds import discard
from checkouts.models import Artifact, Checkout
from leasehold import leases
from leasehold.actors import Actor
from leasehold.exceptions import Forbidden, NotFound
from leasehold.models import Entry, Membership, Scope, User
from tests.scenes import back, out

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("sound")]


def drop(user: User, checkout: Checkout) -> Checkout:
    return discard(actor=Actor(user), checkout_id=checkout.pk)


def test_a_discard_frees_the_file_and_keeps_the_row(alice: User, bob: User, hero: Artifact):
    checkout = drop(alice, out(alice, hero).checkout)
    assert (checkout.state, checkout.outcome) == ("closed", "discarded")
    assert checkout.closed_at
    assert leases.read([hero.resource]) == []
    assert hero.versions.count() == 1
    assert out(bob, hero).lease.fence == 2


def test_a_second_discard_changes_nothing(alice: User, hero: Artifact):
    checkout = out(alice, hero).checkout
    first = drop(alice, checkout)
    assert drop(alice, checkout).closed_at == first.closed_at
    assert Entry.objects.filter(kind="checkout_discarded").count() == 1


def test_a_late_discard_leaves_the_new_holders_lease(alice: User, bob: User, hero: Artifact, clock):
    checkout = out(alice, hero, ttl=60).checkout
    clock.forward(seconds=61)
    bobs = out(bob, hero)
    assert drop(alice, checkout).outcome == "discarded"
    [lease] = leases.read([hero.resource])
    assert (lease.holder, lease.fence, lease.expires_at) == (
        bobs.lease.holder,
        bobs.lease.fence,
        bobs.lease.expires_at,
    )


def test_after_a_break_a_discard_only_closes_the_check_out(alice: User, bob: User, olga: User, hero: Artifact):
    checkout = out(alice, hero).checkout
    break_checkout(actor=Actor(olga), checkout_id=checkout.pk, reason="on holiday")
    out(bob, hero)
    assert drop(alice, checkout).outcome == "discarded"
    assert leases.read([hero.resource])[0].participant == "user:bob"


def test_a_discard_after_a_check_in_changes_nothing(alice: User, hero: Artifact):
    checkout = out(alice, hero).checkout
    back(alice, checkout, "two")
    assert drop(alice, checkout).outcome == "committed"


def test_only_the_owner_discards(alice: User, bob: User, olga: User, hero: Artifact):
    checkout = out(alice, hero).checkout
    for other in (bob, olga):
        with pytest.raises(Forbidden):
            drop(other, checkout)
    assert leases.read([hero.resource])


def test_a_stranger_gets_not_found(alice: User, mallory: User, hero: Artifact):
    with pytest.raises(NotFound):
        drop(mallory, out(alice, hero).checkout)


def test_a_former_member_can_still_discard(alice: User, hero: Artifact):
    checkout = out(alice, hero).checkout
    Membership.objects.filter(user=alice).delete()
    assert drop(alice, checkout).outcome == "discarded"
    assert leases.read([hero.resource]) == []


def test_a_read_only_token_discards_nothing(alice: User, hero: Artifact):
    checkout = out(alice, hero).checkout
    with pytest.raises(Forbidden):
        discard(actor=Actor(alice, scope=Scope.READ), checkout_id=checkout.pk)
    assert leases.read([hero.resource])
