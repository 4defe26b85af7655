"""The selectors: a foreign id is an unknown id."""

import pytest

from checkouts import selectors
from checkouts.models import Artifact, Checkout
from leasehold.actors import Actor
from leasehold.exceptions import NotFound
from leasehold.models import Membership, Project, Role, User
from tests.factories import make_account, make_member, make_project
from tests.scenes import HOUR, back, out, put

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("sound")]


@pytest.fixture
def carol(art: Project) -> User:
    """An editor of the project film, and of nothing else."""
    user = make_account("carol")
    make_member(make_project("film"), user, Role.EDITOR)
    return user


@pytest.fixture
def proposal(alice: User, bob: User, hero: Artifact, clock):
    """Alice's late bytes, kept while bob has the file."""
    checkout = out(alice, hero, ttl=60).checkout
    clock.forward(seconds=61)
    out(bob, hero)
    return back(alice, checkout, "alice's").proposal


LOOKS = {
    "artifact": (selectors.artifact_for, lambda proposal: proposal.artifact_id),
    "check-out": (selectors.checkout_for, lambda _: Checkout.objects.earliest("id").pk),
    "proposal": (selectors.proposal_for, lambda proposal: proposal.pk),
}


@pytest.mark.parametrize("kind", LOOKS)
def test_foreign_and_unknown_ids_give_the_same_error(carol: User, mallory: User, proposal, kind):
    look, id_of = LOOKS[kind]
    for user in (carol, mallory):
        words = set()
        for wanted in (id_of(proposal), 10**6, 0, -1, 2**63 - 1, 2**63, 2**64, -(2**64)):
            with pytest.raises(NotFound) as refusal:
                look(Actor(user), wanted)
            words.add(refusal.value.detail)
        assert len(words) == 1


@pytest.mark.parametrize("kind", LOOKS)
def test_members_and_superusers_see_it(vera: User, bob: User, admin: User, proposal, kind):
    look, id_of = LOOKS[kind]
    for user in (vera, bob, admin):
        assert look(Actor(user), id_of(proposal))


def test_former_members_still_see_their_own_work(alice: User, bob: User, hero: Artifact, proposal):
    Membership.objects.filter(user=alice).delete()
    actor = Actor(alice)
    with pytest.raises(NotFound):
        selectors.artifact_for(actor, hero.pk)
    assert [checkout.actor for checkout in selectors.checkouts_for(actor)] == [alice]
    assert selectors.proposal_for(actor, proposal.pk) == proposal
    assert selectors.artifacts_for(actor).count() == 0


def test_a_file_comes_with_its_lease_and_the_readers_role(alice: User, vera: User, hero: Artifact, clock):
    held = out(alice, hero, ttl=60, purpose="new hat").lease
    seen = selectors.artifact_for(Actor(vera), hero.pk)
    assert (seen.role, seen.artifact.head.number, seen.artifact.project.slug) == ("viewer", 1, "art")
    lease = seen.live_lease
    assert (lease.holder, lease.fence, lease.purpose) == (held.holder, held.fence, "new hat")
    assert (lease.acquired_at, lease.expires_at) == (held.acquired_at, held.expires_at)
    clock.forward(seconds=61)
    seen = selectors.artifact_for(Actor(vera), hero.pk)
    assert (seen.live_lease, seen.lease.is_lapsed) == (None, True)


def test_files_are_filtered_by_holder(alice: User, bob: User, art: Project, clock):
    free, alices, bobs, soon, lapsed = (put(alice, name) for name in ("free", "alice", "bob", "soon", "lapsed"))
    out(alice, lapsed, ttl=60)
    clock.forward(seconds=61)
    out(alice, alices, ttl=8 * HOUR)
    out(bob, bobs, ttl=8 * HOUR)
    out(bob, soon, ttl=600)
    found = {
        which: set(selectors.filter_by_holder(selectors.artifacts_for(Actor(alice)), which, Actor(alice)))
        for which in ("free", "me", "others", "expiring")
    }
    assert found == {"free": {free, lapsed}, "me": {alices}, "others": {bobs, soon}, "expiring": {soon}}
    with pytest.raises(ValueError, match="nobody"):
        selectors.filter_by_holder(selectors.artifacts_for(Actor(alice)), "nobody", Actor(alice))


def test_a_check_out_knows_whether_it_still_holds_its_file(alice: User, bob: User, hero: Artifact, clock):
    checkout = out(alice, hero, ttl=60).checkout
    assert selectors.checkout_for(Actor(bob), checkout.pk).is_held is True
    clock.forward(seconds=61)
    assert selectors.checkout_for(Actor(bob), checkout.pk).is_held is False
    bobs = out(bob, hero).checkout
    assert selectors.checkout_for(Actor(bob), checkout.pk).is_held is False
    assert selectors.checkout_for(Actor(bob), bobs.pk).is_held is True


def test_ones_open_check_out_is_the_newest(alice: User, bob: User, hero: Artifact, clock):
    assert selectors.open_checkout_of(Actor(alice), hero) is None
    out(alice, hero, ttl=60)
    clock.forward(seconds=61)
    newest = out(alice, hero).checkout
    assert selectors.open_checkout_of(Actor(alice), hero) == newest
    assert selectors.open_checkout_of(Actor(bob), hero) is None


def test_versions_come_newest_first(alice: User, hero: Artifact):
    back(alice, out(alice, hero).checkout, "two")
    assert [version.number for version in selectors.versions_of(hero)] == [2, 1]
