"""Reserved files look reserved on every page, and refusals name who works there."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from checkouts.models import Checkout
from leasehold.models import Role
from tests.factories import make_member, make_project
from tests.web.conftest import added, check_out, text_of
from tests.work import approved, cancel, started, submit

HEROES = "/projects/art/?folder=heroes"


@pytest.fixture
def session(bob, olga, hero):
    """Bob works on a ticket that reserves art/heroes."""
    return started(bob, olga, "art/heroes", ttl=3600)


def test_the_list_names_the_reserving_ticket_and_its_worker(as_, alice, session):
    text = text_of(as_(alice).get(HEROES))
    ticket = session.ticket_id
    assert f"Ticket {ticket} until decided reserved for bob’s session" in text
    assert f"Reserved by ticket {ticket}" in text
    assert "Check out & download hero.psd" not in text
    assert "Free" not in text.replace("All Free", "")


def test_the_refusal_names_the_ticket_and_its_worker(as_, alice, hero, session):
    response = as_(alice).post(f"/artifacts/{hero.pk}/checkouts/")
    text, ticket = text_of(response), session.ticket_id
    assert response.status_code == 409
    assert f"Reserved by ticket {ticket}" in text
    assert "Bob works there until" in text
    assert "reserves art/heroes until an operator decides" in text
    assert "resource scope reserved" not in response.context["heading"] + response.context["sub"]
    assert f'href="/tickets/{ticket}/"' in response.content.decode()
    assert not Checkout.objects.exists()


def test_a_reserved_files_page_offers_no_check_out(as_, alice, hero, session):
    page = as_(alice).get(f"/artifacts/{hero.pk}/")
    assert page.context["state"] == "reserved"
    text = text_of(page)
    assert f"Reserved by ticket {session.ticket_id}" in text
    assert "bob works there until" in text
    assert "Check out & download" not in text


def test_the_tickets_worker_sees_a_free_file(as_, bob, hero, session):
    assert "Check out & download hero.psd" in text_of(as_(bob).get(HEROES))
    page = as_(bob).get(f"/artifacts/{hero.pk}/")
    assert page.context["state"] == "free"
    check_out(as_(bob), hero)


def test_the_holder_is_shown_before_the_ticket(as_, alice, bob, hero, session):
    check_out(as_(bob), hero)
    assert "Held by bob until" in text_of(as_(alice).get(HEROES))
    assert as_(alice).get(f"/artifacts/{hero.pk}/").context["state"] == "held"


def test_without_a_worker_the_file_stays_reserved(as_, alice, bob, hero, session):
    submit(session)
    for person in (alice, bob):
        assert "reserved with nobody at work" in text_of(as_(person).get(HEROES))
        assert "nobody is at work on it now" in text_of(as_(person).get(f"/artifacts/{hero.pk}/"))


def test_a_decision_frees_the_file(as_, alice, olga, hero, session):
    cancel(olga, session.ticket)
    assert "Check out & download hero.psd" in text_of(as_(alice).get(HEROES))
    assert as_(alice).get(f"/artifacts/{hero.pk}/").context["state"] == "free"


def test_only_what_lies_at_or_below_the_key_is_reserved(as_, alice, bob, olga):
    for path in ("a/b.psd", "a/b/c.psd", "ab.psd", "a.psd"):
        added(alice, path)
    started(bob, olga, "art/a/b")
    assert listed(as_(alice), "free") == ["a.psd", "ab.psd", "b.psd"]
    assert listed(as_(alice), "others") == ["c.psd"]
    assert listed(as_(bob), "free") == ["a.psd", "ab.psd", "b.psd", "c.psd"]
    assert listed(as_(bob), "others") == []


def test_a_key_may_be_one_file_or_the_whole_project(as_, alice, bob, olga, hero):
    added(alice, "free.psd")
    one = started(bob, olga, "Art/Heroes/HERO.psd")
    assert listed(as_(alice), "others") == ["hero.psd"]
    cancel(olga, one.ticket)
    started(bob, olga, "art")
    assert listed(as_(alice), "free") == []


def listed(browser, show: str) -> list[str]:
    return sorted(row.artifact.name for row in browser.get("/projects/art/", {"show": show}).context["rows"])


def test_a_foreign_tickets_title_and_worker_are_hidden(as_, alice, bob, olga, hero):
    docs = make_project("docs")
    for person, role in ((bob, Role.EDITOR), (olga, Role.OPERATOR)):
        make_member(docs, person, role)
    session = started(bob, olga, "art/heroes", project="docs")
    for response in (
        as_(alice).get(HEROES),
        as_(alice).get(f"/artifacts/{hero.pk}/"),
        as_(alice).post(f"/artifacts/{hero.pk}/checkouts/"),
    ):
        text = text_of(response)
        assert f"icket {session.ticket_id}" in text
        assert "bob" not in text
        assert "Work" not in text
        assert f"/tickets/{session.ticket_id}/" not in response.content.decode()


def test_a_refused_start_names_the_worker(as_, alice, olga, session):
    ticket = approved(alice, olga, "art/heroes/rig")
    response = as_(alice).post(f"/tickets/{ticket.pk}/start/")
    assert response.status_code == 409
    text = text_of(response)
    assert f"Reserved by ticket {session.ticket_id}" in text
    assert "Bob works there until" in text
    assert "resource scope" not in response.context["heading"] + response.context["sub"]


def test_reserved_files_of_a_selection_are_not_free(as_, alice, hero, session):
    free = added(alice, "free.psd")
    response = as_(alice).post("/projects/art/checkouts/", {"artifact": [hero.pk, free.pk]})
    assert response.status_code == 409
    text = text_of(response)
    assert f"Ticket {session.ticket_id} reserves art/heroes, until an operator decides on it." in text
    assert "Check out 1 file" in text
    folder = text_of(as_(alice).get("/projects/art/folder/", {"folder": "heroes"}))
    assert "1 file in it, 0 of them free" in folder
    assert "since a ticket reserves: 1 file" in folder


def test_the_admin_shows_it_too(as_, admin, hero, session):
    page = as_(admin).get("/admin/checkouts/artifact/")
    text = text_of(page)
    assert "reserved" in text
    assert f"ticket {session.ticket_id}" in text
    assert "until somebody decides" in text


def test_the_list_costs_the_same_with_reservations(as_, alice, bob, olga, hero):
    def statements() -> int:
        with CaptureQueriesContext(connection) as queries:
            as_(alice).get(HEROES)
        return len(queries)

    none = statements()
    started(bob, olga, "art/heroes/hero.psd")
    one = statements()
    for number in range(5):
        added(alice, f"heroes/{number}.psd")
        started(bob, olga, f"art/heroes/{number}.psd")
    assert statements() == one == none + 1
