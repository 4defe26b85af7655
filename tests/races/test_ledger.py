"""Races between tickets, sessions and check-outs: concurrent verbs, and one verb between two steps of another.

LEASEHOLD_ROUNDS: rounds of each race. LEASEHOLD_SOAK: seconds of the last test.
"""

import os
import random
import time
from functools import partial

import pytest
from django.db import connection

from checkouts.actions import holds
from checkouts.attempts import openings
from checkouts.outcomes import Granted
from leasehold import names
from leasehold.actions import reconcile, sessions, tickets
from leasehold.actors import Actor
from leasehold.exceptions import CheckoutsOpen, Invalid, LeaseLost, ScopeInUse, ScopeReserved, TicketBusy
from leasehold.models import Failure, Lease, Role, ScopeKey, Session, Ticket, User
from tests.factories import make_account, make_member
from tests.scenes import out, put
from tests.work import approved, cancel, checkpoint, in_state, reserved_by, resume, send_back, start, started, submit

ROUNDS = int(os.environ.get("LEASEHOLD_ROUNDS", "12"))
SOAK = float(os.environ.get("LEASEHOLD_SOAK", "5"))  # seconds
SIXTEEN = 16


@pytest.fixture
def workers(art) -> list[User]:
    found = [make_account(f"worker{number}") for number in range(SIXTEEN)]
    for worker in found:
        make_member(art, worker, Role.EDITOR)
    return found


def starts(worker: User, ticket: Ticket, **terms):
    return partial(start, worker, ticket, **terms)


def holders() -> dict[str, str]:
    """Return place → holder of every held scope key, and assert that keys of different tickets do not overlap."""
    held = dict(Lease.objects.filter(resource__startswith="scope:").exclude(holder="").values_list("place", "holder"))
    for place, holder in held.items():
        assert {held[upper] for upper in names.ancestors(place) if upper in held} <= {holder}, held
    return held


# --- at one instant --------------------------------------------------------------------------------------------------


def test_of_sixteen_tickets_with_a_shared_key_one_starts(crowd, workers, olga):
    people = crowd(SIXTEEN)
    waiting = [approved(worker, olga, f"own/{number}", "shared") for number, worker in enumerate(workers)]
    for _ in range(ROUNDS):
        answers = people.at_once(*[starts(worker, one) for worker, one in zip(workers, waiting, strict=True)])
        [winner] = [answer for answer in answers if isinstance(answer, Session)]
        for answer in answers:
            if answer is not winner:
                assert isinstance(answer, ScopeReserved), answer
                assert answer.detail == f"resource scope reserved by {winner.ticket_id}: shared"
        assert len(holders()) == 2
        submit(winner)
        send_back(olga, winner.ticket)


def test_of_sixteen_starts_of_one_ticket_one_succeeds(crowd, workers, olga):
    people = crowd(SIXTEEN)
    ticket = approved(workers[0], olga, "repo", "docs")
    for _ in range(ROUNDS):
        answers = people.at_once(*[starts(worker, ticket) for worker in workers])
        [winner] = [answer for answer in answers if isinstance(answer, Session)]
        assert {answer.session for answer in answers if isinstance(answer, TicketBusy)} == {winner.pk}
        assert len([answer for answer in answers if isinstance(answer, TicketBusy)]) == SIXTEEN - 1
        submit(winner)
        send_back(olga, ticket)


@pytest.mark.parametrize(("one", "other"), [("repo", "repo/api"), ("repo", "REPO/Api/v1"), ("art", "art/x")])
def test_of_two_tickets_with_overlapping_keys_one_starts(crowd, alice, bob, olga, one, other):
    people = crowd(2)
    first, second = approved(alice, olga, one), approved(bob, olga, other)
    for _ in range(ROUNDS):
        answers = people.at_once(starts(alice, first), starts(bob, second))
        [winner] = [answer for answer in answers if isinstance(answer, Session)]
        [refusal] = [answer for answer in answers if isinstance(answer, ScopeReserved)]
        assert [row["ticket"] for row in refusal.reserved] == [winner.ticket_id]
        submit(winner)
        send_back(olga, winner.ticket)


def test_tickets_without_overlap_all_start(crowd, workers, olga):
    """Starts with keys below one first segment wait for each other, but are not refused."""
    people = crowd(SIXTEEN)
    waiting = [approved(worker, olga, f"repo/{number}", f"z/{99 - number}") for number, worker in enumerate(workers)]
    answers = people.at_once(*[starts(worker, one) for worker, one in zip(workers, waiting, strict=True)])
    assert all(isinstance(answer, Session) for answer in answers), answers


def test_a_start_and_a_check_out_below_its_key(crowd, alice, bob, olga):
    people = crowd(2)
    hero, ticket = put(alice, "heroes/hero.psd"), approved(bob, olga, "art/heroes")
    for _ in range(ROUNDS * 2):
        session, taken = people.at_once(starts(bob, ticket), partial(out, alice, hero))
        if isinstance(session, Session):
            assert isinstance(taken, ScopeReserved), taken
            submit(session)
            send_back(olga, ticket)
        else:
            assert isinstance(session, ScopeInUse), session
            assert [lease.holder for lease in session.leases] == [taken.lease.holder]
            discard(alice, taken)


def test_a_start_and_an_upload_below_its_key(crowd, alice, bob, olga):
    people = crowd(2)
    ticket = approved(bob, olga, "art/heroes")
    for number in range(ROUNDS):
        session, added = people.at_once(starts(bob, ticket), partial(put, alice, f"heroes/{number}.psd"))
        assert isinstance(session, Session)  # an upload holds nothing
        assert isinstance(added, ScopeReserved) or added.created_at <= session.started_at
        submit(session)
        send_back(olga, ticket)


def test_a_checkpoint_and_reconcile(crowd, alice, olga, clock):
    """A renewed session is never expired, and an expired one is never renewed."""
    people = crowd(3)
    session = started(alice, olga, ttl=30)
    renewed = 0
    for number in range(ROUNDS * 2):
        # Every other time the lease has lapsed already.
        clock.forward(seconds=31 if number % 2 else 29)
        answer, *_ = people.at_once(partial(checkpoint, session), reconcile.reconcile, reconcile.reconcile)
        row = Session.objects.get(pk=session.pk)
        expiries = Failure.objects.filter(session=session, kind="lease_expired").count()
        if isinstance(answer, Session):
            renewed += 1
            assert (row.status, row.lease_until, expiries) == ("active", answer.lease_until, 0)
        else:
            assert isinstance(answer, LeaseLost), answer
            assert (row.status, expiries) == ("expired", 1)
            session = resume(olga, session.ticket)
    assert 0 < renewed <= ROUNDS


def test_concurrent_reconciles_write_each_expiry_once(crowd, workers, olga, clock):
    people = crowd(8)
    running = [started(worker, olga, f"own/{number}", ttl=30) for number, worker in enumerate(workers)]
    clock.forward(seconds=31)
    answers = people.at_once(*[reconcile.reconcile] * 8)
    reconcile.reconcile()  # whatever one skipped because another had it locked is written
    assert Failure.objects.filter(kind="lease_expired").count() == len(running)
    expired = [expiry.session for answer in answers for expiry in answer.expired]
    assert sorted(expired) == sorted(session.pk for session in running)
    assert set(Ticket.objects.values_list("status", flat=True)) == {"BLOCKED"}


@pytest.mark.parametrize("verb", ["accept", "send_back", "cancel"])
def test_of_two_concurrent_decisions_one_counts(crowd, alice, olga, art, verb):
    make_member(art, ola := make_account("ola"), Role.OPERATOR)
    people = crowd(2)
    for _ in range(ROUNDS):
        ticket = in_state("REVIEW", alice, olga, "repo")
        terms = {} if verb == "accept" else {"reason": "x"}
        decide = partial(getattr(tickets, verb), ticket_id=ticket.pk, since=ticket.state_since, **terms)
        answers = people.at_once(partial(decide, actor=Actor(olga)), partial(decide, actor=Actor(ola)))
        assert sorted(type(answer).__name__ for answer in answers) == ["Decided", "WrongState"]
        assert reserved_by(ticket) == []


def test_a_submit_and_a_cancel(crowd, alice, olga):
    people = crowd(2)
    for _ in range(ROUNDS):
        session = started(alice, olga, "repo")
        submitted, cancelled = people.at_once(partial(submit, session), partial(cancel, olga, session.ticket))
        assert isinstance(cancelled, tickets.Decided)
        assert isinstance(submitted, sessions.Ended | LeaseLost)
        row = Session.objects.get(pk=session.pk)
        assert row.status == ("submitted" if isinstance(submitted, sessions.Ended) else "cancelled")
        assert (Ticket.objects.get(pk=session.ticket_id).status, holders()) == ("CANCELLED", {})


@pytest.mark.parametrize("is_named", [False, True])
def test_a_submitted_session_has_no_check_out_open(crowd, alice, olga, is_named):
    people = crowd(2)
    hero = put(alice, "heroes/hero.psd")
    for _ in range(ROUNDS):
        session = started(alice, olga, "elsewhere" if is_named else "art/heroes")
        take = partial(out, alice, hero, session_id=session.pk if is_named else None)
        submitted, taken = people.at_once(partial(submit, session), take)
        if isinstance(submitted, sessions.Ended):
            assert isinstance(taken, Invalid if is_named else ScopeReserved), taken
        else:
            assert isinstance(submitted, CheckoutsOpen), submitted
            discard(alice, taken)
            submit(session)
        tickets.accept(actor=Actor(olga), ticket_id=session.ticket_id)


# --- in the gap between two steps ------------------------------------------------------------------------------------


def test_a_start_waits_for_a_check_out_that_has_read_the_covers(gap, alice, bob, olga):
    hero, ticket = put(alice, "heroes/hero.psd"), approved(bob, olga, "art/heroes")
    taken, session = gap.between(partial(out, alice, hero), openings, "write_opened", starts(bob, ticket))
    assert isinstance(taken, Granted)
    assert isinstance(session, ScopeInUse)


def test_a_check_out_waits_for_a_start_that_has_read_the_leases(gap, alice, bob, olga):
    hero, ticket = put(alice, "heroes/hero.psd"), approved(bob, olga, "art/heroes")
    session, taken = gap.between(starts(bob, ticket), sessions, "open_session", partial(out, alice, hero))
    assert isinstance(session, Session)
    assert isinstance(taken, ScopeReserved)


def test_an_overlapping_start_waits_for_the_first_one(gap, alice, bob, olga):
    above, below = approved(alice, olga, "repo"), approved(bob, olga, "repo/api")
    first, second = gap.between(starts(alice, above), sessions, "open_session", starts(bob, below))
    assert isinstance(first, Session)
    assert second.reserved == [{"ticket": above.pk, "keys": ["repo"]}]


def test_a_checkpoint_after_reconciles_look_up_wins(alice, olga, clock, monkeypatch):
    """The session was due when reconcile found it, and is renewed before reconcile writes. Staged without threads."""
    session = started(alice, olga, ttl=30)
    clock.forward(seconds=29)
    renewed = checkpoint(session, ttl=600)
    monkeypatch.setattr(reconcile, "_due_sessions", lambda: Session.objects.filter(pk=session.pk))
    clock.forward(seconds=2)
    assert reconcile.expire_batch(limit=9) == []
    assert Session.objects.values_list("status", "lease_until").get() == ("active", renewed.lease_until)
    assert Ticket.objects.get().status == "IN_PROGRESS"
    assert not Failure.objects.exists()


def test_reconcile_waits_for_a_checkpoint_and_expires_nothing(gap, alice, olga, clock):
    """When reconcile looks, the old lease has lapsed, and the renewal is written but not committed yet."""
    session = started(alice, olga, ttl=30)

    def reconciles() -> reconcile.Reconciled:
        clock.forward(seconds=31)
        return reconcile.reconcile()

    renewed, reconciled = gap.between(partial(checkpoint, session, ttl=600), sessions, "write_ticket_entry", reconciles)
    assert reconciled.expired == []
    assert Session.objects.values_list("status", "lease_until").get() == ("active", renewed.lease_until)
    assert Ticket.objects.get().status == "IN_PROGRESS"
    assert not Failure.objects.exists()


def test_a_checkpoint_waits_for_an_expiry_and_is_refused(gap, alice, olga, clock):
    session = started(alice, olga, ttl=30)
    clock.forward(seconds=31)
    reconciled, refused = gap.between(reconcile.reconcile, reconcile, "insert_from", partial(checkpoint, session))
    assert [expiry.session for expiry in reconciled.expired] == [session.pk]
    assert isinstance(refused, LeaseLost), refused
    assert Failure.objects.filter(kind="lease_expired").count() == 1


def test_a_second_reconcile_skips_locked_tickets(gap, workers, olga, clock):
    running = [started(worker, olga, f"own/{number}", ttl=30) for number, worker in enumerate(workers)]
    clock.forward(seconds=31)
    first, second = gap.between(reconcile.reconcile, reconcile, "insert_from", reconcile.reconcile)
    assert [expiry.session for expiry in first.expired] == [session.pk for session in running]
    assert second.expired == []
    assert Failure.objects.count() == len(running)


def test_check_outs_below_one_key_do_not_wait_for_each_other(gap, alice, olga, on_sqlite):
    if on_sqlite:
        pytest.skip("SQLite has one writer at a time")
    files = [put(alice, f"heroes/{name}.psd") for name in "ab"]
    session = started(alice, olga, "art/heroes")
    finished = []

    def other() -> Granted:
        granted = out(alice, files[1])
        finished.append(granted)
        return granted

    first, second = gap.between(partial(out, alice, files[0]), openings, "write_opened", other)
    assert finished == [second]
    assert {first.checkout.session_id, second.checkout.session_id} == {session.pk}


# --- the soak --------------------------------------------------------------------------------------------------------

KEYS = ["a", "a/b", "a/b/c", "a/bc", "b", "b/a", "b/a/x", "c", "c/d", "C/E", "art", "art/heroes", "d", "d/e/f/g"]


def test_random_overlapping_scopes_never_deadlock(crowd, workers, olga):
    """Scopes are never held twice. A refusal names only tickets that overlap, and all that do for its whole time."""
    people = crowd(SIXTEEN)
    rng = random.Random(7)
    waiting = {
        worker.pk: [approved(worker, olga, *rng.sample(KEYS, rng.randint(1, 4))) for _ in range(3)]
        for worker in workers
    }
    scopes: dict[int, set[str]] = {}
    for ticket, place in ScopeKey.objects.values_list("ticket_id", "place"):
        scopes.setdefault(ticket, set()).add(place)
    until = time.monotonic() + SOAK
    since: dict[int, float] = {}  # ticket → when its start was answered; gone before it is given back

    def work(worker: User, seed: int) -> tuple[int, int]:
        mine, granted, refused = random.Random(seed), 0, 0
        while time.monotonic() < until:
            ticket, before = mine.choice(waiting[worker.pk]), dict(since)
            try:
                session = start(worker, ticket)
            except ScopeReserved as refusal:
                refused += 1
                named = {row["ticket"]: {names.comparing_form(key) for key in row["keys"]} for row in refusal.reserved}
                all_along = {one for one in before if since.get(one) == before[one]}
                check_complete(ticket.pk, named, scopes, all_along=all_along)
                continue
            granted += 1
            since[ticket.pk] = time.monotonic()
            if mine.random() < 0.5:
                checkpoint(session)
            submit(session)
            del since[ticket.pk]
            send_back(olga, ticket)
        return granted, refused

    answers = people.at_once(*[partial(work, worker, seed) for seed, worker in enumerate(workers)])
    assert all(isinstance(answer, tuple) for answer in answers), answers  # no TryAgain, no deadlock
    assert holders() == {}
    granted, refused = sum(answer[0] for answer in answers), sum(answer[1] for answer in answers)
    print(f"{connection.vendor}: {granted} starts, {refused} refusals in {SOAK:g} s")
    assert granted
    assert refused


def check_complete(mine: int, named: dict[int, set[str]], scopes: dict[int, set[str]], *, all_along: set[int]) -> None:
    def overlapping_keys(other: int) -> set[str]:
        wanted = scopes[mine]
        above = {upper for key in wanted for upper in (key, *names.ancestors(key))}
        return {key for key in scopes[other] if key in above or wanted & {key, *names.ancestors(key)}}

    for other, keys in named.items():
        assert keys == overlapping_keys(other), (mine, other)
    for other in all_along - {mine}:
        assert not overlapping_keys(other) or other in named, (mine, other)


def discard(user: User, granted: Granted) -> None:
    holds.discard(actor=Actor(user), checkout_id=granted.checkout.pk)
