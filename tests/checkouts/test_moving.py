"""Rename, archive, unarchive and restore: the path changes, the versions do not."""

import pytest

from checkouts.actions.moves import archive, rename, unarchive
from checkouts.actions.restore import restore
from checkouts.exceptions import ArtifactBusy, PathTaken
from checkouts.models import Artifact, Proposal, Version
from checkouts.outcomes import Proposed
from leasehold import leases
from leasehold.actors import Actor
from leasehold.exceptions import Forbidden, PreconditionFailed, WrongState
from leasehold.models import Entry, User, WritePolicy
from tests.scenes import back, out, put

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("sound")]


def moved(user: User, hero: Artifact, path: str, **more) -> Artifact:
    return rename(actor=Actor(user), artifact_id=hero.pk, path=path, **more)


def test_a_rename_keeps_id_versions_and_check_out(alice: User, hero: Artifact):
    checkout = out(alice, hero).checkout
    assert moved(alice, hero, "villains/hero.psd").pk == hero.pk
    [lease] = leases.read([hero.resource])
    assert (lease.holder, lease.place) == (checkout.holder, "art/villains/hero.psd")
    assert back(alice, checkout, "two").version.number == 2
    entry = Entry.objects.get(kind="artifact_renamed")
    assert (entry.data["before"], entry.data["path"]) == ("heroes/hero.psd", "villains/hero.psd")


def test_a_rename_to_another_spelling_counts(alice: User, hero: Artifact):
    moved(alice, hero, "heroes/hero.psd")
    assert not Entry.objects.filter(kind="artifact_renamed").exists()
    moved(alice, hero, "Heroes/HERO.psd")
    assert Artifact.objects.get().path == "Heroes/HERO.psd"


@pytest.mark.parametrize("path", ["heroes/Hat.psd", "heroes/hat.psd/inside.psd", "heroes"])
def test_nothing_is_moved_onto_or_into_another_file(alice: User, hero: Artifact, path: str):
    put(alice, "heroes/hat.psd")
    with pytest.raises(PathTaken):
        moved(alice, hero, path)
    assert Artifact.objects.get(pk=hero.pk).path == "heroes/hero.psd"


def test_a_file_moves_into_a_folder_of_its_own_name(alice: User, hero: Artifact):
    assert moved(alice, hero, "heroes/hero.psd/hero.psd").path == "heroes/hero.psd/hero.psd"


@pytest.mark.parametrize("verb", [moved, lambda user, hero, _: archive(actor=Actor(user), artifact_id=hero.pk)])
def test_a_held_file_is_not_moved(alice, bob, hero: Artifact, clock, verb):
    held = out(alice, hero, ttl=60).lease
    with pytest.raises(ArtifactBusy) as refusal:
        verb(bob, hero, "villains/hero.psd")
    assert refusal.value.lease.holder == held.holder
    clock.forward(seconds=61)
    verb(bob, hero, "villains/hero.psd")


def test_a_failed_if_match_changes_nothing(alice: User, hero: Artifact):
    for digests in ([], ["sha256:0"]):
        with pytest.raises(PreconditionFailed) as refusal:
            moved(alice, hero, "x.psd", if_match=digests)
        assert refusal.value.etag == hero.head.digest
    assert moved(alice, hero, "x.psd", if_match=["sha256:0", hero.head.digest]).path == "x.psd"


def test_a_check_in_on_an_archived_file_is_a_proposal(alice: User, hero: Artifact):
    checkout = out(alice, hero).checkout
    archive(actor=Actor(alice), artifact_id=hero.pk)
    assert isinstance(back(alice, checkout, "two"), Proposed)
    assert unarchive(actor=Actor(alice), artifact_id=hero.pk).archived_at is None


@pytest.mark.parametrize("verb", [archive, unarchive])
def test_a_viewer_archives_nothing(vera: User, hero: Artifact, verb):
    with pytest.raises(Forbidden):
        verb(actor=Actor(vera), artifact_id=hero.pk)


def test_a_restored_version_names_its_source(alice: User, bob: User, hero: Artifact):
    back(alice, out(alice, hero).checkout, "two")
    version = restore(actor=Actor(bob), artifact_id=hero.pk, number=1)
    assert (version.number, version.digest, version.author) == (3, hero.head.digest, bob)
    assert version.provenance == {"kind": "restore", "restored": 1, "base_version": 2}
    assert leases.read([hero.resource]) == []
    late = out(alice, hero).checkout
    assert late.base_version == version


def test_an_archived_file_is_not_restored(alice: User, hero: Artifact):
    back(alice, out(alice, hero).checkout, "two")
    archive(actor=Actor(alice), artifact_id=hero.pk)
    with pytest.raises(WrongState):
        restore(actor=Actor(alice), artifact_id=hero.pk, number=1)
    assert leases.read([hero.resource]) == []


def test_an_agents_restore_follows_the_policy(alice: User, planner: User, art, hero: Artifact):
    back(alice, out(alice, hero).checkout, "two")
    art.write_policy = WritePolicy.PROPOSE
    art.save()
    kept = restore(actor=Actor(planner), artifact_id=hero.pk, number=1)
    assert isinstance(kept, Proposal)
    assert (kept.blob.digest, kept.base_version.number) == (hero.head.digest, 2)
    assert Version.objects.filter(artifact=hero).count() == 2
    assert restore(actor=Actor(alice), artifact_id=hero.pk, number=1).number == 3
