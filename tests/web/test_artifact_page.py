"""A file's page: its state for each reader, versions, history and downloads."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from checkouts import wiring
from checkouts.web.files import file, timeline
from tests.web.conftest import FIRST, SECOND, THIRD, added, check_in, check_out, text_of


def page(browser, artifact):
    response = browser.get(f"/artifacts/{artifact.pk}/")
    assert response.status_code == 200
    return response


def content(response) -> bytes:
    return b"".join(response.streaming_content)


def test_a_free_file_offers_the_check_out_to_editors_only(as_, alice, vera, hero):
    assert "Free" in text_of(page(as_(alice), hero))
    assert "Check out & download" in text_of(page(as_(alice), hero))
    seen = text_of(page(as_(vera), hero))
    assert "Check out & download" not in seen
    assert "You may read here, not check out" in seen


def test_the_holder_sees_the_check_in_form_and_others_the_holder(as_, alice, bob, hero):
    check_out(as_(alice), hero, purpose="repaint the cape")
    mine = text_of(page(as_(alice), hero))
    assert "You have it until" in mine
    assert "This will become version 2." in mine
    theirs = text_of(page(as_(bob), hero))
    assert "Held by alice until" in theirs
    assert "repaint the cape" in theirs
    assert "Check in" not in theirs


def test_the_newest_version_has_one_download_link(as_, alice, bob, vera, hero):
    address = f'href="/artifacts/{hero.pk}/content/"'
    for person in (alice, vera):
        assert page(as_(person), hero).content.decode().count(address) == 1
    check_out(as_(alice), hero)
    for person in (alice, bob, vera):
        assert page(as_(person), hero).content.decode().count(address) == 1


def test_only_operators_see_the_break(as_, alice, bob, olga, hero):
    check_out(as_(alice), hero)
    assert "Break…" not in text_of(page(as_(bob), hero))
    assert "Break…" in text_of(page(as_(olga), hero))


def test_a_lapsed_file_offers_check_out_and_extend(as_, alice, bob, hero, clock):
    check_out(as_(alice), hero, ttl=60)
    clock.forward(minutes=5)
    assert "alice ’s lease lapsed" in text_of(page(as_(bob), hero)).replace("alice’s", "alice ’s")
    mine = text_of(page(as_(alice), hero))
    assert "Your lease lapsed" in mine
    assert "Extend to 1 m" in mine
    assert "it is taken again for you as you check in" in mine


def test_a_stale_check_in_is_announced(as_, alice, bob, hero, clock):
    check_out(as_(alice), hero, ttl=60)
    clock.forward(minutes=5)
    checkout = check_out(as_(bob), hero)
    assert "bob has the file now. Yours will be kept as a proposal." in text_of(page(as_(alice), hero))
    check_in(as_(bob), checkout, SECOND)
    seen = text_of(page(as_(alice), hero))
    assert "Version 2 is the newest now. Yours will be kept as a proposal." in seen
    assert "Extend" not in seen


def test_every_version_and_proposal_can_be_downloaded(as_, alice, bob, hero, clock):
    late = check_out(as_(alice), hero, ttl=60)
    clock.forward(minutes=5)
    check_in(as_(bob), check_out(as_(bob), hero), SECOND)
    check_in(as_(alice), late, THIRD)
    reader = as_(bob)
    seen = page(reader, hero)
    assert "Proposal 1, by alice" in text_of(seen) or "Proposal" in text_of(seen)
    proposal, _ = seen.context["proposals"][0]
    assert content(reader.get(f"/proposals/{proposal.pk}/content/")) == THIRD
    assert content(reader.get(f"/artifacts/{hero.pk}/versions/1/content/")) == FIRST
    head = reader.get(f"/artifacts/{hero.pk}/content/")
    assert content(head) == SECOND
    assert head["Content-Disposition"] == 'attachment; filename="hero.psd"'


def test_the_history_comes_from_the_journal(as_, alice, bob, olga, hero):
    checkout = check_out(as_(bob), hero, purpose="new eyes")
    as_(olga).post(f"/checkouts/{checkout.pk}/break/", {"reason": "bob is away"})
    seen = text_of(page(as_(alice), hero))
    assert "You added the file" in seen
    assert "bob checked out version 1 “new eyes”" in seen
    assert "olga broke bob’s check-out “bob is away”" in seen


def test_many_versions_are_paginated(as_, alice, hero, monkeypatch):
    monkeypatch.setattr(file, "VERSIONS", 2)
    browser = as_(alice)
    for number in range(4):
        check_in(browser, check_out(browser, hero), f"state {number}".encode())
    first = page(browser, hero)
    assert [version.number for version in first.context["versions"]] == [5, 4]
    rest = browser.get(f"/artifacts/{hero.pk}/{first.context['older']}")
    assert [version.number for version in rest.context["versions"]] == [3, 2]


def test_the_page_costs_the_same_for_any_history(as_, alice, bob, hero):
    browser = as_(alice)

    def statements() -> int:
        with CaptureQueriesContext(connection) as caught:
            page(browser, hero)
        return len(caught)

    few = statements()
    for number in range(3):
        check_in(as_(bob), check_out(as_(bob), hero), f"state {number}".encode())
    assert statements() == few <= 9


@pytest.mark.parametrize(
    "address",
    [
        "/artifacts/{id}/",
        "/artifacts/{id}/content/",
        "/artifacts/{id}/versions/1/content/",
        "/artifacts/9223372036854775808/",
        "/artifacts/99999999999999999999999999/content/",
        "/proposals/1/content/",
        "/proposals/99999999999999999999/content/",
        "/checkouts/{checkout}/",
        "/checkouts/{checkout}/break/",
    ],
)
def test_what_is_foreign_or_unknown_is_not_found(as_, alice, mallory, hero, address):
    checkout = check_out(as_(alice), hero)
    response = as_(mallory).get(address.format(id=hero.pk, checkout=checkout.pk))
    assert response.status_code == 404
    assert "There is nothing here for you" in text_of(response)


@pytest.mark.parametrize("number", ["2", "0", "9223372036854775808"])
def test_an_unknown_version_is_not_found(as_, alice, hero, number):
    assert as_(alice).get(f"/artifacts/{hero.pk}/versions/{number}/content/").status_code == 404


def test_names_and_comments_are_shown_as_text(as_, alice, art):
    evil = added(alice, "<img src=x onerror=alert(1)>.psd")
    browser = as_(alice)
    check_in(browser, check_out(browser, evil, purpose="<b>why</b>"), SECOND, comment="<script>alert(2)</script>")
    for address in (f"/artifacts/{evil.pk}/", "/projects/art/", "/board/"):
        source = browser.get(address).content.decode()
        assert "<img src=x" not in source
        assert "<script>alert" not in source
        assert "<b>why" not in source


def test_every_kind_of_entry_about_a_file_has_a_sentence():
    assert set(wiring.KINDS) - set(timeline.SENTENCES) == set()


def test_only_files_that_may_have_a_preview_request_one(as_, alice, hero):
    budget = added(alice, "costs/budget.xlsx")
    assert f"/artifacts/{hero.pk}/versions/1/preview/" in page(as_(alice), hero).content.decode()
    assert "/preview/" not in page(as_(alice), budget).content.decode()
