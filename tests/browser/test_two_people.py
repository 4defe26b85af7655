"""Two people on the same page: each sees the other's work within ten seconds, without a reload."""

import pytest
from playwright.sync_api import Page, expect

from checkouts.actions.breaks import break_checkout
from checkouts.models import Checkout
from leasehold.actors import Actor
from tests import work
from tests.browser.conftest import check_out
from tests.scenes import back, out

pytestmark = pytest.mark.browser
WITHIN = 10_000
PAGES = ["/projects/art/?folder=heroes", "/artifacts/{hero}/", "/board/"]
POLLED = "#files, #state, #board"


def poll(page: Page) -> None:
    """Send the page's poll at once, which htmx sends every ten seconds, with the version that the page shows."""
    with page.expect_response(lambda answer: answer.request.headers.get("hx-request") == "true"):
        page.evaluate(f"document.querySelector('{POLLED}').dispatchEvent(new Event('refresh'))")


def test_bob_sees_alices_work_within_ten_seconds(person, alice, bob, hero):
    watcher = person("bob")
    watcher.goto("/projects/art/?folder=heroes")
    watcher.evaluate("window.isTheSame = true")
    out(alice, hero)
    expect(watcher.locator("#files")).to_contain_text("Held by alice", timeout=WITHIN + 2_000)
    assert watcher.evaluate("window.isTheSame"), "it was reloaded"


@pytest.mark.parametrize("path", PAGES, ids=["the project", "the file", "the board"])
def test_check_out_check_in_and_break_show_on_the_others_open_page(person, alice, bob, olga, hero, path):
    watcher = person("bob")
    watcher.goto(path.format(hero=hero.pk))
    watcher.evaluate("window.isTheSame = true")
    polled = watcher.locator(POLLED)

    checkout = out(alice, hero).checkout
    poll(watcher)
    expect(polled).to_contain_text("alice")
    back(alice, checkout, "two")
    poll(watcher)
    expect(polled).not_to_contain_text("alice")

    checkout = out(alice, hero).checkout
    poll(watcher)
    expect(polled).to_contain_text("alice")
    break_checkout(actor=Actor(olga), checkout_id=checkout.pk, reason="alice is away")
    poll(watcher)
    expect(polled).not_to_contain_text("alice")
    assert watcher.evaluate("window.isTheSame"), "it was reloaded"


def test_a_break_and_its_reason_show_on_the_holders_open_page(person, alice, olga, hero):
    checkout = out(alice, hero).checkout
    page = person("alice")
    page.goto(f"/artifacts/{hero.pk}/")
    expect(page.locator("#state-heading")).to_contain_text("You have it until")
    break_checkout(actor=Actor(olga), checkout_id=checkout.pk, reason="alice is away")
    poll(page)
    expect(page.locator("#lost")).to_contain_text("olga broke your check-out")
    expect(page.locator("#lost")).to_contain_text("alice is away")
    expect(page.locator("#check-in")).to_be_visible()


def test_a_message_on_top_goes_when_it_is_no_longer_true(person, alice, bob, olga, hero, tmp_path):
    page = person("alice")
    check_out(page, tmp_path)
    expect(page.locator("#outcome")).to_contain_text("hero.psd is yours until")
    poll(page)
    expect(page.locator("#outcome")).to_contain_text("hero.psd is yours until")
    break_checkout(actor=Actor(olga), checkout_id=Checkout.objects.get().pk, reason="urgent")
    out(olga, hero)
    poll(page)
    expect(page.locator("#state-heading")).to_contain_text("Held by olga")
    expect(page.locator("#outcome")).to_be_empty()


def test_a_check_in_message_loses_only_the_part_that_is_no_longer_true(person, alice, bob, hero, tmp_path):
    page = person("alice")
    mine = check_out(page, tmp_path)
    mine.write_bytes(b"hers")
    page.set_input_files("#file", mine)
    page.click("#check-in button.btn-primary")
    expect(page.locator("#outcome")).to_contain_text("It is free again.")
    out(bob, hero)
    poll(page)
    expect(page.locator("#outcome")).to_contain_text("hero.psd is committed as version 2.")
    expect(page.locator("#outcome")).not_to_contain_text("free")


def test_the_menu_and_the_download_button_follow_the_state(person, alice, bob, hero):
    checkout = out(alice, hero).checkout
    page = person("bob")
    page.goto(f"/artifacts/{hero.pk}/")
    menu = page.get_by_text("More for hero.psd")
    expect(menu).to_have_count(0)
    expect(page.locator("#state a[download]")).to_contain_text("Download to read")
    expect(page.locator("#download")).to_be_hidden()
    back(alice, checkout, "two")
    poll(page)
    expect(menu).to_have_count(1)
    expect(page.locator("#download")).to_contain_text("Download version 2")
    page.locator("summary", has=menu).click()
    expect(page.get_by_role("link", name="Archive…")).to_be_visible()
    page.keyboard.press("Escape")
    out(alice, hero)
    poll(page)
    expect(menu).to_have_count(0)
    expect(page.locator("#download")).to_be_hidden()


def test_a_poll_without_changes_is_short_and_has_no_secret_in_its_address(person, alice, hero):
    page = person("alice")
    for path in PAGES:
        page.goto(path.format(hero=hero.pk))
        with page.expect_response(lambda answer: answer.request.headers.get("hx-request") == "true") as answer:
            page.evaluate(f"document.querySelector('{POLLED}').dispatchEvent(new Event('refresh'))")
        assert answer.value.status == 304, path
        assert answer.value.url == page.url


def test_a_checkpoint_shows_on_the_tickets_open_page_and_tape(person, alice, bob, olga):
    session = work.started(bob, olga, "terminal-1")
    page = person("alice")
    page.goto(f"/tickets/{session.ticket_id}/")
    expect(page.locator(".tape .bar-face")).to_have_count(1)
    expect(page.locator(".tape .tick")).to_have_count(0)
    work.checkpoint(session, note="half of it")
    poll(page)
    expect(page.locator(".tape .tick")).to_have_count(1)


SHOW_OR_HIDE = """(isHidden) => {
    Object.defineProperty(document, "hidden", { value: isHidden, configurable: true });
    document.dispatchEvent(new Event("visibilitychange"));
}"""


def test_a_hidden_tab_does_not_poll_and_catches_up(person, alice, bob, hero):
    page = person("bob")
    page.goto("/projects/art/?folder=heroes")
    polls: list[str] = []
    page.on("request", lambda request: polls.append(request.url) if request.headers.get("hx-request") else None)
    page.evaluate(SHOW_OR_HIDE, arg=True)
    out(alice, hero)
    page.evaluate("document.getElementById('files').dispatchEvent(new Event('refresh'))")
    page.evaluate("() => new Promise((done) => setTimeout(done, 100))")
    assert polls == []
    expect(page.locator("#files")).not_to_contain_text("Held by alice")
    page.evaluate(SHOW_OR_HIDE, arg=False)
    expect(page.locator("#files")).to_contain_text("Held by alice")
    assert len(polls) == 1


def test_no_row_moves_while_somebody_selects(person, alice, bob, hero):
    page = person("bob")
    page.goto("/projects/art/?folder=heroes")
    page.check("[name=artifact]")
    out(alice, hero)
    page.evaluate("document.getElementById('files').dispatchEvent(new Event('refresh'))")
    page.evaluate("() => new Promise((done) => setTimeout(done, 100))")
    expect(page.locator("[name=artifact]")).to_be_checked()
    page.uncheck("[name=artifact]")
    page.evaluate("document.activeElement.blur()")
    poll(page)
    expect(page.locator("#files")).to_contain_text("Held by alice")
