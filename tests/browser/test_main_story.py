"""The main job in a real browser: a file is checked out and in by two people, and nobody's work is lost."""

from pathlib import Path

import pytest
from playwright.sync_api import expect

from checkouts.models import Proposal, Version
from leasehold import leases
from leasehold.models import Lease
from tests.browser.conftest import check_out, open_heroes
from tests.web.conftest import FIRST

HERO = "hero.psd"
pytestmark = [pytest.mark.browser, pytest.mark.usefixtures("hero")]


def let_it_lapse() -> None:
    """Expire the lease by its row, because a served page uses the database's clock."""
    Lease.objects.filter(leases.is_live()).update(expires_at="2020-01-01T00:00:00Z")


@pytest.mark.parametrize("scripts", [True, False], ids=["with scripts", "without scripts"])
def test_bobs_late_check_in_becomes_a_proposal(person, alice, bob, tmp_path, scripts):
    late = person("bob", scripts=scripts)
    (tmp_path / "bob").mkdir()
    bobs = check_out(late, tmp_path / "bob")
    let_it_lapse()

    page = person("alice", scripts=scripts)
    mine = check_out(page, tmp_path)
    assert mine.name == HERO
    assert mine.read_bytes() == FIRST
    mine.write_bytes(FIRST + b", with a cape")
    page.set_input_files("#file", mine)
    expect(page.locator("#prediction .notice:visible")).to_contain_text("This will become version 2.")
    page.fill("#comment", "a cape")
    page.click("#check-in button.btn-primary")
    expect(page.locator("#outcome")).to_contain_text("hero.psd is committed as version 2. It is free again.")

    bobs.write_bytes(FIRST + b", with a hat")
    late.reload()
    late.set_input_files("#file", bobs)
    expect(late.locator("#prediction .notice:visible")).to_contain_text("Yours will be kept as a proposal.")
    late.click("#check-in button.btn-primary")
    expect(late.locator("#outcome")).to_contain_text("hero.psd is kept as proposal")

    page.reload()
    page.click("a:has-text('by bob')")
    with page.expect_download() as coming:
        page.click("a:has-text('Download the proposal')")
    assert Path(coming.value.path()).read_bytes() == bobs.read_bytes()
    assert Version.objects.count() == 2
    assert Proposal.objects.get().author == bob


def test_the_selected_file_is_compared_before_it_is_sent(person, alice, tmp_path):
    page = person("alice")
    mine = check_out(page, tmp_path)
    page.set_input_files("#file", mine)
    expect(page.locator("#prediction .notice:visible")).to_contain_text("Identical to version 1: nothing to commit.")
    (tmp_path / "empty.psd").write_bytes(b"")
    page.set_input_files("#file", tmp_path / "empty.psd")
    expect(page.locator("[data-empty]")).to_be_visible()
    page.click("#check-in button.btn-primary")
    assert Version.objects.count() == 1, "the box is not ticked"
    page.check("[data-empty] input")
    page.click("#check-in button.btn-primary")
    expect(page.locator("#outcome")).to_contain_text("committed as version 2")


def test_a_broken_connection_is_reported_and_the_retry_commits(person, alice, tmp_path):
    page = person("alice")
    mine = check_out(page, tmp_path)
    mine.write_bytes(b"the second state")
    page.route("**/check-in/", lambda route: route.abort())
    page.set_input_files("#file", mine)
    page.click("#check-in button.btn-primary")
    expect(page.locator("[data-failure]")).to_contain_text("The connection broke. Nothing was changed.")
    page.unroute("**/check-in/")
    page.click("[data-retry]")
    expect(page.locator("#outcome")).to_contain_text("committed as version 2")


def test_open_pages_show_others_work_without_reloading(person, alice, bob, olga, tmp_path):
    watcher = person("alice")
    open_heroes(watcher)
    holder = person("bob")
    check_out(holder, tmp_path)
    expect(watcher.locator("#files")).to_contain_text("Held by bob", timeout=15_000)

    operator = person("olga")
    open_heroes(operator)
    operator.click("a:has-text('Held by bob')")
    operator.click("a:has-text('Break')")
    operator.fill("#reason", "bob is away")
    operator.click("button:has-text('Break bob')")
    expect(operator.locator("#outcome")).to_contain_text("is broken")
    expect(holder.locator("#lost")).to_contain_text("olga broke your check-out", timeout=15_000)
    expect(holder.locator("#state-heading")).to_have_text("Free")


def test_files_are_added_one_by_one_and_a_taken_name_is_reported(person, alice, tmp_path):
    page = person("alice")
    open_heroes(page)
    for name in ("belt.psd", HERO, "nothing.bin"):
        (tmp_path / name).write_bytes(b"" if name == "nothing.bin" else b"x")
    page.click("text=Add files")
    page.set_input_files("#new", [tmp_path / "belt.psd", tmp_path / HERO, tmp_path / "nothing.bin"])
    page.click("#drop button:has-text('Add')")
    rows = page.locator(".uploads li")
    expect(rows.nth(2)).to_contain_text("It is empty (0 bytes), and was not added.")
    expect(rows.nth(0)).to_contain_text("Added")
    expect(rows.nth(1)).to_contain_text("There is a file of that name already")
    expect(page.locator("#files")).to_contain_text("belt.psd")


def test_a_file_dropped_on_the_page_is_selected_for_the_check_in(person, alice, tmp_path):
    page = person("alice")
    check_out(page, tmp_path)
    page.evaluate(
        """() => {
            const transfer = new DataTransfer();
            transfer.items.add(new File(["dropped"], "hero.psd"));
            for (const kind of ["dragenter", "dragover", "drop"]) {
                const target = document.querySelector("#check-in .drop");
                target.dispatchEvent(new DragEvent(kind, { bubbles: true, cancelable: true, dataTransfer: transfer }));
            }
        }"""
    )
    expect(page.locator("[data-beside]")).to_contain_text("7 B")
    page.click("#check-in button.btn-primary")
    expect(page.locator("#outcome")).to_contain_text("committed as version 2")


def test_a_page_of_somebody_signed_out_elsewhere_leads_to_sign_in(person, alice):
    page = person("alice")
    open_heroes(page)
    page.context.clear_cookies(name="sessionid")
    page.evaluate("document.getElementById('files').dispatchEvent(new Event('refresh'))")
    expect(page.locator("h1")).to_have_text("Sign in")


def test_slash_opens_the_search_and_escape_closes_it(person, alice):
    page = person("alice")
    open_heroes(page)
    page.keyboard.press("/")
    expect(page.locator("#find")).to_be_focused()
    page.keyboard.press("Escape")
    page.click("summary.who")
    expect(page.locator(".menu-list")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator(".menu-list")).to_be_hidden()
