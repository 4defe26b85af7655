"""An edit in one call: a callable makes the new bytes, and the lease is released in any case."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from checkouts.actions.breaks import break_checkout, take_over
from checkouts.actions.edits import discard_edit, open_edit, put_edit
from checkouts.actions.moves import archive, rename
from checkouts.actions.proposals import accept
from checkouts.actions.restore import restore
from checkouts.bytes import storage
from checkouts.exceptions import ArtifactBusy, EditClosed, StaleBase, TooLarge
from checkouts.models import Artifact, Edit, Proposal, Version
from checkouts.outcomes import Committed, Proposed, Unchanged
from checkouts.programs import edit as editing
from checkouts.programs.edit import edit
from leasehold import leases
from leasehold.actors import Actor
from leasehold.exceptions import Forbidden, Invalid, ScopeReserved, WrongState
from leasehold.models import Entry, Lease, Membership
from tests.scenes import back, out, put, received, stored_files

pytestmark = pytest.mark.usefixtures("blobs", "sound")


def run(user, artifact, transform=lambda before: before + b" edited", **more):
    return edit(actor=Actor(user), artifact_id=artifact.pk, transform=transform, **more)


def opened(user, artifact, **more):
    return open_edit(actor=Actor(user), artifact_id=artifact.pk, **more).edit


def put_bytes(user, attempt, content, **more):
    return put_edit(actor=Actor(user), edit_id=attempt.pk, upload=received(content), **more)


def bytes_of(version):
    return storage.open_blob(version.blob.key).read()


def held_by(artifact):
    return [lease.holder for lease in leases.read([artifact.resource])]


def stored(blobs):
    return len(stored_files(blobs))


@pytest.fixture
def propose(hero):
    Artifact.objects.update(write_policy="propose")
    return hero


def test_the_callables_result_is_the_next_version(planner, hero):
    seen = []

    def transform(before):
        seen.append(before)
        return before.upper()

    outcome = run(planner, hero, transform, comment="Louder")
    assert isinstance(outcome, Committed)
    assert (outcome.version.number, outcome.version.comment, bytes_of(outcome.version)) == (2, "Louder", b"ONE")
    assert seen == [b"one"]
    assert held_by(hero) == []
    kinds = list(Entry.objects.filter(kind__startswith="edit").values_list("kind", flat=True))
    assert kinds == ["edit_opened"], "the entry of the version records the end"


def test_the_file_is_leased_during_the_edit(planner, hero):
    attempt = opened(planner, hero)
    assert held_by(hero) == [f"edit:{attempt.pk}:agent:planner"]


def test_identical_bytes_are_no_version(planner, hero, blobs):
    assert isinstance(run(planner, hero, lambda before: before), Unchanged)
    assert (Version.objects.count(), stored(blobs)) == (1, 1)


def test_the_propose_policy_binds_agents_and_not_people(planner, bob, propose):
    outcome = run(planner, propose)
    assert isinstance(outcome, Proposed)
    assert (outcome.proposal.base_version.number, outcome.proposal.provenance["kind"]) == (1, "edit")
    assert held_by(propose) == []
    assert isinstance(run(bob, propose), Committed)


@pytest.mark.parametrize("error", [ZeroDivisionError, KeyboardInterrupt, SystemExit])
def test_an_error_of_the_callable_releases_the_file(planner, hero, blobs, error):
    def transform(before):
        raise error

    with pytest.raises(error):
        run(planner, hero, transform)
    assert (held_by(hero), Version.objects.count(), stored(blobs)) == ([], 1, 1)
    assert Edit.objects.get().outcome == "discarded"


@pytest.mark.parametrize("made", [None, "text", 7, [b"x"]])
def test_a_result_that_is_not_bytes_is_an_error(planner, hero, made):
    with pytest.raises(TypeError):
        run(planner, hero, lambda _: made)
    assert held_by(hero) == []


def test_a_result_after_the_deadline_is_dropped(planner, hero, monkeypatch):
    monkeypatch.setattr(editing, "DEADLINE", 0.01)
    go_on = threading.Event()

    def transform(before):
        go_on.wait(30)
        return b"too late"

    with pytest.raises(TimeoutError):
        run(planner, hero, transform)
    assert held_by(hero) == []
    go_on.set()
    assert (Version.objects.count(), Edit.objects.get().outcome) == (1, "discarded")
    workers = [thread for thread in threading.enumerate() if thread.name == "edit"]
    assert all(thread.daemon for thread in workers), "it keeps no process from ending"


def test_more_than_the_limit_is_refused(planner, hero, settings, blobs):
    settings.LEASEHOLD_UPLOAD_LIMIT = 5
    with pytest.raises(TooLarge):
        run(planner, hero, lambda _: b"123456")
    assert (held_by(hero), stored(blobs)) == ([], 1)


def test_a_held_file_is_busy_at_once(planner, alice, hero):
    out(alice, hero, purpose="repaint")
    with pytest.raises(ArtifactBusy) as refused:
        run(planner, hero)
    assert (refused.value.lease.participant, refused.value.lease.purpose) == ("user:alice", "repaint")
    assert not Edit.objects.exists()


def test_busy_without_a_lease_if_it_ended_in_between(planner, alice, hero, monkeypatch):
    """Alice wins the race, and discards before her lease can be read."""
    out(alice, hero)
    monkeypatch.setattr("checkouts.selectors.ArtifactWithLease.live_lease", None)
    monkeypatch.setattr("leasehold.leases.acquisition.read", lambda _: [])
    with pytest.raises(ArtifactBusy) as refused:
        opened(planner, hero)
    assert refused.value.lease is None


def test_ones_own_check_out_is_in_the_way_too(alice, hero):
    out(alice, hero)
    with pytest.raises(ArtifactBusy):
        opened(alice, hero)


@pytest.mark.parametrize("ttl", [0, 46, -1, True, 1.5, "30", None])
def test_it_lasts_one_to_45_seconds(planner, hero, ttl):
    with pytest.raises(Invalid, match="ttl"):
        opened(planner, hero, ttl=ttl)


def test_a_viewer_a_stranger_and_an_archived_file(vera, mallory, planner, alice, hero):
    with pytest.raises(Forbidden):
        opened(vera, hero)
    with pytest.raises(Exception, match="no such thing"):
        opened(mallory, hero)
    archive(actor=Actor(alice), artifact_id=hero.pk)
    with pytest.raises(WrongState):
        opened(planner, hero)
    assert not Edit.objects.exists()


def test_a_late_edit_commits_if_nothing_happened(planner, hero, clock):
    attempt = opened(planner, hero, ttl=10)
    clock.forward(seconds=11)
    assert put_bytes(planner, attempt, "late").version.number == 2
    assert held_by(hero) == []


def test_a_late_edit_is_refused_while_alice_holds_the_file(planner, alice, hero, clock):
    attempt = opened(planner, hero, ttl=10)
    clock.forward(seconds=11)
    hers = out(alice, hero)
    with pytest.raises(ArtifactBusy) as refused:
        put_bytes(planner, attempt, "late")
    assert refused.value.lease.holder == hers.lease.holder
    discard_edit(actor=Actor(planner), edit_id=attempt.pk)
    assert held_by(hero) == [hers.lease.holder]
    with pytest.raises(EditClosed) as refused:
        put_bytes(planner, attempt, "late")
    assert refused.value.outcome == "discarded"
    assert back(alice, hers.checkout, "hers").version.number == 2


def test_a_late_edit_on_a_newer_head_is_stale(planner, alice, hero, clock):
    attempt = opened(planner, hero, ttl=10)
    clock.forward(seconds=11)
    back(alice, out(alice, hero).checkout, "hers")
    with pytest.raises(StaleBase) as refused:
        put_bytes(planner, attempt, "late")
    assert (refused.value.base, refused.value.head) == (1, 2)
    assert not Proposal.objects.exists()


def test_a_late_edit_commits_if_alice_left_the_file_unchanged(planner, alice, hero, clock):
    attempt = opened(planner, hero, ttl=10)
    clock.forward(seconds=11)
    back(alice, out(alice, hero).checkout, "one")
    assert put_bytes(planner, attempt, "late").version.number == 2


def test_a_former_editor_cannot_put(planner, hero):
    attempt = opened(planner, hero)
    Membership.objects.filter(user=planner).delete()
    with pytest.raises(Forbidden):
        put_bytes(planner, attempt, "two")
    assert discard_edit(actor=Actor(planner), edit_id=attempt.pk).outcome == "discarded"
    assert held_by(hero) == []


def test_the_same_bytes_again_are_a_replay(planner, alice, hero):
    attempt = opened(planner, hero)
    first = put_bytes(planner, attempt, "two")
    back(alice, out(alice, hero).checkout, "three")
    again = put_bytes(planner, attempt, "two")
    assert (again.replayed, again.version) == (True, first.version)
    with pytest.raises(EditClosed):
        put_bytes(planner, attempt, "four")


def test_only_its_agent_ends_an_edit(planner, bob, hero):
    attempt = opened(planner, hero)
    for act in (lambda: put_bytes(bob, attempt, "two"), lambda: discard_edit(actor=Actor(bob), edit_id=attempt.pk)):
        with pytest.raises(Forbidden):
            act()
    assert len(held_by(hero)) == 1


def test_after_a_take_over_the_late_put_is_refused(planner, olga, hero):
    attempt = opened(planner, hero)
    taken = take_over(actor=Actor(olga), artifact_id=hero.pk, reason="urgent")
    with pytest.raises(ArtifactBusy) as refused:
        put_bytes(planner, attempt, "late")
    assert refused.value.lease.holder == taken.lease.holder
    break_checkout(actor=Actor(olga), checkout_id=taken.checkout.pk, reason="done")
    assert put_bytes(planner, attempt, "late").version.number == 2


def test_while_it_is_edited_nothing_else_moves_it(planner, alice, olga, hero):
    opened(planner, hero)
    for act in (
        lambda: rename(actor=Actor(alice), artifact_id=hero.pk, path="other.psd"),
        lambda: archive(actor=Actor(alice), artifact_id=hero.pk),
        lambda: restore(actor=Actor(alice), artifact_id=hero.pk, number=1),
        lambda: out(alice, hero),
    ):
        with pytest.raises(ArtifactBusy) as refused:
            act()
        assert refused.value.lease.participant == "agent:planner"


def test_accept_waits_for_the_edit_too(planner, alice, olga, propose):
    kept = run(planner, propose).proposal
    opened(planner, propose)
    with pytest.raises(ArtifactBusy):
        accept(actor=Actor(olga), proposal_id=kept.pk)


def test_an_edit_under_anothers_ticket_is_refused_late_too(planner, hero, clock):
    attempt = opened(planner, hero, ttl=10)
    Lease.objects.create(  # a reservation, as a start of ticket 7 makes it
        resource="scope:art/heroes", place="art/heroes", holder="ticket:7", fence=1, acquired_at=clock.now()
    )
    assert Edit.objects.get().is_open
    clock.forward(seconds=11)
    for act in (lambda: put_bytes(planner, attempt, "late"), lambda: opened(planner, hero)):
        with pytest.raises(ScopeReserved):
            act()


def test_under_a_live_lease_a_new_reservation_does_not_block(planner, hero, clock):
    attempt = opened(planner, hero)
    Lease.objects.create(
        resource="scope:art/heroes", place="art/heroes", holder="ticket:7", fence=1, acquired_at=clock.now()
    )
    assert put_bytes(planner, attempt, "two").version.number == 2


def test_the_edit_of_a_dead_process_lapses(planner, alice, hero, clock):
    attempt = opened(planner, hero)  # and then nobody comes back
    clock.forward(seconds=46)
    assert held_by(hero) == []
    assert out(alice, hero).checkout.base_version.number == 1
    assert Edit.objects.get(pk=attempt.pk).is_open


@pytest.mark.races
def test_one_of_eight_simultaneous_edits_runs(planner, hero, settings):
    from django.db import connection

    barrier = threading.Barrier(8)

    def one(number):
        barrier.wait(30)
        try:
            return run(planner, hero, lambda before: before + b"%d" % number)
        except ArtifactBusy as busy:
            return busy
        finally:
            connection.close()

    with ThreadPoolExecutor(8) as pool:
        outcomes = list(pool.map(one, range(8)))
    committed = sorted(outcome.version.number for outcome in outcomes if isinstance(outcome, Committed))
    assert committed == list(range(2, len(committed) + 2))
    assert put(planner, "other.psd").head.number == 1
