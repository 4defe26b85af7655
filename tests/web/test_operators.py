"""The operators' queue: what needs a decision, and the verbs on one row or several."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from checkouts.models import Checkout, Proposal
from leasehold.database import clock as leasehold_clock
from leasehold.models import Role, Ticket
from tests import work
from tests.factories import make_member, make_project
from tests.web.conftest import SECOND, THIRD, added, check_in, check_out, text_of
from tests.work import in_state, started

QUEUE = "/operators/"


def as_read(ticket: Ticket) -> str:
    """The form's value of a ticket: its number, and since when it has been in its state."""
    ticket.refresh_from_db()
    return f"{ticket.pk}@{ticket.state_since.isoformat()}"


@pytest.fixture
def late(as_, alice, bob, hero, clock) -> Proposal:
    """A proposal of alice's: her lease lapsed, and bob committed."""
    mine = check_out(as_(alice), hero, ttl=60)
    clock.forward(minutes=2)
    check_in(as_(bob), check_out(as_(bob), hero), SECOND)
    check_in(as_(alice), mine, THIRD)
    return Proposal.objects.get()


def test_only_operators_have_a_queue(as_, client, alice, vera, mallory, olga, admin, hero):
    for person in (alice, vera, mallory):
        assert as_(person).get(QUEUE).status_code == 403
        assert "Operators’ queue" not in text_of(as_(person).get("/"))
    for person in (olga, admin):
        assert as_(person).get(QUEUE).status_code == 200
        assert "Operators’ queue" in text_of(as_(person).get("/"))
    assert "/sign-in/" in client.get(QUEUE).url


def test_an_empty_queue_says_so(as_, olga):
    assert "Nothing waits for you" in text_of(as_(olga).get(QUEUE))


def test_an_operator_of_one_project_sees_nothing_of_another(as_, olga, alice, clock):
    other = make_project("film", "Film")
    make_member(other, alice, Role.OPERATOR)
    secret = added(alice, "secret.psd", project="film")
    check_out(as_(alice), secret, ttl=9 * 86_400)
    clock.forward(hours=30)
    assert "secret.psd" not in text_of(as_(olga).get(QUEUE))
    assert "secret.psd" in text_of(as_(alice).get(QUEUE))
    as_(olga).post("/operators/checkouts/", {"checkout": [Checkout.objects.get().pk], "reason": "mine"})
    assert Checkout.objects.get().broken_at is None


def test_reviews_and_blocked_tickets_share_a_list_stale_ones_first(as_, alice, olga, clock):
    review = in_state(Ticket.Status.REVIEW, alice, olga, "one")
    now = as_(olga).get(QUEUE)
    assert [(one.pk, kind) for one, kind in now.context["tickets"]] == [(review.pk, "review")]
    assert "Nothing waits for you" not in text_of(now)
    assert "stale" not in text_of(now).lower()
    clock.forward(hours=25)
    blocked = in_state(Ticket.Status.BLOCKED, alice, olga, "two")
    later = as_(olga).get(QUEUE)
    assert [(one.pk, kind) for one, kind in later.context["tickets"]] == [
        (review.pk, "review"),
        (blocked.pk, "blocked"),
    ]
    assert "stale, review 1 d ago" in text_of(later)
    assert "no decision for 1 d" in text_of(later)


def test_the_queue_lists_as_many_tickets_as_the_navigation_counts(as_, alice, bob, olga, admin):
    in_state(Ticket.Status.REVIEW, alice, olga, "one")
    in_state(Ticket.Status.BLOCKED, alice, olga, "two")
    work.draft(bob, "three")
    for person in (olga, admin):
        response = as_(person).get(QUEUE)
        assert len(response.context["tickets"]) == response.context["waiting"]()["tickets"] == 2


def test_a_ticket_that_was_decided_meanwhile_is_skipped(as_, alice, olga, clock):
    reviews = [in_state(Ticket.Status.REVIEW, alice, olga, f"key-{n}") for n in range(3)]
    clock.forward(hours=25)
    values = [as_read(ticket) for ticket in reviews]
    as_(olga).post("/operators/tickets/", {"ticket": values[2:], "verb": "accept"})
    text = text_of(
        as_(olga).post("/operators/tickets/", {"ticket": values, "verb": "send_back", "reason": "stale"}, follow=True)
    )
    assert "2 tickets sent back." in text
    assert "1 left as before." in text
    assert f"Ticket {reviews[2].pk}:" in text
    assert sorted(Ticket.objects.values_list("status", flat=True)) == ["APPROVED", "APPROVED", "DONE"]


def test_an_old_page_does_not_release_a_newer_review(as_, alice, olga):
    ticket = in_state(Ticket.Status.REVIEW, alice, olga, "one")
    old = as_read(ticket)
    Ticket.objects.update(state_since=leasehold_clock.now())
    text = text_of(
        as_(olga).post("/operators/tickets/", {"ticket": [old], "verb": "send_back", "reason": "old"}, follow=True)
    )
    assert "since you looked" in text
    assert Ticket.objects.get().status == "REVIEW"


def test_a_lapsed_session_is_resumed(as_, alice, olga, clock):
    session = started(alice, olga, "one", ttl=60)
    clock.forward(minutes=5)
    assert "is blocked with the next act of anybody" in text_of(as_(olga).get(QUEUE))
    check_out(as_(alice), added(alice, "any.psd"))  # any action blocks the lapsed ticket first
    assert "alice was to be heard by" in text_of(as_(olga).get(QUEUE))
    assert as_(olga).get(QUEUE).context["tickets"][0][1] == "expired"
    response = as_(olga).post(
        "/operators/tickets/", {"ticket": [as_read(session.ticket)], "verb": "resume"}, follow=True
    )
    assert f"Ticket {session.ticket.pk} resumed." in text_of(response)
    assert Ticket.objects.get().status == "IN_PROGRESS"


def test_long_check_outs_are_broken_together(as_, alice, bob, olga, clock):
    checkouts = [check_out(as_(alice), added(alice, f"{n}.psd"), ttl=9 * 86_400) for n in range(3)]
    assert "Long check-outs" not in text_of(as_(olga).get(QUEUE))
    clock.forward(hours=25)
    text = text_of(as_(olga).get(QUEUE))
    assert "held for more than 1 d" in text
    assert "alice’s lease ends now" in text
    ids = [one.pk for one in checkouts]
    assert as_(olga).post("/operators/checkouts/", {"checkout": ids, "reason": ""}).status_code == 400
    as_(alice).post(f"/checkouts/{ids[0]}/discard/")
    text = text_of(as_(olga).post("/operators/checkouts/", {"checkout": ids, "reason": "too long"}, follow=True))
    assert "2 check-outs broken." in text
    assert "There was nothing left to break." in text
    assert Checkout.objects.filter(broken_by=olga, broken_reason="too long").count() == 2


def test_a_disabled_accounts_check_outs_are_in_the_queue(as_, bob, olga, hero):
    check_out(as_(bob), hero)
    assert "Disabled holders" not in text_of(as_(olga).get(QUEUE))
    bob.is_active = False
    bob.save()
    text = text_of(as_(olga).get(QUEUE))
    assert "Disabled holders" in text
    assert "bob sees your reason on return" in text


def test_only_a_rejection_needs_a_reason(as_, olga, late):
    text = text_of(as_(olga).get(QUEUE))
    assert "Open proposals" in text
    assert "it becomes version 3, by alice" in text
    address = "/operators/proposals/"
    assert as_(olga).post(address, {"proposal": [late.pk], "verb": "reject"}).status_code == 400
    response = as_(olga).post(address, {"proposal": [late.pk], "verb": "accept"}, follow=True)
    assert f"Proposal {late.pk} of hero.psd accepted." in text_of(response)
    again = as_(olga).post(address, {"proposal": [late.pk], "verb": "reject", "reason": "no"}, follow=True)
    assert "1 left as before." in text_of(again)


@pytest.mark.parametrize("person", ["alice", "vera", "mallory"])
def test_only_operators_post_decisions(as_, request, alice, olga, bob, late, clock, person):
    ticket = in_state(Ticket.Status.REVIEW, bob, olga, "one")
    checkout = check_out(as_(bob), added(bob, "long.psd"))
    browser = as_(request.getfixturevalue(person))
    browser.post("/operators/tickets/", {"ticket": [as_read(ticket)], "verb": "cancel", "reason": "mine"})
    browser.post("/operators/checkouts/", {"checkout": [checkout.pk], "reason": "mine"})
    browser.post("/operators/proposals/", {"proposal": [late.pk], "verb": "reject", "reason": "mine"})
    ticket.refresh_from_db()
    checkout.refresh_from_db()
    late.refresh_from_db()
    assert (ticket.status, checkout.broken_at, late.state) == ("REVIEW", None, "open")


def test_an_invalid_form_is_refused_with_a_page(as_, olga):
    for address, form in (
        ("tickets", {"verb": "approve", "ticket": "1"}),
        ("tickets", {"verb": "send_back", "reason": "x"}),
        ("tickets", {"verb": "resume", "ticket": "1@yesterday"}),
        ("tickets", {"verb": "resume", "ticket": f"{2**64}@"}),
        ("checkouts", {"reason": "x"}),
        ("proposals", {"verb": "accept", "proposal": "one"}),
    ):
        assert as_(olga).post(f"/operators/{address}/", form).status_code == 400, (address, form)


def test_the_queue_costs_the_same_statements_for_few_and_for_many(as_, alice, bob, olga, clock):
    def statements() -> int:
        with CaptureQueriesContext(connection) as caught:
            assert browser.get(QUEUE).status_code == 200
        return len(caught)

    def more(n: int) -> None:
        in_state(Ticket.Status.BLOCKED, alice, olga, f"key-{n}", f"more-{n}")
        check_out(as_(alice), added(alice, f"{n}.psd"), ttl=9 * 86_400)

    browser = as_(olga)
    more(0)
    clock.forward(hours=25)
    few = statements()
    for n in range(1, 6):
        more(n)
    clock.forward(hours=25)
    assert statements() == few
    assert few <= 12
