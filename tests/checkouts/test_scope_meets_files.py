"""A ticket reserves a folder: what others may do there, and what they may not."""

import pytest

from checkouts.actions.artifacts import add_artifact
from checkouts.actions.breaks import break_checkout, take_over
from checkouts.actions.check_out import check_out_many
from checkouts.actions.edits import open_edit, put_edit
from checkouts.actions.holds import discard, extend, hand_over
from checkouts.actions.moves import archive, rename, unarchive
from checkouts.actions.proposals import accept
from checkouts.actions.restore import restore
from checkouts.models import Artifact, Checkout, Version
from checkouts.outcomes import Committed, Proposed, Unchanged
from leasehold.actors import Actor
from leasehold.exceptions import ScopeInUse, ScopeReserved
from leasehold.models import Entry, Lease, Session
from leasehold.scopes.reservations import scope_audit
from tests.scenes import back, out, put, received
from tests.work import block, cancel, checkpoint, resume, send_back, start, started, submit

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("sound")]


@pytest.fixture
def files(alice) -> dict[str, Artifact]:
    """Two versions each of a file below the key and one beside it; a third that is archived; and a stale proposal."""
    found = {name: put(alice, path) for name, path in {"in": "heroes/hero.psd", "out": "props/cape.psd"}.items()}
    for file in found.values():
        back(alice, out(alice, file).checkout, f"two of {file.pk}")
    found["away"] = put(alice, "heroes/old.psd", "old")
    archive(actor=Actor(alice), artifact_id=found["away"].pk)
    return {name: Artifact.objects.get(pk=file.pk) for name, file in found.items()}


@pytest.fixture
def proposal(files, alice, bob, clock):
    """Alice's bytes against the newest version below the key."""
    checkout = out(alice, files["in"], ttl=60).checkout
    clock.forward(seconds=61)
    back(bob, out(bob, files["in"]).checkout, "bob's")
    return back(alice, checkout, "alice's late ones").proposal


#: whatever takes a lease anew below the key or puts something there: verb → what it does, as this person
DEEDS = {
    "check out": lambda who, files, _: out(who, files["in"]),
    "check out many": lambda who, *_: check_out_many(actor=Actor(who), project="art", prefix="heroes"),
    "edit": lambda who, files, _: open_edit(actor=Actor(who), artifact_id=files["in"].pk),
    "upload": lambda who, *_: add_artifact(
        actor=Actor(who), project="art", path="HEROES/new.psd", upload=received("new")
    ),
    "upload at the key": lambda who, *_: put(who, "Heroes-2"),
    "restore": lambda who, files, _: restore(actor=Actor(who), artifact_id=files["in"].pk, number=1),
    "rename away": lambda who, files, _: rename(actor=Actor(who), artifact_id=files["in"].pk, path="props/hero.psd"),
    "rename into": lambda who, files, _: rename(actor=Actor(who), artifact_id=files["out"].pk, path="heroes/cape.psd"),
    "archive": lambda who, files, _: archive(actor=Actor(who), artifact_id=files["in"].pk),
    "un-archive": lambda who, files, _: unarchive(actor=Actor(who), artifact_id=files["away"].pk),
    "accept": lambda who, _, proposal: accept(actor=Actor(who), proposal_id=proposal.pk),
}


def state() -> tuple:
    return (
        Version.objects.count(),
        Checkout.objects.count(),
        Entry.objects.count(),
        list(Artifact.objects.order_by("pk").values_list("path", "archived_at", "head")),
        list(Lease.objects.exclude(holder="").order_by("pk").values_list("resource", "holder", "fence")),
    )


@pytest.mark.parametrize("verb", DEEDS)
def test_others_may_not_change_files_below_a_reserved_key(alice, bob, olga, files, proposal, verb):
    session = started(bob, olga, "art/heroes", "art/heroes-2")
    before = state()
    for nobody in (alice, olga):
        person = olga if verb == "accept" else nobody
        with pytest.raises(ScopeReserved) as refusal:
            DEEDS[verb](person, files, proposal)
        key = "art/heroes-2" if verb == "upload at the key" else "art/heroes"
        assert refusal.value.detail == f"resource scope reserved by {session.ticket_id}: {key}"
    assert state() == before


@pytest.mark.parametrize("verb", DEEDS)
def test_the_worker_of_the_active_session_may(alice, bob, olga, files, proposal, verb):
    session = started(olga, olga, "art/heroes", "art/heroes-2")
    done = DEEDS[verb](olga, files, proposal)
    if verb in ("upload", "upload at the key"):
        assert done.head.session_id == session.pk
    if verb == "restore":
        assert done.session_id == session.pk
    if verb == "check out":
        assert done.checkout.session_id == session.pk
    if verb == "check out many":
        assert {granted.checkout.session_id for granted in done.granted} == {session.pk}
    if verb == "edit":
        assert done.edit.session_id == session.pk


@pytest.mark.parametrize("ending", ["submit", "block", "lapse"])
def test_without_an_active_session_the_worker_may_not(bob, olga, files, clock, ending):
    session = started(bob, olga, "art/heroes", ttl=60)
    deed = {"submit": submit, "block": block, "lapse": lambda _: clock.forward(seconds=61)}
    deed[ending](session)
    with pytest.raises(ScopeReserved):
        out(bob, files["in"])


@pytest.mark.parametrize("ending", [send_back, cancel])
def test_once_the_reservation_is_freed_everybody_may_again(alice, bob, olga, files, ending):
    session = started(bob, olga, "art/heroes")
    submit(session)
    ending(olga, session.ticket)
    assert out(alice, files["in"]).checkout.session_id is None


def test_files_beside_the_key_are_not_reserved(alice, bob, olga, files):
    started(bob, olga, "art/heroes", "art/pro", "elsewhere")
    beside = put(alice, "heroesque/x.psd")
    for file in (files["out"], beside):
        back(alice, out(alice, file).checkout, "mine")


def test_a_key_in_another_spelling_covers_the_same_folder(alice, bob, olga, files):
    started(bob, olga, "ART\\Heroes")
    with pytest.raises(ScopeReserved, match="ART/Heroes"):
        out(alice, files["in"])


def test_a_key_on_the_whole_project_covers_all_of_it(alice, bob, olga, files):
    started(bob, olga, "art")
    for file in (files["in"], files["out"]):
        with pytest.raises(ScopeReserved):
            out(alice, file)


def test_best_effort_skips_reserved_files_with_a_reason(alice, bob, olga, files):
    session = started(bob, olga, "art/heroes")
    ids = [files["in"].pk, files["out"].pk]
    many = check_out_many(actor=Actor(alice), project="art", artifact_ids=ids, atomic=False)
    assert [granted.checkout.artifact_id for granted in many.granted] == [files["out"].pk]
    [left_out] = many.refused
    assert left_out.artifact == files["in"]
    assert left_out.refusal.detail == f"resource scope reserved by {session.ticket_id}: art/heroes"


# --- what one had before ---------------------------------------------------------------------------------------------


def test_a_reservation_blocks_the_receiver_of_a_hand_over(alice, bob, olga, files):
    checkout = out(alice, files["in"]).checkout
    started(alice, olga, "art/heroes")  # her own check-out is not in her way
    with pytest.raises(ScopeReserved):
        hand_over(actor=Actor(alice), checkout_id=checkout.pk, to="bob")
    with pytest.raises(ScopeReserved):
        take_over(actor=Actor(olga), artifact_id=files["in"].pk, reason="Mine")
    assert Lease.objects.get(resource=files["in"].resource).participant == "user:alice"


def test_a_receiver_who_works_on_the_ticket_gets_it_for_the_session(alice, bob, olga, files):
    checkout = out(alice, files["in"]).checkout
    session = started(alice, olga, "art/heroes")
    block(session)
    again = resume(olga, session.ticket, worker="bob")
    assert hand_over(actor=Actor(alice), checkout_id=checkout.pk, to="bob").checkout.session_id == again.pk


def test_a_live_lease_is_not_blocked_by_a_reservation(alice, bob, olga, files):
    """The worker changes while alice holds the file: she may still extend, discard and check in."""
    checkouts = [out(alice, put(alice, f"heroes/{name}.psd")).checkout for name in "abc"]
    session = started(alice, olga, "art/heroes")
    block(session)
    resume(olga, session.ticket, worker="bob")
    extend(actor=Actor(alice), checkout_id=checkouts[0].pk)
    assert isinstance(back(alice, checkouts[0], "mine"), Committed)
    discard(actor=Actor(alice), checkout_id=checkouts[1].pk)
    break_checkout(actor=Actor(olga), checkout_id=checkouts[2].pk, reason="Enough")
    assert isinstance(back(alice, checkouts[2], "late"), Proposed)


def test_a_lapsed_check_out_is_blocked_by_a_reservation(alice, bob, olga, files, clock):
    checkout = out(alice, files["in"], ttl=60).checkout
    clock.forward(seconds=61)
    session = started(bob, olga, "art/heroes")
    with pytest.raises(ScopeReserved, match=f"reserved by {session.ticket_id}: art/heroes"):
        extend(actor=Actor(alice), checkout_id=checkout.pk)
    head = Artifact.objects.get(pk=files["in"].pk).head_id
    outcome = back(alice, checkout, "late", keep=True)
    assert isinstance(outcome, Proposed)
    assert Artifact.objects.get(pk=files["in"].pk).head_id == head
    assert not Lease.objects.filter(resource=files["in"].resource).exclude(holder="").exists()


def test_keep_with_identical_bytes_takes_no_reserved_file(alice, bob, olga, files, clock):
    checkout = out(alice, files["in"], ttl=60).checkout
    clock.forward(seconds=61)
    started(bob, olga, "art/heroes")
    outcome = back(alice, checkout, f"two of {files['in'].pk}", keep=True)
    assert isinstance(outcome, Unchanged)
    checkout.refresh_from_db()
    assert checkout.next_checkout_id is None


def test_a_late_edit_is_refused_and_takes_nothing(planner, bob, olga, files, clock):
    edit = open_edit(actor=Actor(planner), artifact_id=files["in"].pk, ttl=5).edit
    clock.forward(seconds=6)
    started(bob, olga, "art/heroes")
    with pytest.raises(ScopeReserved):
        put_edit(actor=Actor(planner), edit_id=edit.uuid, upload=received("late"))


# --- whose work it is ------------------------------------------------------------------------------------------------


def test_keep_stays_in_the_session_inside_and_outside_its_scope(alice, olga, files):
    session = started(alice, olga, "art/heroes")
    for file, named in [(files["in"], None), (files["out"], session.pk)]:
        checkout = out(alice, file, session_id=named).checkout
        kept = back(alice, checkout, f"more of {file.pk}", keep=True)
        assert isinstance(kept, Committed)
        successor = Checkout.objects.get(previous=checkout)
        assert successor.session_id == session.pk
        discard(actor=Actor(alice), checkout_id=successor.pk)
    submit(session)


def test_the_audit_lists_the_committed_paths(alice, bob, olga, files):
    session = started(alice, olga, "art/heroes")
    back(alice, out(alice, files["in"]).checkout, "inside")
    back(alice, out(alice, files["out"], session_id=session.pk).checkout, "outside")
    back(alice, out(alice, put(alice, "props/loose.psd")).checkout, "not of the session")
    added = put(alice, "heroes/new.psd")
    submit(session)
    audit = scope_audit(session.ticket, [Session.objects.get(pk=session.pk)])
    assert [(one.commit.artifact, one.commit.version, one.commit.path, one.is_inside) for one in audit] == [
        (files["in"].pk, 3, "art/heroes/hero.psd", True),
        (files["out"].pk, 3, "art/props/cape.psd", False),
        (added.pk, 1, "art/heroes/new.psd", True),
    ]
    assert {one.commit.session for one in audit} == {session.pk}


def test_checkpoints_keep_the_reservation_alive(alice, bob, olga, files, clock):
    session = started(bob, olga, "art/heroes", ttl=60)
    for _ in range(3):
        clock.forward(seconds=50)
        checkpoint(session)
        discard(actor=Actor(bob), checkout_id=out(bob, files["in"]).checkout.pk)
        with pytest.raises(ScopeReserved):
            out(alice, files["in"])


def test_a_restart_after_sending_back_meets_the_first_workers_files(alice, bob, olga, files):
    session = started(alice, olga, "art/heroes")
    out(alice, files["in"])
    block(session)
    send_back(olga, session.ticket)
    with pytest.raises(ScopeInUse):
        start(bob, session.ticket)
    assert start(alice, session.ticket)
