"""The transitions of a ticket, possible and impossible ones, and who may make them."""

from functools import partial

import pytest

from leasehold.actions import sessions, tickets
from leasehold.actors import Actor
from leasehold.exceptions import Forbidden, Invalid, LeaseLost, NotFound, TicketBusy, WrongState
from leasehold.models import Entry, Failure, Role, Ticket, User
from leasehold.rules import TRANSITIONS, possible_verbs
from tests.factories import make_member, make_project
from tests.work import (
    approved,
    block,
    cancel,
    checkpoint,
    draft,
    in_state,
    reserved_by,
    resume,
    send_back,
    start,
    started,
    submit,
)

pytestmark = pytest.mark.django_db
STATES = list(Ticket.Status.values)
LIVE = {"IN_PROGRESS", "BLOCKED", "REVIEW"}

#: every possible transition: from, verb, to, and whether the reservation is kept
EDGES = [
    ("DRAFT", "approve", "APPROVED", False),
    ("APPROVED", "start", "IN_PROGRESS", True),
    ("IN_PROGRESS", "submit", "REVIEW", True),
    ("IN_PROGRESS", "block", "BLOCKED", True),
    ("BLOCKED", "resume", "IN_PROGRESS", True),
    ("BLOCKED", "send_back", "APPROVED", False),
    ("REVIEW", "send_back", "APPROVED", False),
    ("REVIEW", "accept", "DONE", False),
    ("DRAFT", "cancel", "CANCELLED", False),
    ("APPROVED", "cancel", "CANCELLED", False),
    ("IN_PROGRESS", "cancel", "CANCELLED", False),
    ("BLOCKED", "cancel", "CANCELLED", False),
    ("REVIEW", "cancel", "CANCELLED", False),
]
VERBS = sorted({verb for _, verb, _, _ in EDGES})
MISSING = [(state, verb) for state in STATES for verb in VERBS if (state, verb) not in {edge[:2] for edge in EDGES}]


def call_verb(verb: str, ticket: Ticket, worker: User, operator: User):
    """Call the verb as somebody who may, whatever the ticket's state."""
    by, on = Actor(operator), ticket.pk
    last = ticket.sessions.order_by("-pk").first()
    verbs = {
        "approve": partial(tickets.approve, actor=by, ticket_id=on),
        "start": partial(sessions.start, actor=Actor(worker), ticket_id=on),
        "resume": partial(sessions.resume, actor=by, ticket_id=on),
        "accept": partial(tickets.accept, actor=by, ticket_id=on),
        "send_back": partial(tickets.send_back, actor=by, ticket_id=on, reason="not yet"),
        "cancel": partial(tickets.cancel, actor=by, ticket_id=on, reason="no more"),
        "submit": partial(sessions.submit, actor=Actor(worker), session_id=last.pk if last else 0),
        "block": partial(sessions.block, actor=Actor(worker), session_id=last.pk if last else 0, reason="stuck"),
    }
    return verbs[verb]()


def facts(ticket: Ticket) -> tuple:
    row = Ticket.objects.get(pk=ticket.pk)
    return row.status, row.state_since, row.approved_by_id, reserved_by(row), row.sessions.count(), row.failures.count()


@pytest.mark.parametrize(("before", "verb", "after", "is_kept"), EDGES)
def test_each_transition(alice, olga, clock, before, verb, after, is_kept):
    ticket = in_state(before, alice, olga, "repo", "docs")
    clock.forward(seconds=1)
    entries = Entry.objects.count()
    call_verb(verb, ticket, alice, olga)
    now = Ticket.objects.get(pk=ticket.pk)
    assert now.status == after
    assert now.state_since > ticket.state_since
    assert reserved_by(now) == (["docs", "repo"] if is_kept else [])
    assert now.sessions.filter(status="active").exists() == (after == "IN_PROGRESS")
    assert Entry.objects.count() == entries + 1  # one transition, one entry
    assert Entry.objects.order_by("-pk")[0].subject == f"ticket:{ticket.pk}"


@pytest.mark.parametrize(("state", "verb"), MISSING)
def test_every_other_transition_is_refused(alice, olga, state, verb):
    ticket = in_state(state, alice, olga)
    before, entries = facts(ticket), Entry.objects.count()
    with pytest.raises((WrongState, TicketBusy, LeaseLost, NotFound)) as refusal:
        call_verb(verb, ticket, alice, olga)
    if isinstance(refusal.value, WrongState):
        assert (refusal.value.state, refusal.value.allowed) == (state, possible_verbs(state))
    assert facts(ticket) == before
    assert Entry.objects.count() == entries


def test_transitions_are_those_of_the_table():
    assert {(state, verb, after) for verb, (before, after) in TRANSITIONS.items() for state in before} == {
        edge[:3] for edge in EDGES
    }
    assert possible_verbs("DONE") == possible_verbs("CANCELLED") == []


@pytest.mark.parametrize("state", STATES)
def test_only_live_tickets_have_a_reservation(alice, olga, state):
    ticket = in_state(state, alice, olga, "repo")
    assert reserved_by(ticket) == (["repo"] if state in LIVE else [])


def test_a_lapsed_session_blocks_its_ticket_and_keeps_the_reservation(alice, olga, clock):
    session = started(alice, olga, "repo", ttl=60)
    clock.forward(seconds=61)
    draft(alice)  # any command
    ticket = Ticket.objects.get(pk=session.ticket_id)
    assert (ticket.status, reserved_by(ticket)) == ("BLOCKED", ["repo"])


# --- who may ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("state", "verb"),
    [
        ("DRAFT", "approve"),
        ("BLOCKED", "resume"),
        ("BLOCKED", "send_back"),
        ("REVIEW", "accept"),
        ("IN_PROGRESS", "cancel"),
        ("REVIEW", "cancel"),
    ],
)
def test_only_operators_decide(alice, bob, vera, planner, olga, art, mallory, admin, state, verb):
    ticket = in_state(state, alice, olga)
    before = facts(ticket)
    art.memberships.filter(user=planner).update(role=Role.OPERATOR)  # an agent decides nothing, whatever its role
    for nobody in (alice, bob, vera, planner):
        with pytest.raises(Forbidden):
            call_verb(verb, ticket, alice, nobody)
    with pytest.raises(NotFound):
        call_verb(verb, ticket, alice, mallory)
    assert facts(ticket) == before
    call_verb(verb, ticket, alice, admin)
    assert facts(ticket) != before


def test_viewers_cannot_start_and_agents_can(vera, planner, alice, olga):
    ticket = approved(alice, olga)
    with pytest.raises(Forbidden):
        start(vera, ticket)
    assert start(planner, ticket).worker == planner


def test_an_author_cancels_only_before_the_start(alice, bob, planner, olga):
    for author in (alice, planner):
        for ticket in (draft(author, "a"), approved(author, olga, "a")):
            with pytest.raises(Forbidden):
                cancel(bob, ticket)
            assert cancel(author, ticket).ticket.status == "CANCELLED"
    ticket = started(alice, olga).ticket
    with pytest.raises(Forbidden):
        cancel(alice, ticket)


def test_an_author_who_is_no_editor_cannot_cancel(alice, art):
    ticket = draft(alice)
    art.memberships.filter(user=alice).update(role=Role.VIEWER)
    with pytest.raises(Forbidden):
        cancel(alice, ticket)


def test_with_two_person_an_author_cannot_approve(olga, art, bob):
    mine, theirs = draft(olga), draft(bob)
    art.two_person = True
    art.save()
    make_member(art, ola := User.objects.create(username="ola"), Role.OPERATOR)
    with pytest.raises(Forbidden, match="somebody else"):
        tickets.approve(actor=Actor(olga), ticket_id=mine.pk)
    assert tickets.approve(actor=Actor(olga), ticket_id=theirs.pk).approved_by == olga
    assert tickets.approve(actor=Actor(ola), ticket_id=mine.pk).approved_by == ola


def test_without_two_person_an_operator_approves_their_own(olga):
    assert tickets.approve(actor=Actor(olga), ticket_id=draft(olga).pk).status == "APPROVED"


# --- scope -----------------------------------------------------------------------------------------------------------


def test_a_key_needs_a_role_in_the_project_that_it_names(alice, olga):
    lab = make_project("lab")
    with pytest.raises(Forbidden, match="lab"):
        draft(alice, "repo", "LAB/Rooms")
    make_member(lab, alice, Role.EDITOR)
    ticket = draft(alice, "repo", "LAB/Rooms")
    with pytest.raises(Forbidden, match="lab"):
        tickets.approve(actor=Actor(olga), ticket_id=ticket.pk)
    make_member(lab, olga, Role.OPERATOR)
    assert tickets.approve(actor=Actor(olga), ticket_id=ticket.pk).status == "APPROVED"
    assert draft(alice, "laboratory/rooms")  # another first segment


def test_an_edit_cannot_add_a_key_of_a_foreign_project(alice):
    make_project("lab")
    ticket = draft(alice)
    with pytest.raises(Forbidden):
        tickets.edit_ticket(actor=Actor(alice), ticket_id=ticket.pk, scope=["lab"])
    assert [key.key for key in ticket.scope.all()] == ["repo"]


def test_two_spellings_of_a_key_are_one_key(alice):
    ticket = draft(alice, "Repo/Entwürfe", "repo/entwu\u0308rfe", "REPO\\ENTWÜRFE")
    assert [(key.key, key.place) for key in ticket.scope.all()] == [("Repo/Entwürfe", "repo/entwürfe")]


@pytest.mark.parametrize(
    "scope", [[], [""], ["a//b"], ["/a"], ["a\0"], ["CON"], ["a"] * 201, "repo", None, [7], ["x" * 256]]
)
def test_an_invalid_scope_is_refused(alice, scope):
    with pytest.raises(Invalid) as refusal:
        tickets.create_ticket(actor=Actor(alice), project="art", title="Work", scope=scope)
    assert refusal.value.errors[0]["field"] == "scope"
    assert not Ticket.objects.exists()


def test_only_another_scope_takes_the_approval_back(alice, olga, clock):
    ticket = approved(alice, olga, "repo")
    clock.forward(seconds=1)
    edit = partial(tickets.edit_ticket, actor=Actor(alice), ticket_id=ticket.pk)
    same = edit(title="Other", description="More", scope=["REPO"])
    assert (same.status, same.state_since, same.approved_by) == ("APPROVED", ticket.state_since, olga)
    other = edit(scope=["repo", "docs"])
    assert (other.status, other.approved_by) == ("DRAFT", None)
    assert other.state_since > ticket.state_since
    assert Entry.objects.order_by("-pk")[0].data["scope"] == ["docs", "repo"]
    with pytest.raises(WrongState):
        start(alice, other)


@pytest.mark.parametrize("state", ["IN_PROGRESS", "BLOCKED", "REVIEW", "DONE", "CANCELLED"])
def test_a_started_ticket_cannot_be_edited(alice, olga, state):
    ticket = in_state(state, alice, olga)
    with pytest.raises(WrongState):
        tickets.edit_ticket(actor=Actor(olga), ticket_id=ticket.pk, title="Other")


def test_the_author_and_operators_edit_a_ticket(alice, bob, vera, olga, art):
    ticket = draft(alice)
    for nobody in (bob, vera):
        with pytest.raises(Forbidden):
            tickets.edit_ticket(actor=Actor(nobody), ticket_id=ticket.pk, title="Mine")
    assert tickets.edit_ticket(actor=Actor(olga), ticket_id=ticket.pk, title="Hers").title == "Hers"
    art.memberships.filter(user=alice).update(role=Role.VIEWER)
    with pytest.raises(Forbidden):
        tickets.edit_ticket(actor=Actor(alice), ticket_id=ticket.pk, title="Mine")


# --- what a decision rests on ----------------------------------------------------------------------------------------


def test_an_old_page_cannot_decide_on_a_newer_review(alice, olga, clock):
    session = started(alice, olga)
    submit(session)
    seen = Ticket.objects.get()
    clock.forward(seconds=1)
    send_back(olga, seen)
    submit(start(alice, seen))
    again = Ticket.objects.get()
    assert again.status == seen.status == "REVIEW"
    for verb in (tickets.accept, partial(tickets.send_back, reason="x"), partial(tickets.cancel, reason="x")):
        with pytest.raises(WrongState, match="since you looked"):
            verb(actor=Actor(olga), ticket_id=seen.pk, since=seen.state_since)
    assert reserved_by(again) == ["repo"]
    assert tickets.accept(actor=Actor(olga), ticket_id=seen.pk, since=again.state_since).ticket.status == "DONE"


def test_an_old_page_cannot_resume_a_newer_block(alice, olga, clock):
    ticket = in_state("BLOCKED", alice, olga)
    clock.forward(seconds=1)
    block(resume(olga, ticket))
    with pytest.raises(WrongState):
        resume(olga, ticket, since=ticket.state_since)
    assert ticket.sessions.count() == 2  # the refused third is undone with everything else


def test_a_second_decision_is_refused_with_the_new_state(alice, olga):
    ticket = in_state("REVIEW", alice, olga)
    call_verb("accept", ticket, alice, olga)
    with pytest.raises(WrongState) as refusal:
        call_verb("accept", ticket, alice, olga)
    assert (refusal.value.state, refusal.value.allowed) == ("DONE", [])
    assert Entry.objects.filter(kind="ticket_accepted").count() == 1


@pytest.mark.parametrize("reason", ["", "  ", None, 7, "a\0b", "x" * 501])
def test_sending_back_and_cancelling_need_a_reason(alice, olga, reason):
    ticket = in_state("REVIEW", alice, olga)
    for verb in (tickets.send_back, tickets.cancel):
        with pytest.raises(Invalid):
            verb(actor=Actor(olga), ticket_id=ticket.pk, reason=reason)
    assert facts(ticket)[0] == "REVIEW"


def test_cancelling_ends_the_live_session(alice, olga):
    session = started(alice, olga)
    cancel(olga, session.ticket)
    session.refresh_from_db()
    assert (session.status, session.outcome, session.ended_at is not None) == ("cancelled", "no more", True)
    with pytest.raises(LeaseLost, match="cancelled"):
        checkpoint(session)
    failure = Failure.objects.get()
    assert (failure.kind, failure.detail, failure.session) == ("cancelled", "no more", session)


def test_a_ticket_that_was_sent_back_can_be_started_again(alice, bob, olga):
    ticket = in_state("REVIEW", alice, olga, "repo")
    send_back(olga, ticket)
    assert start(bob, ticket).worker == bob
    assert reserved_by(ticket) == ["repo"]
