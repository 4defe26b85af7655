"""A ticket's page: what it shows, and the verbs that its reader can use now."""

import pytest

from leasehold.models import Failure, Project, Role, Session, Ticket
from leasehold.web.tickets.verbs import VERBS
from tests import work
from tests.factories import make_member, make_project
from tests.web.conftest import SECOND, check_in, check_out, text_of

Status = Ticket.Status
PEOPLE = ("alice", "bob", "vera", "olga")


def offered(response) -> set[str]:
    assert response.status_code == 200
    return {form.verb for form in response.context["forms"]}


def press(browser, ticket: Ticket, verb: str, **values):
    """Post the form as the page shows it, with its hidden `since` if it has one."""
    page = browser.get(f"/tickets/{ticket.pk}/")
    form = next((form for form in page.context["forms"] if form.verb == verb), None)
    hidden = {"since": form.since.isoformat()} if form and form.since else {}
    return browser.post(f"/tickets/{ticket.pk}/{verb}/", hidden | values, follow=True)


@pytest.mark.parametrize("status", Status.values)
@pytest.mark.parametrize("name", PEOPLE)
def test_exactly_the_offered_verbs_are_accepted(as_, request, alice, olga, status, name):
    """alice wrote it and works at it. Each verb is posted, offered or not, and each that succeeds gets a new ticket."""
    browser, ticket = as_(request.getfixturevalue(name)), None
    for number, verb in enumerate(VERBS):
        ticket = ticket or work.in_state(status, alice, olga, f"k{number}")
        offered_verbs = offered(browser.get(f"/tickets/{ticket.pk}/"))
        response = browser.post(f"/tickets/{ticket.pk}/{verb}/", {"reason": "because", "note": ""})
        assert response.status_code in (302, 403, 404, 409), verb  # 404: the ticket has no session
        assert (verb in offered_verbs) == (response.status_code == 302), (
            f"{name}, {status}: {verb} {response.status_code}"
        )
        ticket = None if response.status_code == 302 else ticket


def test_an_author_is_not_offered_to_approve_where_two_people_are_required(as_, olga, art):
    Project.objects.update(two_person=True)
    ticket = work.draft(olga)
    page = as_(olga).get(f"/tickets/{ticket.pk}/")
    assert "approve" not in offered(page)
    assert "asks for two people" in text_of(page)
    assert as_(olga).post(f"/tickets/{ticket.pk}/approve/").status_code == 403


def test_approving_is_offered_to_operators_of_all_projects_in_the_scope(as_, alice, olga):
    make_member(make_project("docs"), alice, Role.EDITOR)
    ticket = work.draft(alice, "docs/credits")
    assert "approve" not in offered(as_(olga).get(f"/tickets/{ticket.pk}/"))
    assert as_(olga).post(f"/tickets/{ticket.pk}/approve/").status_code == 403


def test_a_foreign_ticket_is_not_found(as_, alice, mallory):
    ticket = work.draft(alice)
    assert as_(mallory).get(f"/tickets/{ticket.pk}/").status_code == 404
    for verb in VERBS:
        assert as_(mallory).post(f"/tickets/{ticket.pk}/{verb}/", {"reason": "x"}).status_code == 404
    assert as_(alice).get(f"/tickets/{2**63}/").status_code == 404
    assert as_(alice).get(f"/tickets/{ticket.pk}/explode/").status_code == 404


def test_a_ticket_from_draft_to_done(as_, alice, olga):
    author, operator = as_(alice), as_(olga)
    ticket = work.draft(alice, "art/capes")
    assert "Approved, free to start" in text_of(press(operator, ticket, "approve"))
    started = press(author, ticket, "start", ttl="3600")
    assert "You work on it" in text_of(started)
    assert "This ticket until decided" in text_of(started)
    assert Session.objects.get().ttl == 3600
    noted = press(author, ticket, "checkpoint", note="left arm done", ttl="900")
    assert "left arm done" in text_of(noted)
    assert "sent a checkpoint, good for 15 m" in text_of(noted)
    handed_in = press(author, ticket, "submit", note="palette had to follow")
    assert "In review, handed in by you" in text_of(handed_in)
    done = press(operator, ticket, "accept")
    assert "nothing is held any more" in text_of(done)
    assert Ticket.objects.get().status == Status.DONE
    assert work.reserved_by(ticket) == []


def test_each_form_says_what_will_happen(as_, alice, olga):
    ticket = work.in_state(Status.REVIEW, alice, olga, "art/capes")
    text = text_of(as_(olga).get(f"/tickets/{ticket.pk}/"))
    assert "The ticket is done, for good." in text
    assert "The ticket is approved as before, for anyone to start. Its scope becomes free: art/capes." in text
    assert "alice reads this." in text


@pytest.mark.parametrize("verb", ["send_back", "cancel"])
def test_a_missing_reason_is_reported_beside_its_input(as_, alice, olga, verb):
    ticket = work.in_state(Status.REVIEW, alice, olga)
    response = press(as_(olga), ticket, verb, reason=" ")
    assert response.status_code == 400
    [form] = [form for form in response.context["forms"] if form.is_open]
    assert (form.verb, form.error) == (verb, "Say it in a few words.")
    assert Ticket.objects.get().status == Status.REVIEW
    assert press(as_(olga), ticket, verb, reason="light is off").status_code == 200
    assert Failure.objects.get().detail == "light is off"


def test_an_old_page_does_not_decide_on_a_new_state(as_, alice, olga):
    """Between page and click the ticket was sent back and submitted again."""
    ticket = work.in_state(Status.REVIEW, alice, olga)
    old = as_(olga).get(f"/tickets/{ticket.pk}/").context["forms"][0].since.isoformat()
    work.send_back(olga, ticket)
    work.submit(work.start(alice, ticket))
    response = as_(olga).post(f"/tickets/{ticket.pk}/accept/", {"since": old})
    assert response.status_code == 409
    assert "decided on since you looked" in text_of(response)
    assert Ticket.objects.get().status == Status.REVIEW
    assert as_(olga).post(f"/tickets/{ticket.pk}/accept/", {"since": "yesterday"}).status_code == 400


def test_an_old_page_does_not_end_another_session(as_, alice, olga):
    first = work.started(alice, olga)
    work.block(first)
    work.resume(olga, first.ticket)
    response = as_(alice).post(f"/tickets/{first.ticket_id}/block/", {"session": first.pk, "reason": "again"})
    assert response.status_code == 409
    assert Ticket.objects.get().status == Status.IN_PROGRESS


def test_a_lapse_shows_at_once_and_can_be_decided_on(as_, alice, olga, clock):
    ticket = work.started(alice, olga, ttl=60).ticket
    clock.forward(minutes=5)
    page = as_(olga).get(f"/tickets/{ticket.pk}/")
    assert "Blocked: alice’s session lapsed" in text_of(page)
    assert offered(page) == {"resume", "send_back", "cancel"}
    assert offered(as_(alice).get(f"/tickets/{ticket.pk}/")) == set()
    resumed = press(as_(olga), ticket, "resume")
    assert "alice may go on" in text_of(resumed)
    assert "alice’s session" in text_of(resumed), "the lapse is in the story"
    assert "Lease expired" in text_of(resumed)


def test_a_ticket_is_resumed_for_somebody_else(as_, alice, bob, olga, vera):
    ticket = work.in_state(Status.BLOCKED, alice, olga)
    assert press(as_(olga), ticket, "resume", worker="vera").status_code == 400
    press(as_(olga), ticket, "resume", worker="bob")
    assert Session.objects.latest("pk").worker == bob


def test_the_page_shows_the_worker_a_request_to_stop(as_, alice, olga):
    ticket = work.started(alice, olga).ticket
    press(as_(olga), ticket, "stop", reason="the brief has changed")
    text = text_of(as_(alice).get(f"/tickets/{ticket.pk}/"))
    assert "olga asks you to stop. “the brief has changed”" in text


def test_a_start_refused_by_a_reservation_links_to_its_ticket(as_, alice, bob, olga):
    there = work.started(alice, olga, "art/props").ticket
    ticket = work.approved(bob, olga, "art/props/winter")
    page = as_(bob).get(f"/tickets/{ticket.pk}/")
    assert f"Ticket {there.pk} reserves art/props" in text_of(page)
    refused = as_(bob).post(f"/tickets/{ticket.pk}/start/")
    assert refused.status_code == 409
    assert f"resource scope reserved by {there.pk}: art/props" in text_of(refused)
    assert f'href="/tickets/{there.pk}/"' in refused.content.decode()


def test_a_foreign_ticket_in_the_way_is_named_and_not_linked(as_, alice, bob, olga):
    docs = make_project("docs")
    make_member(docs, bob, Role.OPERATOR)
    there = work.started(bob, bob, "terminal-1", project="docs").ticket
    Ticket.objects.filter(pk=there.pk).update(title="Secret")
    ticket = work.approved(alice, olga, "terminal-1")
    for response in (as_(alice).get(f"/tickets/{ticket.pk}/"), as_(alice).post(f"/tickets/{ticket.pk}/start/")):
        assert f"/tickets/{there.pk}/" not in response.content.decode()
        assert "Secret" not in text_of(response)
    assert f"Ticket {there.pk} reserves terminal-1" in text_of(as_(alice).get(f"/tickets/{ticket.pk}/"))


def test_a_check_out_refused_by_a_reservation_links_to_its_ticket(as_, alice, bob, olga, hero):
    there = work.started(bob, olga, "art/heroes").ticket
    refused = as_(alice).post(f"/artifacts/{hero.pk}/checkouts/")
    assert refused.status_code == 409
    assert f"Open ticket {there.pk}" in text_of(refused)


def test_a_start_refused_by_check_outs_names_their_holders(as_, alice, bob, olga, hero):
    check_out(as_(alice), hero)
    ticket = work.approved(bob, olga, "art/heroes")
    assert "alice has art/heroes/hero.psd" in text_of(as_(bob).get(f"/tickets/{ticket.pk}/"))
    refused = as_(bob).post(f"/tickets/{ticket.pk}/start/")
    assert refused.status_code == 409
    assert "has art/heroes/hero.psd" in text_of(refused)


def test_a_refused_submit_names_the_open_check_outs(as_, alice, olga, hero):
    ticket = work.started(alice, olga, "art/heroes").ticket
    check_out(as_(alice), hero)
    assert "Checked out under it" in text_of(as_(alice).get(f"/tickets/{ticket.pk}/"))
    refused = as_(alice).post(f"/tickets/{ticket.pk}/submit/")
    assert refused.status_code == 409
    assert "heroes/hero.psd" in text_of(refused)


def test_the_audit_shows_commits_inside_and_outside_the_scope(as_, alice, olga, hero):
    ticket = work.started(alice, olga, "art/heroes").ticket
    check_in(as_(alice), check_out(as_(alice), hero), SECOND)
    page = as_(olga).get(f"/tickets/{ticket.pk}/")
    assert [one.is_inside for one in page.context["audit"]] == [True]
    assert "All inside" in text_of(page)


def test_the_statements_of_the_page_do_not_grow(as_, alice, olga, django_assert_max_num_queries):
    session = work.started(alice, olga, *[f"art/k{number}" for number in range(30)])
    for number in range(30):
        work.checkpoint(session, note=f"step {number}")
    browser = as_(alice)
    with django_assert_max_num_queries(18):
        page = browser.get(f"/tickets/{session.ticket_id}/")
    assert "step 29" in text_of(page)
    assert "step 0" in text_of(page)


def test_a_session_started_here_lasts_a_working_day_by_default(as_, alice, olga):
    ticket = work.approved(alice, olga, "art/capes")
    [form] = [form for form in as_(alice).get(f"/tickets/{ticket.pk}/").context["forms"] if form.verb == "start"]
    assert dict(form.durations)[form.ttl] == "8 h"
    assert "1 h" in dict(form.durations).values()
    press(as_(alice), ticket, "start")
    assert Session.objects.get().ttl == 8 * 3600


def test_one_button_renews_alices_session(as_, alice, olga, clock):
    session = work.started(alice, olga, "art/capes", ttl=900)
    clock.forward(minutes=12)
    for back in (f"/tickets/{session.ticket_id}/", "/desk/"):
        page = as_(alice).get(back)
        assert "I am still at it" in text_of(page)
        form = {"session": session.pk} | ({"next": back} if back == "/desk/" else {})
        response = as_(alice).post(f"/tickets/{session.ticket_id}/checkpoint/", form, follow=True)
        assert response.request["PATH_INFO"] == back
        assert "Your session lasts another 15 m." in text_of(response)
    assert Session.objects.get().lease_until > session.lease_until


def test_a_short_session_is_urgent_in_its_last_third_only(as_, alice, olga, clock):
    session = work.started(alice, olga, "art/capes", ttl=900)

    def is_urgent() -> bool:
        return 'class="left soon"' in as_(alice).get(f"/tickets/{session.ticket_id}/").content.decode()

    assert not is_urgent()
    clock.forward(minutes=11)
    assert is_urgent()
