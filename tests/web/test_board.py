"""The board: who holds what, as far as the reader may see."""

import pytest

from checkouts.web import board
from leasehold.actions.passes import acquire_pass
from leasehold.actions.sessions import start
from leasehold.actions.tickets import approve, create_ticket
from leasehold.actors import Actor
from leasehold.models import Role
from tests.factories import make_member, make_project
from tests.web.conftest import added, check_in, check_out, text_of


def names(browser, **query: str) -> list[str]:
    answer = browser.get("/board/", query)
    assert answer.status_code == 200
    return [held.artifact.name for held in [*answer.context["rows"], *answer.context["lapsed"]]]


@pytest.fixture
def four(as_, alice, bob, clock):
    """Two of alice's, one of bob's, and one of bob's that has lapsed."""
    check_out(as_(bob), added(alice, "lapsed.psd"), ttl=60)
    clock.forward(minutes=5)
    check_out(as_(alice), added(alice, "long.psd"))
    check_out(as_(alice), added(alice, "soon.psd"), ttl=600)
    check_out(as_(bob), added(alice, "sets/theirs.psd"), purpose="new eyes", ttl=7200)


def test_live_leases_come_first_the_one_that_ends_soonest_on_top(as_, vera, four):
    assert names(as_(vera)) == ["soon.psd", "theirs.psd", "long.psd", "lapsed.psd"]
    assert "new eyes" in text_of(as_(vera).get("/board/"))


def test_the_tabs(as_, alice, four):
    assert names(as_(alice), show="mine") == ["soon.psd", "long.psd"]
    assert names(as_(alice), show="expiring") == ["soon.psd"]
    assert names(as_(alice), show="lapsed") == ["lapsed.psd"]


def test_a_stranger_sees_nobodys_leases(as_, mallory, four):
    assert names(as_(mallory)) == []
    assert "Nobody holds anything" in text_of(as_(mallory).get("/board/"))


def test_only_what_lies_in_ones_own_projects(as_, alice, bob, four):
    docs = make_project("docs")
    make_member(docs, bob, Role.EDITOR)
    check_out(as_(bob), added(bob, "secret.docx", project="docs"))
    assert "secret.docx" in names(as_(bob))
    assert "secret.docx" not in names(as_(alice))


def test_what_is_given_back_leaves_the_board(as_, alice, hero):
    browser = as_(alice)
    record = check_out(browser, hero)
    assert names(browser) == ["hero.psd"]
    check_in(browser, record, b"new")
    assert names(browser) == []


def test_a_long_board_goes_on_page_by_page(as_, alice, monkeypatch):
    monkeypatch.setattr(board, "PAGE", 2)
    browser = as_(alice)
    for number in range(5):
        check_out(browser, added(alice, f"{number}.psd"), ttl=3600 + number)
    seen, address = [], "/board/"
    while address:
        answer = browser.get(address)
        seen += [held.artifact.name for held in answer.context["rows"]]
        address = answer.context["more"]
    assert seen == [f"{number}.psd" for number in range(5)]


@pytest.mark.parametrize(
    "query", [{"show": "x"}, {"after": "x"}, {"after": "never_\0"}, {"after": "2026-13-77_artifact:1"}]
)
def test_a_strange_address_is_refused(as_, alice, query):
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
