"""An edit in one call: a callable makes the new bytes, and the lease is let go however that ends."""

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
from tests.scenes import back, out, put, received

pytestmark = pytest.mark.usefixtures("sound")


def run(user, artifact, transform=lambda before: before + b" edited", **more):
    return edit(actor=Actor(user), artifact_id=artifact.pk, transform=transform, **more)


def opened(user, artifact, **more):
    return open_edit(actor=Actor(user), artifact_id=artifact.pk, **more).edit


def put_bytes(user, record, content, **more):
    return put_edit(actor=Actor(user), edit_id=record.pk, upload=received(content), **more)


def bytes_of(version):
    return storage.open_blob(version.blob.key).read()


def held_by(artifact):
    return [lease.holder for lease in leases.read([artifact.resource])]


@pytest.fixture(autouse=True)
def blobs(settings, tmp_path):
    settings.LEASEHOLD_BLOBS = tmp_path / "blobs"
    return settings.LEASEHOLD_BLOBS


def stored(blobs):
    return len([path for path in blobs.rglob("*") if path.is_file()])


@pytest.fixture
def propose(hero):
    Artifact.objects.update(write_policy="propose")
    return hero


def test_what_the_callable_makes_is_the_next_version(planner, hero):
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
    assert kinds == ["edit_opened"], "the end is told by the version"


def test_meanwhile_the_lease_is_its_own(planner, hero):
    record = opened(planner, hero)
    assert held_by(hero) == [f"edit:{record.pk}:agent:planner"]


def test_the_same_bytes_are_no_version(planner, hero, blobs):
    assert isinstance(run(planner, hero, lambda before: before), Unchanged)
    assert (Version.objects.count(), stored(blobs)) == (1, 1)


def test_under_the_policy_propose_an_agents_edit_is_a_proposal_and_a_persons_a_version(planner, bob, propose):
    outcome = run(planner, propose)
    assert isinstance(outcome, Proposed)
    assert (outcome.proposal.base_version.number, outcome.proposal.provenance["kind"]) == (1, "edit")
    assert held_by(propose) == []
    assert isinstance(run(bob, propose), Committed)


@pytest.mark.parametrize("error", [ZeroDivisionError, KeyboardInterrupt, SystemExit])
def test_an_error_of_the_callable_lets_go_and_commits_nothing(planner, hero, blobs, error):
    def transform(before):
        raise error

    with pytest.raises(error):
        run(planner, hero, transform)
    assert (held_by(hero), Version.objects.count(), stored(blobs)) == ([], 1, 1)
    assert Edit.objects.get().outcome == "discarded"


@pytest.mark.parametrize("made", [None, "text", 7, [b"x"]])
def test_what_is_no_bytes_is_an_error(planner, hero, made):
    with pytest.raises(TypeError):
        run(planner, hero, lambda _: made)
    assert held_by(hero) == []


def test_after_the_deadline_it_is_over_and_what_comes_later_is_dropped(planner, hero, monkeypatch):
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


def test_busy_with_the_lease_and_no_queue(planner, alice, hero):
    out(alice, hero, purpose="repaint")
    with pytest.raises(ArtifactBusy) as refused:
        run(planner, hero)
    assert (refused.value.lease.participant, refused.value.lease.purpose) == ("user:alice", "repaint")
    assert not Edit.objects.exists()


def test_busy_with_nobody_if_it_ended_in_between(planner, alice, hero, monkeypatch):
    """The race is lost to alice, who lets go before anybody could say who she was."""
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


def test_an_edit_that_outlived_its_lease_commits_if_nothing_happened(planner, hero, clock):
    record = opened(planner, hero, ttl=10)
    clock.forward(seconds=11)
    assert put_bytes(planner, record, "late").version.number == 2
    assert held_by(hero) == []


def test_if_alice_has_the_file_now_it_is_refused_and_nothing_of_hers_is_touched(planner, alice, hero, clock):
    record = opened(planner, hero, ttl=10)
    clock.forward(seconds=11)
    hers = out(alice, hero)
    with pytest.raises(ArtifactBusy) as refused:
        put_bytes(planner, record, "late")
    assert refused.value.lease.holder == hers.lease.holder
    discard_edit(actor=Actor(planner), edit_id=record.pk)
    assert held_by(hero) == [hers.lease.holder]
    with pytest.raises(EditClosed) as refused:
        put_bytes(planner, record, "late")
    assert refused.value.outcome == "discarded"
    assert back(alice, hers.checkout, "hers").version.number == 2


def test_if_the_head_moved_on_it_is_stale(planner, alice, hero, clock):
    record = opened(planner, hero, ttl=10)
    clock.forward(seconds=11)
    back(alice, out(alice, hero).checkout, "hers")
    with pytest.raises(StaleBase) as refused:
        put_bytes(planner, record, "late")
    assert (refused.value.base, refused.value.head) == (1, 2)
    assert not Proposal.objects.exists()


def test_if_alice_had_it_and_gave_it_back_unchanged_it_commits(planner, alice, hero, clock):
    record = opened(planner, hero, ttl=10)
    clock.forward(seconds=11)
    back(alice, out(alice, hero).checkout, "one")
    assert put_bytes(planner, record, "late").version.number == 2


def test_who_may_not_edit_any_more_is_refused(planner, hero):
    record = opened(planner, hero)
    Membership.objects.filter(user=planner).delete()
    with pytest.raises(Forbidden):
        put_bytes(planner, record, "two")
    assert discard_edit(actor=Actor(planner), edit_id=record.pk).outcome == "discarded"
    assert held_by(hero) == []


def test_the_same_bytes_again_are_a_replay_whatever_happened_since(planner, alice, hero):
    record = opened(planner, hero)
    first = put_bytes(planner, record, "two")
    back(alice, out(alice, hero).checkout, "three")
    again = put_bytes(planner, record, "two")
    assert (again.replayed, again.version) == (True, first.version)
    with pytest.raises(EditClosed):
        put_bytes(planner, record, "four")


def test_nobody_elses(planner, bob, hero):
    record = opened(planner, hero)
    for act in (lambda: put_bytes(bob, record, "two"), lambda: discard_edit(actor=Actor(bob), edit_id=record.pk)):
        with pytest.raises(Forbidden):
            act()
    assert len(held_by(hero)) == 1


def test_an_operator_who_takes_over_has_it_and_the_late_put_is_refused(planner, olga, hero):
    record = opened(planner, hero)
    taken = take_over(actor=Actor(olga), artifact_id=hero.pk, reason="urgent")
    with pytest.raises(ArtifactBusy) as refused:
        put_bytes(planner, record, "late")
    assert refused.value.lease.holder == taken.lease.holder
    break_checkout(actor=Actor(olga), checkout_id=taken.checkout.pk, reason="done")
    assert put_bytes(planner, record, "late").version.number == 2


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


def test_under_anothers_ticket_it_is_refused_also_when_it_comes_late(planner, hero, clock):
    record = opened(planner, hero, ttl=10)
    Lease.objects.create(  # a reservation, as a start of ticket 7 makes it
        resource="scope:art/heroes", place="art/heroes", holder="ticket:7", fence=1, acquired_at=clock.now()
    )
    assert Edit.objects.get().is_open
    clock.forward(seconds=11)
    for act in (lambda: put_bytes(planner, record, "late"), lambda: opened(planner, hero)):
        with pytest.raises(ScopeReserved):
            act()


def test_under_its_own_live_lease_a_reservation_is_not_asked_for(planner, hero, clock):
    record = opened(planner, hero)
    Lease.objects.create(
        resource="scope:art/heroes", place="art/heroes", holder="ticket:7", fence=1, acquired_at=clock.now()
    )
    assert put_bytes(planner, record, "two").version.number == 2


def test_what_a_lost_process_leaves_frees_itself(planner, alice, hero, clock):
    record = opened(planner, hero)  # and then nobody comes back
    clock.forward(seconds=46)
    assert held_by(hero) == []
    assert out(alice, hero).checkout.base_version.number == 1
    assert Edit.objects.get(pk=record.pk).is_open


@pytest.mark.races
def test_of_eight_edits_at_once_one_runs_and_seven_are_told(planner, hero, settings):
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
