"""The admin's actions on tickets and sessions, and *Reconcile now*."""

import pytest
from django.conf import settings

from leasehold import leases
from leasehold.actions.sessions import start, submit
from leasehold.actions.tickets import accept, approve, create_ticket, send_back
from leasehold.actors import Actor
from leasehold.models import Entry, Failure, Session, Ticket, User
from tests.admin.pages import messages_of, open_action, post_action, text, tick, url

TOO_LONG = settings.LEASEHOLD_STALE_AFTER + 60


def draft(alice: User, key: str = "stage") -> Ticket:
    return create_ticket(actor=Actor(alice), project="art", title=f"Work at {key}", scope=[key])


def at_work(alice: User, bob: User, olga: User, key: str = "stage", ttl: int = 900) -> Session:
    ticket = draft(alice, key)
    approve(actor=Actor(olga), ticket_id=ticket.pk)
    return start(actor=Actor(bob), ticket_id=ticket.pk, ttl=ttl)


def in_review(alice: User, bob: User, olga: User, key: str = "stage") -> Ticket:
    session = at_work(alice, bob, olga, key)
    submit(actor=Actor(bob), session_id=session.pk)
    return Ticket.objects.get(pk=session.ticket_id)


def status(ticket: Ticket) -> str:
    return Ticket.objects.get(pk=ticket.pk).status


def test_approving_needs_its_permission(browser, staff, alice, olga, mallory):
    ticket = draft(alice)
    for user in (staff(olga), staff(alice, "decide_ticket", "break_lease")):  # olga is an operator, but not here
        client = browser(user)
        assert "Approve…" not in text(client.get(url("leasehold.ticket")))
        assert open_action(client, "leasehold.ticket", "approve", ticket.pk).status_code == 403
        values = {"row": ticket.pk, "seen": ticket.state_since.isoformat()}
        assert client.post(url("leasehold.ticket", "act", "approve"), values).status_code == 403
        tick(client, "leasehold.ticket", "approve", ticket.pk)
    assert status(ticket) == "DRAFT"
    client = browser(staff(mallory, "approve_ticket"))
    assert "Approve…" in text(client.get(url("leasehold.ticket")))
    assert "Cancel…" not in text(client.get(url("leasehold.ticket")))
    assert "is approved" in messages_of(post_action(client, "leasehold.ticket", "approve", ticket.pk))
    assert Ticket.objects.get().approved_by == mallory


def test_an_author_cannot_approve_where_two_people_are_required(browser, admin, art, alice, staff):
    art.two_person = True
    art.save()
    ticket = draft(alice)
    response = post_action(browser(staff(alice, "approve_ticket")), "leasehold.ticket", "approve", ticket.pk)
    assert response.status_code == 409
    assert "somebody else than its author" in text(response)
    assert "is approved" in messages_of(post_action(browser(admin), "leasehold.ticket", "approve", ticket.pk))


def test_accept_frees_the_scope(browser, admin, alice, bob, olga):
    ticket = in_review(alice, bob, olga)
    assert leases.read(["scope:stage"])
    post_action(browser(admin), "leasehold.ticket", "accept", ticket.pk)
    assert status(ticket) == "DONE"
    assert not leases.read(["scope:stage"])


def test_send_back_and_cancel_ask_for_a_reason(browser, staff, alice, bob, olga):
    ticket = in_review(alice, bob, olga)
    client = browser(staff(olga, "decide_ticket"))
    page = open_action(client, "leasehold.ticket", "send-back", ticket.pk)
    assert "Its scope becomes free" in text(page)
    assert post_action(client, "leasehold.ticket", "send-back", page=page, reason="").status_code == 400
    assert status(ticket) == "REVIEW"
    post_action(client, "leasehold.ticket", "send-back", page=page, reason="the ear is missing")
    assert status(ticket) == "APPROVED"
    assert Failure.objects.get().detail == "the ear is missing"
    post_action(client, "leasehold.ticket", "cancel", ticket.pk, reason="not wanted any more")
    assert status(ticket) == "CANCELLED"


def test_an_old_page_does_not_decide_on_a_new_review(browser, admin, alice, bob, olga, clock):
    ticket = in_review(alice, bob, olga)
    client = browser(admin)
    page = open_action(client, "leasehold.ticket", "send-back", ticket.pk)
    clock.forward(minutes=1)
    send_back(actor=Actor(olga), ticket_id=ticket.pk, reason="the ear")
    submit(actor=Actor(bob), session_id=start(actor=Actor(bob), ticket_id=ticket.pk).pk)
    response = post_action(client, "leasehold.ticket", "send-back", page=page, reason="the ear")
    assert response.status_code == 409
    assert "decided on since you looked" in text(response)
    assert status(ticket) == "REVIEW"


def test_a_form_without_the_seen_state_is_refused(browser, admin, alice, bob, olga):
    ticket = in_review(alice, bob, olga)
    client = browser(admin)
    for seen in ({}, {"seen": ""}, {"seen": "yesterday"}):
        response = client.post(url("leasehold.ticket", "act", "accept"), {"row": ticket.pk, **seen})
        assert response.status_code == 409
    assert status(ticket) == "REVIEW"


def test_a_bulk_release_reports_a_review_that_was_decided_meanwhile(browser, staff, alice, bob, olga, clock, mallory):
    reviews = [in_review(alice, bob, olga, key) for key in ("a", "b", "c")]
    clock.forward(seconds=TOO_LONG)
    fresh = in_review(alice, bob, olga, "d")
    client = browser(staff(mallory, "decide_ticket"))
    listed = client.get(url("leasehold.ticket"), {"stale": "yes"})
    assert sorted(row.pk for row in listed.context["cl"].result_list) == [ticket.pk for ticket in reviews]
    assert text(client.get(url("leasehold.ticket"))).count("review, stale") == 3
    page = client.get(tick(client, "leasehold.ticket", "release-stale", *[one.pk for one in reviews])["Location"])
    accept(actor=Actor(olga), ticket_id=reviews[1].pk)
    report = post_action(client, "leasehold.ticket", "release-stale", page=page, reason="nobody looks at them")
    assert "2 done, 1 refused" in text(report)
    assert f"ticket {reviews[1].pk} It is DONE" in text(report)
    assert [status(one) for one in reviews] == ["APPROVED", "DONE", "APPROVED"]
    assert [bool(leases.read([f"scope:{key}"])) for key in "abcd"] == [False, False, False, True]
    alone = post_action(client, "leasehold.ticket", "release-stale", fresh.pk, reason="all of them")
    assert "not stale" in text(alone)
    assert status(fresh) == "REVIEW"
    assert Entry.objects.filter(kind="ticket_sent_back").count() == 2


def test_an_operator_resumes_a_blocked_ticket(browser, staff, alice, bob, olga, clock):
    session = at_work(alice, bob, olga, ttl=60)
    clock.forward(minutes=5)
    client = browser(staff(olga, "decide_ticket"))
    assert "lapsed" in text(client.get(url("leasehold.session")))
    response = post_action(client, "leasehold.ticket", "reconcile")
    assert "1 sessions expired" in messages_of(response)
    assert status(session.ticket) == "BLOCKED"
    response = post_action(client, "leasehold.ticket", "resume", session.ticket_id, worker="nobody")
    assert response.status_code == 409
    assert "no such account" in text(response).lower()
    post_action(client, "leasehold.ticket", "resume", session.ticket_id, worker="alice")
    assert Session.objects.get(status="active").worker == alice


def test_a_request_to_stop_reaches_the_session(browser, staff, alice, bob, olga):
    session = at_work(alice, bob, olga)
    post_action(browser(staff(olga, "decide_ticket")), "leasehold.session", "stop", session.pk, reason="lunch")
    session.refresh_from_db()
    assert (session.stop_reason, session.stop_requested_by) == ("lunch", olga)


@pytest.mark.parametrize("codename", ["approve_ticket", "decide_ticket", "break_lease"])
def test_reconcile_needs_any_of_the_permissions(codename, browser, staff, alice, mallory):
    assert open_action(browser(staff(alice)), "leasehold.ticket", "reconcile").status_code == 403
    client = browser(staff(mallory, codename))
    assert "Nothing that is still live is touched" in text(open_action(client, "leasehold.ticket", "reconcile"))
    assert "0 lapsed leases" in messages_of(post_action(client, "leasehold.lease", "reconcile"))


def test_a_bulk_action_needs_rows(browser, admin, alice):
    draft(alice)
    client = browser(admin)
    response = client.post(url("leasehold.ticket"), {"action": "approve", "index": 0}, follow=True)
    assert "must be selected" in text(response)
    response = client.post(url("leasehold.ticket"), {"action": "approve", "index": 0, "_selected_action": ["x"]})
    assert response.status_code == 400
