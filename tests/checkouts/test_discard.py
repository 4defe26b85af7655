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


def drop(user: User, record: Checkout) -> Checkout:
    return discard(actor=Actor(user), checkout_id=record.pk)


def test_the_file_is_free_and_the_record_is_kept(alice: User, bob: User, hero: Artifact):
    record = drop(alice, out(alice, hero).checkout)
    assert (record.state, record.outcome) == ("closed", "discarded")
    assert record.closed_at
    assert leases.read([hero.resource]) == []
    assert hero.versions.count() == 1
    assert out(bob, hero).lease.fence == 2


def test_a_second_discard_is_quiet(alice: User, hero: Artifact):
    record = out(alice, hero).checkout
    first = drop(alice, record)
    assert drop(alice, record).closed_at == first.closed_at
    assert Entry.objects.filter(kind="checkout_discarded").count() == 1


def test_a_late_discard_does_not_touch_the_new_holder(alice: User, bob: User, hero: Artifact, clock):
    """H24."""
    record = out(alice, hero, ttl=60).checkout
    clock.forward(seconds=61)
    bobs = out(bob, hero)
    assert drop(alice, record).outcome == "discarded"
    [lease] = leases.read([hero.resource])
    assert (lease.holder, lease.fence, lease.expires_at) == (
        bobs.lease.holder,
        bobs.lease.fence,
        bobs.lease.expires_at,
    )


def test_after_a_break_it_ends_the_record_alone(alice: User, bob: User, olga: User, hero: Artifact):
    """H23."""
    record = out(alice, hero).checkout
    break_checkout(actor=Actor(olga), checkout_id=record.pk, reason="on holiday")
    out(bob, hero)
    assert drop(alice, record).outcome == "discarded"
    assert leases.read([hero.resource])[0].participant == "user:bob"


def test_what_was_checked_in_stays_checked_in(alice: User, hero: Artifact):
    record = out(alice, hero).checkout
    back(alice, record, "two")
    assert drop(alice, record).outcome == "committed"


def test_nobody_discards_anothers(alice: User, bob: User, olga: User, hero: Artifact):
    record = out(alice, hero).checkout
    for other in (bob, olga):
        with pytest.raises(Forbidden):
            drop(other, record)
    assert leases.read([hero.resource])


def test_a_stranger_finds_nothing(alice: User, mallory: User, hero: Artifact):
    with pytest.raises(NotFound):
        drop(mallory, out(alice, hero).checkout)


def test_who_has_left_the_project_can_still_let_go(alice: User, hero: Artifact):
    record = out(alice, hero).checkout
    Membership.objects.filter(user=alice).delete()
    assert drop(alice, record).outcome == "discarded"
    assert leases.read([hero.resource]) == []


def test_a_token_that_only_reads_ends_nothing(alice: User, hero: Artifact):
    record = out(alice, hero).checkout
    with pytest.raises(Forbidden):
        discard(actor=Actor(alice, scope=Scope.READ), checkout_id=record.pk)
    assert leases.read([hero.resource])
