"""Nobody builds on stored bytes that are not there: restore, accept and rebuild refuse, and downloads say so."""

import pytest

from checkouts.actions import proposals
from checkouts.actions.restore import restore
from checkouts.bytes.storage import path_of
from checkouts.exceptions import BytesMissing
from checkouts.models import Proposal, Version
from checkouts.outcomes import Unchanged
from checkouts.trees import FileResult, import_tree
from leasehold.actors import Actor
from leasehold.models import Entry, Lease
from tests.scenes import back, out, stored_files

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("blobs")]


def lose(path) -> None:
    path.unlink()


def cut(path) -> None:
    path.write_bytes(path.read_bytes()[:-1])


def grow(path) -> None:
    path.write_bytes(path.read_bytes() + b"x")


FAULTS = pytest.mark.parametrize("damage", [lose, cut, grow])


@pytest.fixture
def second(alice, hero) -> Version:
    return back(alice, out(alice, hero).checkout, "two").version


@pytest.fixture
def proposal(alice, bob, hero, clock) -> Proposal:
    """Alice's late check-in, kept against version 2."""
    late = out(alice, hero, ttl=60).checkout
    clock.forward(seconds=61)
    back(bob, out(bob, hero).checkout, "two")
    return back(alice, late, "hers").proposal


@FAULTS
def test_a_version_without_its_bytes_is_not_restored(damage, alice, hero, second):
    damage(path_of(hero.versions.get(number=1).blob.key))
    with pytest.raises(BytesMissing, match="version 1") as refused:
        restore(actor=Actor(alice), artifact_id=hero.pk, number=1)
    assert refused.value.version == 1
    hero.refresh_from_db()
    assert hero.head == second
    assert not Lease.objects.exclude(holder="").exists()


@FAULTS
def test_a_proposal_without_its_bytes_is_not_accepted(damage, olga, hero, proposal):
    damage(path_of(proposal.blob.key))
    with pytest.raises(BytesMissing, match="of this proposal"):
        proposals.accept(actor=Actor(olga), proposal_id=proposal.pk)
    hero.refresh_from_db()
    proposal.refresh_from_db()
    assert (hero.head.number, proposal.state) == (2, Proposal.State.OPEN)


def test_a_proposal_without_its_bytes_is_not_rebuilt(olga, bob, hero, proposal):
    back(bob, out(bob, hero).checkout, "three")
    lose(path_of(proposal.blob.key))
    with pytest.raises(BytesMissing):
        proposals.rebuild(actor=Actor(olga), proposal_id=proposal.pk)
    assert Proposal.objects.count() == 1


@FAULTS
@pytest.mark.parametrize("method", ["get", "head"])
def test_a_download_of_missing_bytes_is_refused(damage, method, client, vera, hero):
    damage(path_of(hero.head.blob.key))
    client.force_login(vera)
    answer = getattr(client, method)(f"/artifacts/{hero.pk}/versions/1/content/")
    assert answer.status_code == 409
    if method == "get":
        assert "The stored bytes are not there" in answer.content.decode()


@pytest.mark.parametrize("damage", [lose, cut])
def test_a_check_in_of_the_newest_bytes_gives_missing_ones_back(damage, alice, hero):
    damage(path_of(hero.head.blob.key))
    outcome = back(alice, out(alice, hero).checkout, "one")
    assert isinstance(outcome, Unchanged)
    assert path_of(hero.head.blob.key).read_bytes() == b"one"
    assert Entry.objects.get(kind="version_unchanged").data["returned_bytes"] is True


def test_other_bytes_are_not_given_back(alice, hero):
    lose(path_of(hero.head.blob.key))
    assert back(alice, out(alice, hero).checkout, "two").version.number == 2
    assert not path_of(hero.head.blob.key).exists()


def test_an_import_of_what_is_there_gives_missing_bytes_back(alice, hero, blobs, tmp_path):
    lose(path_of(hero.head.blob.key))
    (tmp_path / "tree" / "heroes").mkdir(parents=True)
    (tmp_path / "tree" / "heroes" / "hero.psd").write_bytes(b"one")
    reports = import_tree(actor=Actor(alice), project=hero.project, root=tmp_path / "tree", files=["heroes/hero.psd"])
    assert [report.result for report in reports] == [FileResult.SAME]
    assert path_of(hero.head.blob.key).read_bytes() == b"one"
    assert stored_files(blobs) == [path_of(hero.head.blob.key)]
