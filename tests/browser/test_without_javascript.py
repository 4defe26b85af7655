"""The main stories in a browser without scripts: forms and links are enough."""

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from checkouts.models import Artifact, Checkout, Proposal, Version
from leasehold.models import Ticket
from tests.browser.conftest import check_out, open_heroes
from tests.factories import PASSWORD
from tests.scenes import back, out
from tests.web.conftest import FIRST
from tests.work import draft

pytestmark = pytest.mark.browser


@pytest.fixture
def plain(person):
    """`plain("alice")`: her page, in a browser without scripts."""
    return lambda name: person(name, scripts=False)


def press(page: Page, text: str) -> None:
    page.locator(f"main button:has-text('{text}')").first.click()


def expect_message(page: Page, text: str) -> None:
    expect(page.locator("#outcome")).to_contain_text(text)


def test_whoever_is_sent_to_sign_in_comes_back_to_where_they_were_going(context, alice):
    page = context(scripts=False).new_page()
    page.goto("/board/?show=mine")
    page.fill("#username", "alice")
    page.fill("#password", PASSWORD)
    press(page, "Sign in")
    page.wait_for_url("**/board/?show=mine")
    page.click("summary.who")
    page.click("button:has-text('Sign out')")
    expect(page.locator("h1")).to_have_text("Sign in")


def test_alice_checks_out_extends_and_checks_in(plain, hero, tmp_path):
    page = plain("alice")
    file = check_out(page, tmp_path)
    press(page, "Extend")
    expect_message(page, "hero.psd")
    file.write_bytes(FIRST + b" and more")
    page.set_input_files("#file", file)
    page.fill("#comment", "more")
    page.check("[name=keep]")
    page.click("#check-in button.btn-primary")
    expect_message(page, "committed as version 2")
    assert Checkout.objects.filter(closed_at=None).count() == 1


def test_alice_discards_and_nothing_is_added(plain, hero, tmp_path):
    page = plain("alice")
    check_out(page, tmp_path)
    page.locator("#state a:has-text('Discard')").click()
    expect(page.locator("main")).to_contain_text("Your check-out ends; nothing is committed.")
    press(page, "Discard")
    expect(page.locator("#state-heading")).to_have_text("Free")
    assert Version.objects.count() == 1


def test_alice_adds_renames_archives_and_unarchives_a_file(plain, hero, tmp_path):
    page = plain("alice")
    open_heroes(page)
    (tmp_path / "belt.psd").write_bytes(b"a belt")
    page.click(".head a[href='#drop']")
    page.set_input_files("#new", tmp_path / "belt.psd")
    page.click("#drop button:has-text('Add')")
    expect(page.locator("main")).to_contain_text("belt.psd")
    belt = Artifact.objects.get(path="heroes/belt.psd")
    page.goto(f"/artifacts/{belt.pk}/")
    for verb, leads_to in (("Rename", "sash.psd"), ("Archive", "Archived"), ("Bring it back", "Free")):
        page.locator(".head details.menu summary").click()
        page.click(f".menu-list a:has-text('{verb}')")
        if verb == "Rename":
            page.fill("input[name=path]", "heroes/sash.psd")
        page.locator("main form button[type=submit]").click()
        expect(page.locator("main")).to_contain_text(leads_to)
        page.goto(f"/artifacts/{belt.pk}/")
    belt.refresh_from_db()
    assert (belt.path, belt.archived_at) == ("heroes/sash.psd", None)


def test_alice_restores_an_old_version(plain, alice, hero):
    back(alice, out(alice, hero).checkout, "worse")
    page = plain("alice")
    page.goto(f"/artifacts/{hero.pk}/")
    page.click("a:has-text('Restore version 1')")
    press(page, "Restore as version 3")
    expect_message(page, "Version 1 is back as version 3")


def test_several_files_are_checked_out_and_discarded(plain, hero, alice):
    page = plain("alice")
    open_heroes(page)
    page.check("[name=artifact]")
    with page.expect_download():
        page.locator(".bulk button:has-text('Check out')").click()
    assert Checkout.objects.filter(closed_at=None).count() == 1
    page.goto("/projects/art/?folder=heroes")
    page.check("[name=artifact]")
    page.locator(".bulk button:has-text('Discard')").click()
    press(page, "Discard")
    expect(page.locator("#outcome")).to_contain_text("nothing was committed")
    assert Checkout.objects.filter(closed_at=None).count() == 0


def test_a_ticket_goes_from_approval_to_done(plain, alice, olga):
    ticket = draft(alice, "terminal-1")
    worker, operator = plain("alice"), plain("olga")

    def post_verb(page: Page, verb: str, status: str, **fields: str) -> None:
        page.goto(f"/tickets/{ticket.pk}/")
        form = page.locator(f"#verb-{verb}")
        if form.get_attribute("open") is None:
            form.locator("summary").click()
        for name, value in fields.items():
            form.locator(f"[name={name}]").fill(value)
        form.locator("button[type=submit]").click()
        expect_message(page, f"Ticket {ticket.pk}")
        assert Ticket.objects.get(pk=ticket.pk).status == status

    post_verb(operator, "approve", "APPROVED")
    post_verb(worker, "start", "IN_PROGRESS")
    post_verb(worker, "checkpoint", "IN_PROGRESS", note="half of it")
    post_verb(worker, "submit", "REVIEW", note="all of it")
    post_verb(operator, "accept", "DONE")


def test_errors_of_a_new_ticket_are_shown_beside_its_fields(plain, alice):
    page = plain("alice")
    page.goto("/tickets/new/")
    page.fill("[name=title]", "Repaint")
    page.fill("[name=scope]", "art/heroes")
    page.locator("main form button[type=submit]").click()
    expect(page.locator("h1")).to_contain_text("Repaint")
    assert list(Ticket.objects.get().scope.values_list("key", flat=True)) == ["art/heroes"]


@pytest.mark.parametrize(("verb", "state"), [("Accept", "accepted"), ("Reject", "rejected")])
def test_olga_decides_on_a_proposal(plain, alice, bob, olga, hero, clock, verb, state):
    late = out(bob, hero, ttl=60).checkout
    clock.forward(minutes=2)
    back(alice, out(alice, hero).checkout, "two")
    kept = back(bob, late, "bob's").proposal
    page = plain("olga")
    page.goto(f"/proposals/{kept.pk}/")
    if verb == "Reject":
        page.fill("#reason", "too dark")
    press(page, verb)
    assert Proposal.objects.get(pk=kept.pk).state == state


def test_olga_breaks_bobs_check_out_with_a_reason(plain, bob, olga, hero):
    checkout = out(bob, hero).checkout
    page = plain("olga")
    open_heroes(page)
    page.click("a:has-text('Held by bob')")
    page.click("a:has-text('Break')")
    page.fill("#reason", "bob is away")
    press(page, "Break bob")
    expect(page.locator("#state-heading")).to_have_text("Free")
    checkout.refresh_from_db()
    assert checkout.broken_reason == "bob is away"


def test_a_refusal_names_the_holder_and_the_next_step(plain, alice, bob, hero):
    page = plain("alice")
    open_heroes(page)
    out(bob, hero)
    page.locator("tr:has-text('hero.psd') button").click()
    expect(page.locator("main")).to_contain_text("bob")
    expect(page.locator("main a").first).to_be_visible()


def test_extreme_names_work(plain, hero, tmp_path):
    page = plain("alice")
    open_heroes(page)
    names = ["المشهد الأول.docx", "主角的披风（最终版）.psd", "🦸🏽 emoji.blend"]
    for name in names:
        file: Path = tmp_path / name
        file.write_bytes(b"x")
        page.click(".head a[href='#drop']")
        page.set_input_files("#new", file)
        page.click("#drop button:has-text('Add')")
        page.goto("/projects/art/?folder=heroes")
        expect(page.locator("#files")).to_contain_text(name)
