"""Long texts: two lines in a list, and the whole text on the page of its subject."""

import pytest

from checkouts.actions.breaks import take_over
from leasehold.actors import Actor
from tests import work
from tests.scenes import back, out
from tests.web.conftest import text_of

LONG = " ".join(f"word{number}" for number in range(60))  # some 400 characters
SHORT = "repaint the cape"


def page(browser, path: str) -> str:
    return browser.get(path).content.decode()


def test_the_board_clamps_a_purpose(as_, alice, bob, hero):
    out(bob, hero, purpose=LONG)
    assert f'<span class="clamp" title="{LONG}">{LONG}</span>' in page(as_(alice), "/board/")


@pytest.mark.parametrize("purpose", [LONG, SHORT])
def test_a_files_page_has_the_whole_purpose(as_, alice, bob, hero, purpose):
    out(bob, hero, purpose=purpose)
    html = page(as_(alice), f"/artifacts/{hero.pk}/")
    assert purpose in html
    assert ('<details class="long">' in html) is (purpose is LONG)


def test_a_ticket_has_the_whole_reason_of_a_block(as_, alice, olga):
    session = work.started(alice, olga, "terminal-1")
    work.block(session, LONG)
    response = as_(alice).get(f"/tickets/{session.ticket_id}/")
    assert LONG in text_of(response)
    assert "Blocked by you" in text_of(response)


def test_journal_and_desk_have_the_whole_reason(as_, alice, olga, hero):
    out(alice, hero)
    take_over(actor=Actor(olga), artifact_id=hero.pk, reason=LONG)
    assert f'title="{LONG}"' in page(as_(alice), "/journal/")
    assert LONG in text_of(as_(alice).get("/desk/"))


def test_the_list_of_proposals_has_the_whole_comment(as_, alice, bob, olga, hero, clock):
    late = out(bob, hero, ttl=60).checkout
    clock.forward(minutes=2)
    back(alice, out(alice, hero).checkout, "two")
    back(bob, late, "three", comment=LONG)
    assert f'<span class="clamp" title="{LONG}">' in page(as_(olga), "/proposals/")


def test_a_take_over_shows_the_holders_purpose(as_, bob, olga, hero):
    out(bob, hero, purpose="Thank you all!")
    text = text_of(as_(olga).get(f"/artifacts/{hero.pk}/take-over/"))
    assert "“Thank you all!”" in text
    assert "!." not in text


def test_a_refusal_links_to_the_files_page(as_, alice, bob, hero):
    out(bob, hero)
    response = as_(alice).post(f"/artifacts/{hero.pk}/checkouts/")
    assert response.status_code == 409
    assert f'href="/artifacts/{hero.pk}/#when-free">Tell me when it is free' in response.content.decode()
