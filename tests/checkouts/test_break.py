"""Break and take over: an operator ends another person's check-out, and no work is lost."""

import pytest

from checkouts.actions.breaks import break_checkout, take_over
from checkouts.exceptions import ArtifactBusy
from checkouts.models import Artifact, Checkout
from checkouts.outcomes import Committed, Granted, Proposed
from leasehold import leases
from leasehold.actors import Actor
from leasehold.exceptions import Forbidden, Invalid, NotFound
from leasehold.models import Entry, Lease, Membership, Role, Scope, User
from tests.scenes import HOUR, back, out

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("sound")]


@pytest.fixture
def alices(alice: User, hero: Artifact) -> Granted:
    """Alice has hero.psd for an hour."""
    return out(alice, hero, ttl=HOUR)


def break_it(user: User, granted: Granted, reason: str = "on holiday", **scope):
    return break_checkout(actor=Actor(user, **scope), checkout_id=granted.checkout.pk, reason=reason)


def holder_of(hero: Artifact) -> str | None:
    return next((lease.participant for lease in leases.read([hero.resource])), None)


def test_a_break_frees_the_file_and_leaves_the_check_out_open(olga: User, bob: User, hero: Artifact, alices: Granted):
    broken = break_it(olga, alices)
    assert broken.ended is True
    checkout = Checkout.objects.get()
    assert (checkout.is_open, checkout.broken_by, checkout.broken_reason, checkout.broken_how) == (
        True,
        olga,
        "on holiday",
        "broken",
    )
    assert holder_of(hero) is None
    entry = Entry.objects.get(kind="checkout_broken")
    assert (entry.actor, entry.data["holder"], entry.data["reason"]) == (olga, "user:alice", "on holiday")
    assert out(bob, hero).lease.participant == "user:bob"


def test_a_second_break_does_nothing(olga: User, bob: User, hero: Artifact, alices: Granted):
    break_it(olga, alices)
    out(bob, hero)
    assert break_it(olga, alices, "again").ended is False
    assert holder_of(hero) == "user:bob"
    assert Checkout.objects.get(pk=alices.checkout.pk).broken_reason == "on holiday"
    assert Entry.objects.filter(kind="checkout_broken").count() == 1


def test_a_closed_check_out_is_not_broken(olga: User, alice: User, hero: Artifact, alices: Granted):
    back(alice, alices.checkout, "two")
    assert break_it(olga, alices).ended is False
    assert not Entry.objects.filter(kind="checkout_broken").exists()


def test_breaking_a_lapsed_check_out_leaves_bobs_lease(olga, bob: User, hero: Artifact, alices, clock):
    clock.forward(hours=2)
    out(bob, hero)
    assert break_it(olga, alices).ended is True
    assert holder_of(hero) == "user:bob"


@pytest.mark.parametrize("reason", ["", "  ", None, "a" * 501, "a\0b"], ids=repr)
def test_a_break_needs_a_reason(olga: User, hero: Artifact, alices: Granted, reason):
    with pytest.raises(Invalid) as refusal:
        break_it(olga, alices, reason)
    assert refusal.value.errors[0]["field"] == "reason"
    assert holder_of(hero) == "user:alice"


def test_only_an_operator_breaks(alice: User, bob: User, vera: User, hero: Artifact, alices: Granted):
    """Not even the holder: a break is another call than a discard."""
    for user in (alice, bob, vera):
        with pytest.raises(Forbidden):
            break_it(user, alices)
    assert holder_of(hero) == "user:alice"


def test_an_agent_never_breaks_not_even_as_an_operator(planner: User, hero: Artifact, alices: Granted):
    Membership.objects.filter(user=planner).update(role=Role.OPERATOR)
    with pytest.raises(Forbidden):
        break_it(planner, alices)


@pytest.mark.parametrize("scope", [Scope.READ, Scope.WRITE])
def test_a_write_token_breaks_nothing(olga: User, hero: Artifact, alices: Granted, scope):
    with pytest.raises(Forbidden):
        break_it(olga, alices, scope=scope)
    assert holder_of(hero) == "user:alice"


def test_a_superuser_may_break_anywhere(admin: User, hero: Artifact, alices: Granted):
    """Somebody can always undo a lock."""
    assert break_it(admin, alices).ended is True


def test_a_stranger_gets_not_found(mallory: User, alices: Granted):
    with pytest.raises(NotFound):
        break_it(mallory, alices)


# --- take over -------------------------------------------------------------------------------------------------------


def take(user: User, hero: Artifact, reason: str = "the deadline") -> Granted:
    return take_over(actor=Actor(user), artifact_id=hero.pk, reason=reason, ttl=HOUR)


def test_a_take_over_is_one_step(olga: User, alice: User, hero: Artifact, alices: Granted):
    olgas = take(olga, hero)
    assert olgas.lease.fence == alices.lease.fence + 1
    assert holder_of(hero) == "user:olga"
    checkout = Checkout.objects.get(pk=alices.checkout.pk)
    assert (checkout.is_open, checkout.broken_how, checkout.broken_by) == (True, "taken_over", olga)
    entry = Entry.objects.get(kind="checkout_taken_over")
    assert (entry.data["holder"], entry.data["reason"]) == ("user:alice", "the deadline")
    assert isinstance(back(alice, alices.checkout, "alice's"), Proposed)
    assert isinstance(back(olga, olgas.checkout, "olga's"), Committed)


def test_taking_over_a_free_file_is_a_check_out(olga: User, hero: Artifact):
    assert take(olga, hero).lease.participant == "user:olga"
    assert not Entry.objects.filter(kind="checkout_taken_over").exists()


def test_taking_over_ones_own_check_out_is_refused(olga: User, hero: Artifact):
    held = out(olga, hero).lease
    with pytest.raises(ArtifactBusy) as refusal:
        take(olga, hero)
    assert refusal.value.lease.holder == held.holder


def test_only_human_operators_take_over(bob: User, planner: User, hero: Artifact, alices: Granted):
    Membership.objects.filter(user=planner).update(role=Role.OPERATOR)
    for user in (bob, planner):
        with pytest.raises(Forbidden):
            take(user, hero)
    assert Lease.objects.get().holder == alices.lease.holder


def test_a_take_over_needs_a_reason(olga: User, hero: Artifact, alices: Granted):
    with pytest.raises(Invalid):
        take(olga, hero, reason=" ")
    assert holder_of(hero) == "user:alice"
