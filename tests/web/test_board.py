"""The board: who holds what, in all that the reader may see."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from checkouts.web.board import board
from leasehold.actions.passes import acquire_pass
from leasehold.actions.sessions import start
from leasehold.actions.tickets import approve, create_ticket
from leasehold.actors import Actor
from leasehold.models import Role
from tests.factories import make_member, make_project
from tests.web.conftest import added, check_in, check_out, text_of
from tests.work import started, submit


def names(browser, **query: str) -> list[str]:
    response = browser.get("/board/", query)
    assert response.status_code == 200
    return [row.artifact.name for row in [*response.context["rows"], *response.context["lapsed"]]]


@pytest.fixture
def four(as_, alice, bob, clock):
    """Two leases of alice's, one of bob's, and a lapsed one of bob's."""
    check_out(as_(bob), added(alice, "lapsed.psd"), ttl=60)
    clock.forward(minutes=5)
    check_out(as_(alice), added(alice, "long.psd"))
    check_out(as_(alice), added(alice, "soon.psd"), ttl=600)
    check_out(as_(bob), added(alice, "sets/theirs.psd"), purpose="new eyes", ttl=7200)


def test_live_leases_come_first_by_their_end(as_, vera, four):
    assert names(as_(vera)) == ["soon.psd", "theirs.psd", "long.psd", "lapsed.psd"]
    assert "new eyes" in text_of(as_(vera).get("/board/"))


def test_the_tabs(as_, alice, four):
    assert names(as_(alice), show="mine") == ["soon.psd", "long.psd"]
    assert names(as_(alice), show="expiring") == ["soon.psd"]
    assert names(as_(alice), show="lapsed") == ["lapsed.psd"]


def test_a_stranger_sees_nobodys_leases(as_, mallory, four):
    assert names(as_(mallory)) == []
    assert "Nobody holds anything" in text_of(as_(mallory).get("/board/"))


def test_only_files_of_ones_own_projects_are_listed(as_, alice, bob, four):
    docs = make_project("docs")
    make_member(docs, bob, Role.EDITOR)
    check_out(as_(bob), added(bob, "secret.docx", project="docs"))
    assert "secret.docx" in names(as_(bob))
    assert "secret.docx" not in names(as_(alice))


def test_a_released_lease_leaves_the_board(as_, alice, hero):
    browser = as_(alice)
    checkout = check_out(browser, hero)
    assert names(browser) == ["hero.psd"]
    check_in(browser, checkout, b"new")
    assert names(browser) == []


def test_a_long_board_is_paginated(as_, alice, monkeypatch):
    monkeypatch.setattr(board, "PAGE", 2)
    browser = as_(alice)
    for number in range(5):
        check_out(browser, added(alice, f"{number}.psd"), ttl=3600 + number)
    seen, address = [], "/board/"
    while address:
        response = browser.get(address)
        seen += [row.artifact.name for row in response.context["rows"]]
        address = response.context["more"]
    assert seen == [f"{number}.psd" for number in range(5)]


@pytest.mark.parametrize(
    "query",
    [
        {"show": "x"},
        {"after": "x"},
        {"after": "never_\0"},
        {"after": "never_session:1"},
        {"after": "2026-13-77_artifact:1"},
    ],
)
def test_an_invalid_query_is_refused(as_, alice, query):
    assert as_(alice).get("/board/", query).status_code == 400


def test_reservations_and_passes_are_named(as_, art, alice, olga, planner):
    ticket = create_ticket(actor=Actor(user=alice), project="art", title="Rig", scope=["art/heroes/rig"])
    approve(actor=Actor(user=olga), ticket_id=ticket.pk)
    start(actor=Actor(user=alice), ticket_id=ticket.pk)
    acquire_pass(actor=Actor(user=planner), role="critic", context="chapter/3", pass_id="run-1", ttl=600)
    seen = text_of(as_(alice).get("/board/"))
    assert f"Ticket {ticket.pk}" in seen
    assert "art/heroes/rig" in seen
    assert "until decided" in seen
    assert "planner" in seen
    assert "critic · chapter/3" in seen


def test_a_session_has_a_row_with_its_worker_and_end(as_, alice, bob, vera, olga):
    session = started(bob, olga, "art/heroes", ttl=3600)
    page = as_(vera).get("/board/")
    of_bob, reservation = page.context["rows"]
    assert (of_bob.session, of_bob.hold.name) == (session, "bob")
    assert of_bob.hold.until == session.lease_until
    assert reservation.hold.name == f"Ticket {session.ticket_id}"
    assert reservation.hold.reserved_for == "for bob’s session"
    assert "bob at work 1 h" in text_of(page)
    assert f'href="/tickets/{session.ticket_id}/"' in page.content.decode()
    assert [row.session for row in as_(bob).get("/board/?show=mine").context["rows"]] == [session]
    assert as_(alice).get("/board/?show=mine").context["rows"] == []
    assert as_(vera).get("/board/?show=expiring").context["rows"] == []


def test_an_ended_session_leaves_the_board(as_, bob, vera, olga):
    submit(started(bob, olga, "art/heroes"))
    [reservation] = as_(vera).get("/board/").context["rows"]
    assert reservation.hold.reserved_for == "with nobody at work"


def test_strangers_see_no_session_title_or_worker(as_, mallory, bob, olga):
    docs = make_project("docs")
    make_member(docs, mallory, Role.VIEWER)
    make_member(docs, bob, Role.EDITOR)
    make_member(docs, olga, Role.OPERATOR)
    session = started(bob, olga, "docs/credits")
    page = as_(mallory).get("/board/")
    [reservation] = page.context["rows"]
    assert (reservation.hold.name, reservation.hold.reserved_for) == (f"Ticket {session.ticket_id}", "")
    assert "bob" not in text_of(page)
    assert "Work" not in text_of(page)


def test_leases_and_sessions_share_one_pagination(as_, alice, bob, olga, monkeypatch):
    for number in range(3):
        check_out(as_(alice), added(alice, f"{number}.psd"), ttl=3600 + 100 * number)
        started(bob, olga, f"terminal-{number}", ttl=3650 + 100 * number)
    whole = keys(as_(alice).get("/board/"))
    assert [key.partition(":")[0] for key in whole] == ["artifact", "session"] * 3 + ["scope"] * 3
    monkeypatch.setattr(board, "PAGE", 2)
    seen, address = [], "/board/"
    while address:
        response = as_(alice).get(address)
        seen += keys(response)
        address = response.context["more"]
    assert seen == whole


def keys(response) -> list[str]:
    return [row.hold.lease.resource for row in response.context["rows"]]


def test_the_board_costs_the_same_for_any_number_of_sessions(as_, alice, bob, olga):
    def statements() -> int:
        with CaptureQueriesContext(
            connection,
        ) as queries:
            as_(alice).get("/board/")
        return len(queries)

    started(bob, olga, "terminal-0")
    few = statements()
    for number in range(1, 5):
        started(bob, olga, f"terminal-{number}")
    assert statements() == few
