"""Races between two named verbs: concurrent, or one in the gap between two steps of the other."""

import pytest

from checkouts.actions import breaks as breaking
from checkouts.actions import check_in, check_out, holds
from checkouts.actions import moves as moving
from checkouts.attempts import endings, openings
from checkouts.exceptions import ArtifactBusy, CheckoutClosed
from checkouts.models import Artifact, Checkout, Version
from checkouts.outcomes import Committed, Granted, Proposed
from leasehold import journal, leases
from leasehold.actions import reconcile
from leasehold.actors import Actor
from leasehold.exceptions import LeaseLost, NotFound, TryAgain, WrongState
from leasehold.leases import acquisition
from leasehold.models import Entry, Membership, User
from tests.scenes import HOUR, back, out, put, received

TIMES = 8  # of each pair at one instant


@pytest.fixture
def alices(alice: User, hero: Artifact) -> Checkout:
    """Alice's check-out of hero.psd, for an hour."""
    return out(alice, hero, ttl=HOUR).checkout


def checks_out(user: User, hero: Artifact):
    return lambda: check_out.check_out(actor=Actor(user), artifact_id=hero.pk, ttl=HOUR)


def checks_all_out(user: User):
    return lambda: check_out.check_out_many(actor=Actor(user), project="art", prefix="heroes", ttl=HOUR)


def checks_in(user: User, checkout: Checkout, content: str):
    upload = received(content)
    return lambda: check_in.check_in(actor=Actor(user), checkout_id=checkout.pk, upload=upload)


def extends(user: User, checkout: Checkout):
    return lambda: holds.extend(actor=Actor(user), checkout_id=checkout.pk)


def breaks(user: User, checkout: Checkout):
    return lambda: breaking.break_checkout(actor=Actor(user), checkout_id=checkout.pk, reason="on holiday")


def discards(user: User, checkout: Checkout):
    return lambda: holds.discard(actor=Actor(user), checkout_id=checkout.pk)


def renames(user: User, hero: Artifact, path: str):
    return lambda: moving.rename(actor=Actor(user), artifact_id=hero.pk, path=path)


def archives(user: User, hero: Artifact):
    return lambda: moving.archive(actor=Actor(user), artifact_id=hero.pk)


def holder_of(hero: Artifact) -> str | None:
    return next((lease.participant for lease in leases.read([hero.resource])), None)


def lapse_entries() -> list[Entry]:
    return list(Entry.objects.filter(kind="lease_lapsed"))


# --- at one instant --------------------------------------------------------------------------------------------------


def test_equal_check_ins_make_one_version_and_replays(crowd, alice: User, hero: Artifact):
    """A user double-clicks."""
    people = crowd(4)
    for number in range(TIMES):
        checkout = out(alice, hero).checkout
        answers = people.at_once(*[checks_in(alice, checkout, f"take {number}") for _ in range(4)])
        assert all(isinstance(answer, Committed) for answer in answers), answers
        assert sorted(answer.replayed for answer in answers) == [False, True, True, True]
        assert len({answer.version.pk for answer in answers}) == 1
    assert hero.versions.count() == TIMES + 1


def test_of_two_different_check_ins_one_is_refused(crowd, alice: User, hero: Artifact):
    people = crowd(2)
    for number in range(TIMES):
        checkout = out(alice, hero).checkout
        answers = people.at_once(*[checks_in(alice, checkout, f"{number} {which}") for which in "ab"])
        assert sorted(type(answer).__name__ for answer in answers) == ["CheckoutClosed", "Committed"]


def test_a_late_check_in_and_another_check_out(crowd, alice: User, bob: User, hero: Artifact, clock):
    """Alice's lease has lapsed. Either she commits first and bob starts from that, or her work becomes a proposal."""
    people = crowd(2)
    for number in range(TIMES):
        checkout = out(alice, hero).checkout
        clock.forward(hours=2)
        outcome, bobs = people.at_once(checks_in(alice, checkout, f"take {number}"), checks_out(bob, hero))
        assert isinstance(bobs, Granted), bobs
        if isinstance(outcome, Committed):
            assert bobs.checkout.base_version == outcome.version
        else:
            assert isinstance(outcome, Proposed)
            assert bobs.checkout.base_version == outcome.proposal.base_version
        assert holder_of(hero) == "user:bob"
        discards(bob, bobs.checkout)()


def test_two_late_check_ins_of_one_file(crowd, alice: User, bob: User, hero: Artifact, clock):
    people = crowd(2)
    for number in range(TIMES):
        alices = out(alice, hero).checkout
        clock.forward(hours=2)
        bobs = out(bob, hero).checkout
        clock.forward(hours=2)
        answers = people.at_once(checks_in(alice, alices, f"alice {number}"), checks_in(bob, bobs, f"bob {number}"))
        assert sorted(type(answer).__name__ for answer in answers) == ["Committed", "Proposed"]


def test_a_break_a_check_in_and_a_check_out(crowd, alice: User, bob: User, olga: User, hero: Artifact):
    people = crowd(3)
    for number in range(TIMES):
        checkout = out(alice, hero).checkout
        outcome, broken, bobs = people.at_once(
            checks_in(alice, checkout, f"take {number}"), breaks(olga, checkout), checks_out(bob, hero)
        )
        assert isinstance(outcome, Committed | Proposed), outcome
        assert isinstance(bobs, Granted | ArtifactBusy), bobs
        assert isinstance(outcome, Committed) or isinstance(bobs, Granted), "only bob's check-out makes hers stale"
        assert Checkout.objects.get(pk=checkout.pk).outcome == outcome.code
        if not broken.ended:
            assert isinstance(outcome, Committed)
        if isinstance(bobs, Granted):
            discards(bob, bobs.checkout)()
        assert holder_of(hero) is None


def test_a_discard_and_a_check_in(crowd, alice: User, hero: Artifact):
    people = crowd(2)
    for number in range(TIMES):
        checkout = out(alice, hero).checkout
        ended, outcome = people.at_once(discards(alice, checkout), checks_in(alice, checkout, f"take {number}"))
        if isinstance(outcome, CheckoutClosed):
            assert (ended.outcome, outcome.outcome) == ("discarded", "discarded")
        else:
            assert isinstance(outcome, Committed)
            assert ended.outcome == "committed"


def test_two_breaks_end_one_check_out_once(crowd, alice: User, olga: User, hero: Artifact):
    people = crowd(2)
    for _ in range(TIMES):
        checkout = out(alice, hero).checkout
        answers = people.at_once(breaks(olga, checkout), breaks(olga, checkout))
        assert sorted(answer.ended for answer in answers) == [False, True]
    assert Entry.objects.filter(kind="checkout_broken").count() == TIMES


def test_an_extension_and_a_break(crowd, alice: User, olga: User, hero: Artifact):
    people = crowd(2)
    for _ in range(TIMES):
        checkout = out(alice, hero).checkout
        extended, broken = people.at_once(extends(alice, checkout), breaks(olga, checkout))
        assert broken.ended
        assert isinstance(extended, Granted | LeaseLost), extended
        assert holder_of(hero) is None


def test_a_renewed_lease_is_never_written_down_as_lapsed(crowd, alice: User, hero: Artifact, alices: Checkout, clock):
    """After the extension the lease is hers. A lapse is written before the extension or never."""
    people = crowd(3)
    for _ in range(TIMES):
        clock.forward(hours=2)
        extended, *_ = people.at_once(extends(alice, alices), reconcile.reconcile, reconcile.reconcile)
        assert isinstance(extended, Granted), extended
        assert holder_of(hero) == "user:alice"
        last = Entry.objects.filter(kind="checkout_extended").first()
        assert all(entry.pk < last.pk for entry in lapse_entries())
    assert len({entry.data["expired_at"] for entry in lapse_entries()}) == len(lapse_entries())


def test_concurrent_reconciles_write_each_lapse_once(crowd, alice: User, clock):
    people = crowd(4)
    files = [put(alice, f"heroes/{number}.psd") for number in range(12)]
    for _ in range(3):
        for file in files:
            out(alice, file, ttl=30)
        clock.forward(seconds=31)
        answers = people.at_once(*[reconcile.reconcile] * 4)
        lapsed = [lapse.resource for answer in answers for lapse in answer.lapsed]
        assert sorted(lapsed) == sorted(file.resource for file in files)
    assert len(lapse_entries()) == 36


# --- in the gap between two steps ------------------------------------------------------------------------------------


def test_bob_checks_out_after_alices_look_up(gap, alice: User, bob: User, hero: Artifact):
    alices, bobs = gap.between(checks_out(alice, hero), leases, "acquire_one", checks_out(bob, hero))
    [winner] = [answer for answer in (alices, bobs) if isinstance(answer, Granted)]
    [loser] = [answer for answer in (alices, bobs) if isinstance(answer, ArtifactBusy)]
    assert loser.lease.holder == winner.lease.holder


def test_bob_commits_after_alices_look_up(gap, alice: User, bob: User, hero: Artifact, clock, on_sqlite):
    """Her base is the head that she reads after acquiring the lease, not the one that she saw first."""
    bobs = out(bob, hero, ttl=60).checkout
    clock.forward(seconds=61)
    alices, outcome = gap.between(checks_out(alice, hero), leases, "acquire_one", checks_in(bob, bobs, "bob's"))
    assert isinstance(alices, Granted), alices
    if on_sqlite:  # her transaction was first, and alone
        assert isinstance(outcome, Proposed)
    else:
        assert isinstance(outcome, Committed)
        assert alices.checkout.base_version == outcome.version
        assert alices.checkout.base_digest == received("bob's").digest


def test_bob_renames_the_file_after_alices_look_up(gap, alice: User, bob: User, hero: Artifact):
    alices, renamed = gap.between(
        checks_out(alice, hero), leases, "acquire_one", renames(bob, hero, "villains/hero.psd")
    )
    assert isinstance(alices, Granted), alices
    [lease] = leases.read([hero.resource])
    assert lease.place == Artifact.objects.get(pk=hero.pk).place
    assert isinstance(renamed, Artifact | ArtifactBusy)


def test_bob_archives_the_file_after_alices_look_up(gap, alice: User, bob: User, hero: Artifact):
    alices, archived = gap.between(checks_out(alice, hero), leases, "acquire_one", archives(bob, hero))
    if isinstance(archived, ArtifactBusy):
        assert holder_of(hero) == "user:alice"
    else:
        assert isinstance(alices, WrongState)
        assert holder_of(hero) is None


def test_alice_leaves_the_project_after_her_look_up(gap, alice: User, hero: Artifact, on_sqlite):
    membership = Membership.objects.filter(user=alice)
    alices, _ = gap.between(checks_out(alice, hero), leases, "acquire_one", membership.delete)
    assert isinstance(alices, Granted if on_sqlite else NotFound)


def test_bob_is_refused_before_alices_lease_is_committed(gap, alice: User, bob: User, hero: Artifact):
    alices, bobs = gap.between(checks_out(alice, hero), openings, "write_opened", checks_out(bob, hero))
    assert isinstance(alices, Granted)
    assert isinstance(bobs, ArtifactBusy)
    assert bobs.lease.holder == alices.lease.holder


def test_a_break_waits_for_a_judged_check_in(gap, alice: User, olga: User, hero: Artifact, alices: Checkout):
    outcome, broken = gap.between(checks_in(alice, alices, "two"), endings, "add_version", breaks(olga, alices))
    assert isinstance(outcome, Committed)
    assert broken.ended is False


def test_a_check_in_waits_for_a_break(gap, alice: User, olga: User, hero: Artifact, alices: Checkout):
    broken, outcome = gap.between(breaks(olga, alices), breaking, "lose_checkout", checks_in(alice, alices, "two"))
    assert broken.ended is True
    assert isinstance(outcome, Committed)
    assert Entry.objects.get(kind="version_committed").data["renewed_lapsed_lease"] is True


def test_bobs_check_out_waits_for_alices_new_version(gap, alice: User, bob: User, hero: Artifact, alices: Checkout):
    outcome, bobs = gap.between(checks_in(alice, alices, "two"), leases, "release", checks_out(bob, hero))
    assert isinstance(outcome, Committed)
    if isinstance(bobs, Granted):  # he looked after she had committed
        assert bobs.checkout.base_version == outcome.version
    else:
        assert bobs.lease.holder == alices.holder


def test_reconcile_skips_a_lease_that_is_being_renewed(gap, alice, hero: Artifact, alices: Checkout, clock):
    clock.forward(hours=2)
    extended, reconciled = gap.between(extends(alice, alices), journal, "write", reconcile.reconcile)
    assert isinstance(extended, Granted)
    assert reconciled.lapsed == []
    assert lapse_entries() == []
    assert holder_of(hero) == "user:alice"


def test_an_extension_waits_for_reconcile(gap, alice, hero: Artifact, alices, clock):
    """Reconcile locks the row when it reads it, so nothing can be renewed before it writes."""
    clock.forward(hours=2)
    reconciled, extended = gap.between(reconcile.reconcile, leases, "free", extends(alice, alices))
    assert [lapse.resource for lapse in reconciled.lapsed] == [hero.resource]
    assert isinstance(extended, Granted)
    assert extended.lease.fence == 2
    assert holder_of(hero) == "user:alice"


def test_unarchiving_retries_when_the_file_has_moved(gap, alice, bob, hero: Artifact, on_sqlite):
    """Otherwise it would come back to a path that was not checked."""
    moving.archive(actor=Actor(alice), artifact_id=hero.pk)

    def moves() -> None:
        moving.unarchive(actor=Actor(bob), artifact_id=hero.pk)
        moving.rename(actor=Actor(bob), artifact_id=hero.pk, path="a/b")
        moving.archive(actor=Actor(bob), artifact_id=hero.pk)
        put(bob, "a")

    def unarchives() -> Artifact:
        return moving.unarchive(actor=Actor(alice), artifact_id=hero.pk)

    answer, _ = gap.between(unarchives, leases, "gate", moves)
    assert isinstance(answer, Artifact if on_sqlite else TryAgain)


def test_a_check_out_waits_for_a_set_that_holds_the_locks(gap, alice, bob, hero: Artifact):
    alices, bobs = gap.between(checks_all_out(alice), leases, "live_lease", checks_out(bob, hero))
    assert [granted.checkout.participant for granted in alices.granted] == ["user:alice"]
    assert isinstance(bobs, ArtifactBusy)
    assert bobs.lease.participant == "user:alice"


def test_of_two_concurrent_sets_one_is_refused(gap, alice, bob, hero: Artifact):
    answers = gap.between(checks_all_out(alice), acquisition.Lease.objects, "select_for_update", checks_all_out(bob))
    assert sorted(type(answer).__name__ for answer in answers) == ["ArtifactBusy", "GrantedMany"]
    assert Version.objects.count() == 1
    assert Checkout.objects.count() == 1


def test_a_check_in_after_a_discard_is_refused(gap, alice: User, hero: Artifact, alices):
    discarded, outcome = gap.between(discards(alice, alices), leases, "release", checks_in(alice, alices, "two"))
    assert discarded.outcome == "discarded"
    assert isinstance(outcome, CheckoutClosed)


def test_nothing_is_lost_when_all_verbs_run_at_once(crowd, alice, bob, olga, hero: Artifact, clock):
    """All verbs run at once, several times. Every error is a known refusal, and the invariants hold."""
    people = crowd(6)
    for number in range(TIMES):
        checkouts_open = list(Checkout.objects.filter(state="open").select_related("actor"))[:2]
        verbs = [checks_out(alice, hero), checks_out(bob, hero), reconcile.reconcile]
        verbs += [checks_in(checkout.actor, checkout, f"{number} {checkout.pk}") for checkout in checkouts_open[:1]]
        verbs += [extends(checkout.actor, checkout) for checkout in checkouts_open[1:]]
        verbs += [breaks(olga, checkout) for checkout in checkouts_open[:1]]
        people.at_once(*verbs)
        if number % 2:
            clock.forward(hours=2)
    for checkout in Checkout.objects.filter(state="open").select_related("actor"):
        back(checkout.actor, checkout, f"the end {checkout.pk}")
    assert holder_of(hero) is None
