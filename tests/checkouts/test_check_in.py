"""Check in: every row of the verdict table, through the action. The bytes are named by their text."""

import pytest

from checkouts.actions.breaks import break_checkout
from checkouts.actions.check_in import check_in
from checkouts.actions.holds import discard
from checkouts.actions.moves import archive
from checkouts.actions.restore import restore
from checkouts.exceptions import CheckoutClosed
from checkouts.models import Artifact, Blob, Checkout, Proposal, Version
from checkouts.outcomes import Committed, Granted, Proposed, Unchanged, keeps_upload
from leasehold import leases
from leasehold.actions import reconcile, sessions, tickets
from leasehold.actors import Actor
from leasehold.exceptions import Forbidden, Invalid, NotFound, PreconditionFailed
from leasehold.models import Entry, Lease, Membership, Role, Scope, Session, User
from tests.scenes import HOUR, back, out, received

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("sound")]


@pytest.fixture
def alices(alice: User, hero: Artifact) -> Granted:
    """Alice has hero.psd for an hour, at version 1."""
    return out(alice, hero, ttl=HOUR)


def head_of(hero: Artifact) -> Version:
    return Artifact.objects.get(pk=hero.pk).head


def holder_of(hero: Artifact) -> str | None:
    return next((lease.participant for lease in leases.read([hero.resource])), None)


def written() -> tuple[int, ...]:
    return tuple(model.objects.count() for model in (Version, Proposal, Blob, Entry, Checkout))


def assert_kept_as_proposal(outcome, hero: Artifact, content: str, *, base: int, head: int) -> None:
    assert isinstance(outcome, Proposed)
    assert not outcome.replayed
    proposal = Proposal.objects.get(pk=outcome.proposal.pk)
    assert head_of(hero).number == head
    assert proposal.base_version.number == head  # it is kept against the head of now
    assert proposal.test_digest == head_of(hero).digest
    assert proposal.blob.digest == received(content).digest
    assert (proposal.provenance["base_version"], proposal.state) == (base, "open")
    checkout = Checkout.objects.get(pk=outcome.attempt.pk)
    assert (checkout.state, checkout.outcome, checkout.result_proposal) == ("closed", "proposed", proposal)


# --- the table -------------------------------------------------------------------------------------------------------


def test_nobody_checks_in_on_another_persons_check_out(bob: User, olga: User, hero: Artifact, alices: Granted):
    before = written()
    for other in (bob, olga):
        with pytest.raises(Forbidden):
            back(other, alices.checkout, "two")
    assert written() == before
    assert holder_of(hero) == "user:alice"


def test_the_same_bytes_again_are_a_replay(alice: User, hero: Artifact, alices: Granted):
    first = back(alice, alices.checkout, "two")
    before = written()
    again = back(alice, alices.checkout, "two")
    assert isinstance(again, Committed)
    assert again.replayed
    assert not keeps_upload(again)
    assert again.version == first.version
    assert written() == before


def test_a_proposal_and_an_unchanged_file_are_replayed_too(alice: User, bob: User, hero: Artifact, clock):
    checkout = out(alice, hero, ttl=60).checkout
    clock.forward(seconds=61)
    bobs = out(bob, hero).checkout
    first = back(alice, checkout, "alice's")
    again = back(alice, checkout, "alice's")
    assert isinstance(again, Proposed)
    assert (again.replayed, again.proposal) == (True, first.proposal)
    assert isinstance(back(bob, bobs, "one"), Unchanged)
    unchanged = back(bob, bobs, "one")
    assert isinstance(unchanged, Unchanged)
    assert (unchanged.replayed, unchanged.version.number) == (True, 1)


def test_a_replay_after_later_versions_is_the_first_answer(alice: User, bob: User, hero: Artifact, alices):
    first = back(alice, alices.checkout, "two")
    back(bob, out(bob, hero).checkout, "three")
    again = back(alice, alices.checkout, "two")
    assert (again.replayed, again.version) == (True, first.version)
    assert head_of(hero).number == 3


def test_other_bytes_on_a_closed_check_out_are_refused(alice: User, hero: Artifact, alices: Granted):
    back(alice, alices.checkout, "two")
    before = written()
    with pytest.raises(CheckoutClosed) as refusal:
        back(alice, alices.checkout, "three")
    assert refusal.value.outcome == "committed"
    assert written() == before


def test_a_discarded_check_out_takes_no_bytes(alice: User, hero: Artifact, alices: Granted):
    discard(actor=Actor(alice), checkout_id=alices.checkout.pk)
    for content in ("one", "two", ""):
        with pytest.raises(CheckoutClosed) as refusal:
            back(alice, alices.checkout, content)
        assert refusal.value.outcome == "discarded"


def test_the_heads_bytes_are_unchanged(alice: User, hero: Artifact, alices: Granted):
    outcome = back(alice, alices.checkout, "one")
    assert isinstance(outcome, Unchanged)
    assert not keeps_upload(outcome)
    assert outcome.version == head_of(hero) == hero.head
    assert holder_of(hero) is None
    assert Blob.objects.count() == 1


def test_the_heads_bytes_are_unchanged_while_bob_holds_the_file(alice: User, bob: User, hero: Artifact, alices, clock):
    clock.forward(hours=2)
    out(bob, hero)
    assert isinstance(back(alice, alices.checkout, "one"), Unchanged)
    assert holder_of(hero) == "user:bob"


def test_bytes_of_a_newer_head_are_unchanged(alice: User, bob: User, hero: Artifact, alices, clock):
    clock.forward(hours=2)
    back(bob, out(bob, hero).checkout, "two")
    outcome = back(alice, alices.checkout, "two")
    assert isinstance(outcome, Unchanged)
    assert outcome.version.number == 2


def test_a_check_in_while_bob_holds_the_file_is_a_proposal(
    alice: User, bob: User, hero: Artifact, alices: Granted, clock
):
    clock.forward(hours=2)
    bobs = out(bob, hero)
    assert_kept_as_proposal(back(alice, alices.checkout, "alice's"), hero, "alice's", base=1, head=1)
    assert leases.read([hero.resource])[0].holder == bobs.lease.holder
    assert isinstance(back(bob, bobs.checkout, "bob's"), Committed)


def test_the_same_person_in_another_tab_is_another_holder(alice: User, hero: Artifact, alices: Granted, clock):
    clock.forward(hours=2)
    out(alice, hero)
    assert_kept_as_proposal(back(alice, alices.checkout, "first tab"), hero, "first tab", base=1, head=1)


def test_a_stale_check_in_becomes_a_proposal(alice: User, bob: User, hero: Artifact, alices: Granted, clock):
    clock.forward(hours=2)
    back(bob, out(bob, hero).checkout, "bob's")
    assert_kept_as_proposal(back(alice, alices.checkout, "alice's"), hero, "alice's", base=1, head=2)
    assert head_of(hero).digest == received("bob's").digest


def test_the_bases_bytes_on_a_newer_head_are_a_proposal(alice: User, bob: User, hero: Artifact, alices, clock):
    clock.forward(hours=2)
    back(bob, out(bob, hero).checkout, "bob's")
    assert_kept_as_proposal(back(alice, alices.checkout, "one"), hero, "one", base=1, head=2)


def test_base_and_head_are_compared_by_version_not_by_bytes(alice: User, bob: User, hero: Artifact, alices, clock):
    clock.forward(hours=2)
    back(bob, out(bob, hero).checkout, "two")
    restore(actor=Actor(bob), artifact_id=hero.pk, number=1)
    assert head_of(hero).digest == alices.checkout.base_digest
    assert_kept_as_proposal(back(alice, alices.checkout, "alice's"), hero, "alice's", base=1, head=3)


def test_after_leaving_the_project_a_check_in_is_a_proposal(alice: User, hero: Artifact, alices: Granted):
    Membership.objects.filter(user=alice).delete()
    assert_kept_as_proposal(back(alice, alices.checkout, "two"), hero, "two", base=1, head=1)
    assert holder_of(hero) is None


def test_a_new_viewers_check_in_is_a_proposal(alice: User, hero: Artifact, alices: Granted):
    Membership.objects.filter(user=alice).update(role=Role.VIEWER)
    assert_kept_as_proposal(back(alice, alices.checkout, "two"), hero, "two", base=1, head=1)


def test_an_archived_file_gets_no_version(alice: User, hero: Artifact, alices: Granted):
    archive(actor=Actor(alice), artifact_id=hero.pk)
    assert_kept_as_proposal(back(alice, alices.checkout, "two"), hero, "two", base=1, head=1)


def test_the_holder_commits(alice: User, hero: Artifact, alices: Granted):
    outcome = back(alice, alices.checkout, "two", comment=" new hat ")
    assert isinstance(outcome, Committed)
    assert keeps_upload(outcome)
    version = head_of(hero)
    assert outcome.version == version
    assert (version.number, version.author, version.comment, version.size) == (2, alice, "new hat", 3)
    assert version.digest == received("two").digest
    assert version.provenance["base_digest"] == hero.head.digest
    checkout = Checkout.objects.get()
    assert (checkout.state, checkout.outcome, checkout.result_version) == ("closed", "committed", version)
    assert holder_of(hero) is None
    entry = Entry.objects.get(kind="version_committed")
    assert (entry.data["version"], entry.data["renewed_lapsed_lease"]) == (2, False)


@pytest.mark.parametrize("is_written_down", [False, True])
def test_a_lapsed_check_out_commits_if_nobody_took_the_file(alice, hero: Artifact, alices, clock, is_written_down):
    """For example after a lunch break."""
    clock.forward(days=3)
    if is_written_down:
        reconcile.reconcile()
    assert isinstance(back(alice, alices.checkout, "two"), Committed)
    assert Entry.objects.get(kind="version_committed").data["renewed_lapsed_lease"] is True
    assert Lease.objects.get().holder == ""


def test_it_commits_if_bob_held_the_file_in_between(alice: User, bob: User, hero: Artifact, alices: Granted, clock):
    clock.forward(hours=2)
    discard(actor=Actor(bob), checkout_id=out(bob, hero).checkout.pk)
    assert isinstance(back(alice, alices.checkout, "two"), Committed)


def test_it_commits_if_bobs_lease_has_lapsed_too(alice: User, bob: User, hero: Artifact, alices: Granted, clock):
    clock.forward(hours=2)
    bobs = out(bob, hero, ttl=60).checkout
    clock.forward(seconds=61)
    assert isinstance(back(alice, alices.checkout, "alice's"), Committed)
    assert_kept_as_proposal(back(bob, bobs, "bob's"), hero, "bob's", base=1, head=2)


# --- after a break ---------------------------------------------------------------------------------------------------


def test_after_a_break_a_check_in_commits_if_nothing_changed(alice: User, olga: User, hero: Artifact, alices: Granted):
    break_checkout(actor=Actor(olga), checkout_id=alices.checkout.pk, reason="on holiday")
    assert isinstance(back(alice, alices.checkout, "two"), Committed)
    assert holder_of(hero) is None


def test_after_a_break_a_check_in_is_a_proposal_if_bob_holds_the_file(
    alice: User, bob: User, olga: User, hero: Artifact, alices
):
    break_checkout(actor=Actor(olga), checkout_id=alices.checkout.pk, reason="on holiday")
    out(bob, hero)
    assert_kept_as_proposal(back(alice, alices.checkout, "alice's"), hero, "alice's", base=1, head=1)
    assert holder_of(hero) == "user:bob"


# --- If-Match --------------------------------------------------------------------------------------------------------


def test_a_failed_if_match_stores_nothing(alice: User, bob: User, hero: Artifact, alices: Granted, clock):
    clock.forward(hours=2)
    back(bob, out(bob, hero).checkout, "bob's")
    before = written()
    with pytest.raises(PreconditionFailed) as refusal:
        back(alice, alices.checkout, "alice's", if_match=[hero.head.digest])
    assert refusal.value.etag == received("bob's").digest
    assert written() == before
    assert Checkout.objects.get(pk=alices.checkout.pk).is_open


def test_a_matching_if_match_commits(alice: User, hero: Artifact, alices: Granted):
    assert isinstance(back(alice, alices.checkout, "two", if_match=["sha256:0", hero.head.digest]), Committed)


def test_a_replay_precedes_the_precondition(alice: User, hero: Artifact, alices: Granted):
    back(alice, alices.checkout, "two", if_match=[hero.head.digest])
    assert back(alice, alices.checkout, "two", if_match=[hero.head.digest]).replayed


# --- keep ------------------------------------------------------------------------------------------------------------


def test_keep_opens_a_check_out_of_the_new_version(alice: User, hero: Artifact, alices: Granted):
    outcome = back(alice, alices.checkout, "two", keep=True)
    successor = Checkout.objects.get(pk=outcome.attempt.next_checkout_id)
    assert outcome.attempt.state == "closed"
    assert (successor.base_version, successor.is_open, successor.actor) == (outcome.version, True, alice)
    assert successor.ttl == HOUR
    [lease] = leases.read([hero.resource])
    assert (lease.holder, lease.expires_in, lease.fence) == (successor.holder, HOUR, alices.lease.fence + 1)
    assert isinstance(back(alice, successor, "three"), Committed)


def test_keep_is_replayed_with_the_same_successor(alice: User, hero: Artifact, alices: Granted):
    first = back(alice, alices.checkout, "two", keep=True)
    again = back(alice, alices.checkout, "two", keep=True)
    assert again.replayed
    assert again.attempt.next_checkout_id == first.attempt.next_checkout_id
    assert Checkout.objects.count() == 2


def test_keep_works_for_an_unchanged_file(alice: User, hero: Artifact, alices: Granted):
    outcome = back(alice, alices.checkout, "one", keep=True)
    assert isinstance(outcome, Unchanged)
    assert outcome.attempt.next_checkout.base_version == hero.head
    assert holder_of(hero) == "user:alice"


def test_a_proposal_keeps_nothing_checked_out(alice: User, bob: User, hero: Artifact, alices: Granted, clock):
    clock.forward(hours=2)
    out(bob, hero)
    outcome = back(alice, alices.checkout, "alice's", keep=True)
    assert outcome.attempt.next_checkout is None
    assert holder_of(hero) == "user:bob"


def test_keep_opens_nothing_while_bob_holds_the_file(alice: User, bob: User, hero: Artifact, alices: Granted, clock):
    clock.forward(hours=2)
    out(bob, hero)
    outcome = back(alice, alices.checkout, "one", keep=True)
    assert isinstance(outcome, Unchanged)
    assert outcome.attempt.next_checkout is None
    assert holder_of(hero) == "user:bob"


# --- under a ticket --------------------------------------------------------------------------------------------------


def started(worker: User, olga: User, key: str = "art/heroes") -> Session:
    """The worker's session on an approved ticket that reserves `key`."""
    ticket = tickets.create_ticket(actor=Actor(worker), project="art", title="Repaint the heroes", scope=[key])
    tickets.approve(actor=Actor(olga), ticket_id=ticket.pk)
    return sessions.start(actor=Actor(worker), ticket_id=ticket.pk, ttl=HOUR)


def test_a_lapsed_check_out_below_anothers_ticket_is_a_proposal(
    alice, bob, olga, hero: Artifact, alices: Granted, clock
):
    clock.forward(hours=2)
    started(bob, olga)
    assert_kept_as_proposal(back(alice, alices.checkout, "alice's"), hero, "alice's", base=1, head=1)


def test_the_workers_own_ticket_does_not_block(alice: User, olga: User, hero: Artifact, alices: Granted, clock):
    clock.forward(hours=2)
    started(alice, olga)
    assert isinstance(back(alice, alices.checkout, "two"), Committed)


def test_keep_opens_nothing_below_anothers_ticket(alice, bob, olga, hero: Artifact, alices: Granted, clock):
    clock.forward(hours=2)
    started(bob, olga)
    outcome = back(alice, alices.checkout, "one", keep=True)
    assert isinstance(outcome, Unchanged)
    assert outcome.attempt.next_checkout is None
    assert holder_of(hero) is None


def test_keep_stays_in_the_session(alice: User, olga: User, hero: Artifact):
    session = started(alice, olga)
    outcome = back(alice, out(alice, hero).checkout, "two", keep=True)
    assert outcome.version.session == outcome.attempt.next_checkout.session == session


# --- what a check-in needs --------------------------------------------------------------------------------------------


def test_a_zero_byte_file_is_a_version(alice: User, hero: Artifact, alices: Granted):
    assert back(alice, alices.checkout, "").version.size == 0


@pytest.mark.parametrize("comment", ["a\0b", "a" * 10_001, "\ud800"], ids=["NUL", "too long", "surrogate"])
def test_an_invalid_comment_changes_nothing(alice: User, hero: Artifact, alices: Granted, comment):
    before = written()
    with pytest.raises(Invalid):
        back(alice, alices.checkout, "two", comment=comment)
    assert written() == before


def test_a_stranger_gets_not_found(mallory: User, alices: Granted):
    with pytest.raises(NotFound):
        back(mallory, alices.checkout, "two")


def test_a_read_only_token_checks_nothing_in(alice: User, hero: Artifact, alices: Granted):
    before = written()
    with pytest.raises(Forbidden):
        check_in(actor=Actor(alice, scope=Scope.READ), checkout_id=alices.checkout.pk, upload=received("two"))
    assert written() == before
