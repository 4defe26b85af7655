"""A worker's session at a ticket: start, checkpoint, stop, submit, block and resume."""

from datetime import timedelta

import pytest

from leasehold.actions import sessions
from leasehold.actions.reconcile import reconcile
from leasehold.actors import Actor
from leasehold.exceptions import (
    CheckoutsOpen,
    Forbidden,
    Invalid,
    LeaseLost,
    NotFound,
    ScopeInUse,
    ScopeReserved,
    TicketBusy,
    WrongState,
)
from leasehold.models import Checkpoint, Entry, Failure, Lease, Role, Session, Ticket
from tests.factories import make_account, make_member, make_project
from tests.scenes import out, put
from tests.work import approved, block, checkpoint, in_state, reserved_by, resume, start, started, submit

pytestmark = pytest.mark.django_db


def refused(worker, ticket) -> ScopeReserved:
    """Return the refusal of a start, and assert that it changed nothing."""
    before = list(Lease.objects.exclude(holder="").order_by("pk").values_list())
    with pytest.raises(ScopeReserved) as refusal:
        start(worker, ticket)
    assert list(Lease.objects.exclude(holder="").order_by("pk").values_list()) == before
    assert (Ticket.objects.get(pk=ticket.pk).status, ticket.sessions.count()) == ("APPROVED", 0)
    return refusal.value


# --- start -----------------------------------------------------------------------------------------------------------


def test_a_start_reserves_every_key_until_a_decision(alice, olga, clock):
    session = started(alice, olga, "repo/api", "terminal-1", ttl=60)
    leases = Lease.objects.order_by("resource")
    assert [(row.resource, row.place, row.holder, row.expires_at) for row in leases] == [
        ("scope:repo/api", "repo/api", f"ticket:{session.ticket_id}", None),
        ("scope:terminal-1", "terminal-1", f"ticket:{session.ticket_id}", None),
    ]
    assert session.lease_until - session.started_at == timedelta(seconds=60)
    clock.forward(days=400)
    reconcile()
    assert reserved_by(session.ticket) == ["repo/api", "terminal-1"]


def test_the_default_ttl_is_fifteen_minutes(alice, olga):
    session = start(alice, approved(alice, olga))
    assert session.lease_until - session.started_at == timedelta(seconds=900)


def test_the_refusal_has_the_exact_message_and_facts(alice, bob, olga):
    holder = started(alice, olga, "Repo/api", "repo/Docs", "zoo").ticket
    refusal = refused(bob, approved(bob, olga, "zoo/bears", "repo"))
    assert str(refusal) == refusal.detail == f"resource scope reserved by {holder.pk}: Repo/api, repo/Docs, zoo"
    assert refusal.reserved == [{"ticket": holder.pk, "keys": ["Repo/api", "repo/Docs", "zoo"]}]


def test_the_refusal_names_every_holder(alice, bob, olga):
    first = started(alice, olga, "repo/b", "repo/a").ticket
    second = started(alice, olga, "docs", "elsewhere").ticket
    refusal = refused(bob, approved(bob, olga, "docs/x", "free", "repo"))
    assert refusal.detail == (
        f"resource scope reserved by {first.pk}: repo/a, repo/b; resource scope reserved by {second.pk}: docs"
    )
    assert refusal.reserved == [
        {"ticket": first.pk, "keys": ["repo/a", "repo/b"]},
        {"ticket": second.pk, "keys": ["docs"]},
    ]


@pytest.mark.parametrize(
    ("held", "wanted", "meets"),
    [
        ("repo", "repo", True),
        ("repo", "repo/api", True),
        ("repo/api", "repo", True),
        ("repo", "repo/api/v1/x", True),
        ("repo/api", "repo/apium", False),
        ("repo/api", "repo/api.bak", False),
        ("repo/api", "repo/api-2", False),
        ("repo/api", "repo/api0", False),
        ("repo/api", "repo/web", False),
        ("repo", "repository", False),
        ("Repo/API", "rEPO/api/x", True),
        ("entwürfe", "entwu\u0308rfe/a", True),
        ("straße", "STRASSE", True),
        ("a\\b", "a/b/c", True),
        ("100%", "100%/x", True),
        ("a_c", "abc/x", False),
        ("100%", "1000/x", False),
    ],
)
def test_keys_overlap_as_paths(alice, bob, olga, held, wanted, meets):
    holder = started(alice, olga, held).ticket
    ticket = approved(bob, olga, wanted)
    if meets:
        assert refused(bob, ticket).reserved == [{"ticket": holder.pk, "keys": [held.replace("\\", "/")]}]
    else:
        assert start(bob, ticket)


def test_a_refused_start_reserves_nothing(alice, bob, olga):
    started(alice, olga, "repo")
    refused(bob, approved(bob, olga, "a", "repo", "z"))
    assert not Lease.objects.filter(place__in=["a", "z"]).exclude(holder="").exists()


def test_keys_of_one_ticket_may_overlap(alice, olga):
    assert reserved_by(started(alice, olga, "repo", "repo/api").ticket) == ["repo", "repo/api"]


@pytest.mark.parametrize("state", ["BLOCKED", "REVIEW"])
def test_blocked_and_submitted_tickets_keep_their_keys(alice, bob, olga, state):
    holder = in_state(state, alice, olga, "repo")
    assert refused(bob, approved(bob, olga, "repo/api")).reserved[0]["ticket"] == holder.pk


def test_tickets_of_two_projects_share_a_key(alice, bob, olga):
    lab = make_project("lab")
    make_member(lab, bob, Role.EDITOR)
    make_member(lab, olga, Role.OPERATOR)
    holder = started(alice, olga, "terminal-1").ticket
    assert refused(bob, approved(bob, olga, "terminal-1", project="lab")).reserved[0]["ticket"] == holder.pk


def test_a_start_is_refused_while_others_hold_files_below_its_keys(alice, bob, olga):
    hero, cape = put(alice, "heroes/hero.psd"), put(alice, "heroes/deep/cape.psd")
    put(alice, "heroesque.psd")
    leases = [out(alice, hero).lease, out(alice, cape).lease]
    ticket = approved(bob, olga, "art/heroes")
    with pytest.raises(ScopeInUse) as refusal:
        start(bob, ticket)
    assert {lease.holder for lease in refusal.value.leases} == {lease.holder for lease in leases}
    assert reserved_by(ticket) == []
    assert approved(bob, olga, "art/heroes/hero.psd")
    assert start(alice, ticket)  # her own check-outs are not in her way


def test_a_key_may_be_one_file(alice, bob, olga):
    out(alice, put(alice, "heroes/hero.psd"))
    with pytest.raises(ScopeInUse):
        start(bob, approved(bob, olga, "ART/Heroes/HERO.psd"))


def test_a_lapsed_check_out_does_not_prevent_a_start(alice, bob, olga, clock):
    out(alice, put(alice, "heroes/hero.psd"), ttl=60)
    clock.forward(seconds=61)
    assert start(bob, approved(bob, olga, "art"))


def test_a_busy_ticket_names_its_session(alice, bob, olga):
    session = started(alice, olga)
    for worker in (alice, bob):
        with pytest.raises(TicketBusy) as refusal:
            start(worker, session.ticket)
        assert refusal.value.session == session.pk


@pytest.mark.parametrize("ttl", [0, -1, 0.5, float("nan"), "900", True, 10**12, 2_592_001])
def test_an_invalid_ttl_starts_nothing(alice, olga, ttl):
    ticket = approved(alice, olga)
    with pytest.raises(Invalid):
        start(alice, ticket, ttl=ttl)
    assert not Session.objects.exists()


# --- checkpoints -----------------------------------------------------------------------------------------------------


def test_a_checkpoint_renews_the_lease(alice, olga, clock):
    session = started(alice, olga, ttl=60)
    clock.forward(seconds=50)
    renewed = checkpoint(session, note="half way")
    assert renewed.lease_until >= session.lease_until + timedelta(seconds=50)
    clock.forward(seconds=50)
    again = checkpoint(session, ttl=600)
    assert again.lease_until >= renewed.lease_until + timedelta(seconds=500)
    assert list(Checkpoint.objects.values_list("note", "lease_until")) == [
        ("", again.lease_until),
        ("half way", renewed.lease_until),
    ]
    assert Session.objects.get().lease_until == again.lease_until


def test_others_cannot_use_a_session(alice, bob, olga, mallory):
    session = started(alice, olga)
    for other, refusal in [(bob, Forbidden), (olga, Forbidden), (mallory, NotFound)]:
        for verb in (sessions.checkpoint, sessions.submit):
            with pytest.raises(refusal):
                verb(actor=Actor(other), session_id=session.pk)
        with pytest.raises(refusal):
            sessions.block(actor=Actor(other), session_id=session.pk, reason="x")


@pytest.mark.parametrize("is_reconciled", [True, False])
def test_a_lapsed_session_cannot_be_renewed(alice, olga, clock, monkeypatch, is_reconciled):
    """This holds whether or not the lapse is written down."""
    session = started(alice, olga, ttl=60)
    if not is_reconciled:
        monkeypatch.setattr("leasehold.actions.expire_sessions", list)
    clock.forward(seconds=60)
    for verb in (checkpoint, submit, block):
        with pytest.raises(LeaseLost, match="ran out"):
            verb(session)
    session.refresh_from_db()
    assert session.status == ("expired" if is_reconciled else "active")
    assert not Checkpoint.objects.exists()
    assert Ticket.objects.get().status == ("BLOCKED" if is_reconciled else "IN_PROGRESS")


def test_a_refused_action_does_not_undo_expiries(alice, bob, olga, clock):
    session = started(alice, olga, "repo", ttl=60)
    ticket = approved(bob, olga, "repo")
    clock.forward(seconds=61)
    refused(bob, ticket)
    session.refresh_from_db()
    assert session.status == "expired"
    assert Failure.objects.get().kind == "lease_expired"


def test_the_next_checkpoint_shows_that_an_operator_asked_to_stop(alice, bob, planner, olga, art):
    session = started(alice, olga)
    art.memberships.filter(user=planner).update(role=Role.OPERATOR)
    for nobody in (alice, bob, planner):
        with pytest.raises(Forbidden):
            sessions.stop(actor=Actor(nobody), session_id=session.pk, reason="x")
    assert checkpoint(session).stop_requested_at is None
    sessions.stop(actor=Actor(olga), session_id=session.pk, reason="Wrong branch")
    renewed = checkpoint(session)
    assert (renewed.stop_requested_by, renewed.stop_reason, renewed.status) == (olga, "Wrong branch", "active")
    submit(session)  # a request to stop forces nothing
    with pytest.raises(WrongState):
        sessions.stop(actor=Actor(olga), session_id=session.pk, reason="Too late")


# --- the ends --------------------------------------------------------------------------------------------------------


def test_a_submit_is_refused_while_files_are_checked_out(alice, olga):
    hero, loose = put(alice, "heroes/hero.psd"), put(alice, "loose.psd")
    session = started(alice, olga, "art/heroes")
    inside = out(alice, hero).checkout  # belongs to the session by its scope
    named = out(alice, loose, session_id=session.pk).checkout
    elsewhere = out(alice, put(alice, "other.psd")).checkout
    with pytest.raises(CheckoutsOpen) as refusal:
        submit(session)
    assert [row["id"] for row in refusal.value.checkouts] == [inside.pk, named.pk]
    assert (inside.session_id, named.session_id, elsewhere.session_id) == (session.pk, session.pk, None)
    ended = block(session)
    assert [row.checkout for row in ended.open_checkouts] == [inside.pk, named.pk]  # listed, and not ended
    inside.refresh_from_db()
    assert inside.is_open


@pytest.mark.parametrize("whose", ["ended", "another's", "unknown", "huge"])
def test_a_check_out_needs_an_own_active_session(alice, bob, olga, whose):
    hero = put(alice)
    session = started(bob if whose == "another's" else alice, olga, "repo")
    if whose == "ended":
        submit(session)
    number = {"unknown": session.pk + 7, "huge": 2**63}.get(whose, session.pk)
    with pytest.raises(Invalid) as refusal:
        out(alice, hero, session_id=number)
    assert refusal.value.errors[0]["field"] == "session"
    assert not Lease.objects.filter(resource=hero.resource).exclude(holder="").exists()


def test_a_submitted_session_has_ended(alice, olga):
    session = started(alice, olga)
    submit(session, note="Look at the sky")
    session.refresh_from_db()
    assert (session.status, session.outcome, session.ended_at is not None) == ("submitted", "Look at the sky", True)
    for verb in (checkpoint, submit, block):
        with pytest.raises(LeaseLost, match="submitted"):
            verb(session)


def test_a_block_needs_a_reason(alice, olga):
    session = started(alice, olga)
    with pytest.raises(Invalid):
        block(session, reason=" ")
    block(session, reason="No licence")
    failure = Failure.objects.get()
    assert (failure.kind, failure.detail, failure.session) == ("blocked", "No licence", session)
    assert Entry.objects.order_by("-pk")[0].kind == "session_blocked"


def test_a_worker_who_has_left_the_project_can_end_the_session(alice, olga, art):
    first, second = started(alice, olga, "a"), started(alice, olga, "b")
    art.memberships.filter(user=alice).delete()
    checkpoint(first)
    assert submit(first).session.status == "submitted"
    assert block(second).session.status == "blocked"


# --- resume ----------------------------------------------------------------------------------------------------------


def test_resume_takes_the_last_worker_and_ttl_by_default(alice, olga, clock):
    ticket = in_state("BLOCKED", alice, olga, "repo")
    fence = Lease.objects.get().fence
    session = resume(olga, ticket, label="again")
    assert (session.worker, session.label, session.lease_until - session.started_at) == (
        alice,
        "again",
        timedelta(seconds=900),
    )
    assert (reserved_by(ticket), Lease.objects.get().fence) == (["repo"], fence)
    assert checkpoint(session)


def test_resume_can_name_another_worker(alice, bob, planner, olga):
    ticket = in_state("BLOCKED", alice, olga, "art/heroes")
    hero = put(bob, "hero.psd")
    session = resume(olga, ticket, worker="BOB", ttl=60)
    assert session.worker == bob
    assert put(bob, "heroes/new.psd").head.session_id == session.pk
    with pytest.raises(ScopeReserved):
        put(alice, "heroes/mine.psd")
    block(session)
    assert resume(olga, ticket, worker="planner").worker == planner
    assert hero


@pytest.mark.parametrize("worker", ["vera", "mallory", "nobody", "gone"])
def test_resume_refuses_a_worker_without_rights(alice, vera, mallory, art, olga, worker):
    make_member(art, make_account("gone", is_active=False), Role.EDITOR)
    ticket = in_state("BLOCKED", alice, olga)
    with pytest.raises(Invalid) as refusal:
        resume(olga, ticket, worker=worker)
    assert refusal.value.errors[0]["field"] == "worker"
    assert Ticket.objects.get().status == "BLOCKED"
