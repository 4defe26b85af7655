"""Check out: a long lease on an artifact, and its row, in one transaction or neither."""

from datetime import timedelta

import pytest

from checkouts.actions.check_out import check_out
from checkouts.actions.moves import archive, rename
from checkouts.exceptions import ArtifactBusy
from checkouts.models import Artifact, Checkout
from leasehold import leases
from leasehold.actors import Actor
from leasehold.exceptions import Forbidden, Invalid, NotFound, WrongState
from leasehold.models import Entry, Lease, Scope, User
from tests.scenes import HOUR, back, out, put

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("sound")]


def test_alice_checks_a_file_out(alice: User, hero: Artifact):
    granted = out(alice, hero, ttl=HOUR, purpose="new hat")
    checkout = Checkout.objects.get()
    assert (checkout.actor, checkout.participant, checkout.purpose, checkout.state) == (
        alice,
        "user:alice",
        "new hat",
        "open",
    )
    assert (checkout.base_version, checkout.base_digest) == (hero.head, hero.head.digest)
    lease = granted.lease
    assert (lease.resource, lease.holder) == (hero.resource, f"checkout:{checkout.pk}:user:alice")
    assert (lease.purpose, lease.place, lease.expires_in) == ("new hat", "art/heroes/hero.psd", HOUR)
    assert (checkout.opened_at, checkout.expires_at) == (lease.acquired_at, lease.expires_at)
    entry = Entry.objects.get(kind="checkout_opened")
    assert (entry.subject, entry.actor, entry.project_id) == (hero.resource, alice, hero.project_id)


def test_a_check_out_lasts_eight_hours_by_default(alice: User, hero: Artifact):
    lease = check_out(actor=Actor(alice), artifact_id=hero.pk).lease
    assert timedelta(hours=8) <= lease.expires_at - lease.acquired_at < timedelta(hours=8, seconds=1)


def test_a_busy_refusal_carries_the_lease(alice: User, bob: User, hero: Artifact):
    held = out(alice, hero, purpose="new hat").lease
    with pytest.raises(ArtifactBusy) as refusal:
        out(bob, hero)
    lease = refusal.value.lease
    assert (lease.participant, lease.purpose, lease.expires_at) == ("user:alice", "new hat", held.expires_at)
    assert Checkout.objects.count() == 1


def test_a_second_check_out_by_its_holder_is_busy(alice: User, hero: Artifact):
    """Two tabs are two holders: the second gets no check-out, and the first lease is not renewed."""
    held = out(alice, hero).lease
    with pytest.raises(ArtifactBusy) as refusal:
        out(alice, hero, ttl=2 * HOUR)
    assert (refusal.value.lease.holder, refusal.value.lease.expires_at) == (held.holder, held.expires_at)
    assert Checkout.objects.count() == 1


def test_a_lost_race_leaves_no_check_out(alice: User, bob: User, hero: Artifact, monkeypatch):
    held = out(alice, hero).lease
    monkeypatch.setattr("checkouts.selectors.ArtifactWithLease.live_lease", None)  # bob's look was too early to see it
    with pytest.raises(ArtifactBusy) as refusal:
        out(bob, hero)
    assert refusal.value.lease.holder == held.holder
    assert Checkout.objects.count() == 1


def test_a_lapsed_check_out_blocks_nobody(alice: User, bob: User, hero: Artifact, clock):
    """No command has to clean up first."""
    alices = out(alice, hero, ttl=60)
    clock.forward(seconds=61)
    bobs = out(bob, hero)
    assert bobs.lease.fence == alices.lease.fence + 1
    alices.checkout.refresh_from_db()
    assert alices.checkout.is_open


def test_the_base_is_the_current_head(alice: User, bob: User, hero: Artifact):
    back(alice, out(alice, hero).checkout, "two")
    checkout = out(bob, hero).checkout
    assert checkout.base_version.number == 2
    assert checkout.base_digest == checkout.base_version.digest


def test_a_viewer_cannot_check_out(vera: User, hero: Artifact):
    with pytest.raises(Forbidden):
        out(vera, hero)
    assert not Checkout.objects.exists()
    assert not Lease.objects.exclude(holder="").exists()


def test_a_read_only_token_cannot_check_out(alice: User, hero: Artifact):
    with pytest.raises(Forbidden):
        check_out(actor=Actor(alice, scope=Scope.READ), artifact_id=hero.pk)


@pytest.mark.parametrize("unknown", [0, -1, 10**6, 2**63, 2**64])
def test_an_unknown_id_is_not_found(alice: User, hero: Artifact, unknown):
    with pytest.raises(NotFound):
        check_out(actor=Actor(alice), artifact_id=unknown)


def test_a_foreign_file_looks_like_an_unknown_one(mallory: User, hero: Artifact):
    with pytest.raises(NotFound) as foreign:
        out(mallory, hero)
    with pytest.raises(NotFound) as unknown:
        check_out(actor=Actor(mallory), artifact_id=10**6)
    assert foreign.value.detail == unknown.value.detail


def test_an_archived_file_is_not_checked_out(alice: User, hero: Artifact):
    archive(actor=Actor(alice), artifact_id=hero.pk)
    with pytest.raises(WrongState) as refusal:
        out(alice, hero)
    assert refusal.value.state == "archived"


@pytest.mark.parametrize("ttl", [0, -1, 0.5, True, "8h", 10**12, 2**63, float("nan")], ids=repr)
def test_a_ttl_out_of_bounds_writes_nothing(alice: User, hero: Artifact, ttl):
    with pytest.raises(Invalid):
        out(alice, hero, ttl=ttl)
    assert not Checkout.objects.exists()


@pytest.mark.parametrize("purpose", ["a\0b", "a" * 501, "\ud800", 7], ids=ascii)
def test_an_invalid_purpose_writes_nothing(alice: User, hero: Artifact, purpose):
    with pytest.raises(Invalid) as refusal:
        out(alice, hero, purpose=purpose)
    assert refusal.value.errors[0]["field"] == "purpose"
    assert not Checkout.objects.exists()


def test_the_lease_is_at_the_renamed_files_place(alice: User, hero: Artifact):
    """The lease's place follows the file, since reservations are checked by it."""
    rename(actor=Actor(alice), artifact_id=hero.pk, path="villains/hero.psd")
    assert out(alice, hero).lease.place == "art/villains/hero.psd"
    rename(actor=Actor(alice), artifact_id=hero.pk, path="gods/hero.psd")
    assert leases.read([hero.resource])[0].place == "art/gods/hero.psd"


def test_two_files_are_two_leases(alice: User, bob: User, hero: Artifact):
    hat = put(alice, "heroes/hat.psd")
    out(alice, hero)
    assert out(bob, hat).lease.participant == "user:bob"
