"""What people write at length: two lines of it in a list, and all of it on the page of what it is about."""

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


def test_the_board_clamps_a_purpose_and_keeps_all_of_it(as_, alice, bob, hero):
    out(bob, hero, purpose=LONG)
    assert f'<span class="clamp" title="{LONG}">{LONG}</span>' in page(as_(alice), "/board/")


@pytest.mark.parametrize("purpose", [LONG, SHORT])
def test_a_files_own_page_has_all_of_a_purpose_and_opens_a_long_one(as_, alice, bob, hero, purpose):
    out(bob, hero, purpose=purpose)
    html = page(as_(alice), f"/artifacts/{hero.pk}/")
    assert purpose in html
    assert ('<details class="long">' in html) is (purpose is LONG)


def test_a_ticket_says_the_whole_of_what_stopped_the_work(as_, alice, olga):
    session = work.started(alice, olga, "terminal-1")
    work.block(session, LONG)
    answer = as_(alice).get(f"/tickets/{session.ticket_id}/")
    assert LONG in text_of(answer)
    assert "Blocked by you" in text_of(answer)


def test_the_journal_and_the_desk_keep_all_of_a_reason(as_, alice, olga, hero):
    out(alice, hero)
    take_over(actor=Actor(olga), artifact_id=hero.pk, reason=LONG)
    assert f'title="{LONG}"' in page(as_(alice), "/journal/")
    assert LONG in text_of(as_(alice).get("/desk/"))


def test_who_waits_for_a_proposal_sees_all_of_its_comment(as_, alice, bob, olga, hero, clock):
    late = out(bob, hero, ttl=60).checkout
    clock.forward(minutes=2)
    back(alice, out(alice, hero).checkout, "two")
    back(bob, late, "three", comment=LONG)
    assert f'<span class="clamp" title="{LONG}">' in page(as_(olga), "/proposals/")


def test_before_a_take_over_one_reads_what_it_is_held_for(as_, bob, olga, hero):
    out(bob, hero, purpose="Thank you all!")
    said = text_of(as_(olga).get(f"/artifacts/{hero.pk}/take-over/"))
    assert "“Thank you all!”" in said
    assert "!." not in said


def test_a_refusal_leads_to_the_page_that_says_when_the_file_is_free(as_, alice, bob, hero):
    out(bob, hero)
    answer = as_(alice).post(f"/artifacts/{hero.pk}/checkouts/")
    assert answer.status_code == 409
    assert f'href="/artifacts/{hero.pk}/#when-free">Tell me when it is free' in answer.content.decode()
