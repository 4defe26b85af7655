"""A file's page that stays open while others work, and a file that is selected by mistake."""

import pytest
from playwright.sync_api import expect

from checkouts.actions.breaks import break_checkout
from checkouts.actions.holds import discard
from checkouts.models import Checkout
from leasehold.actors import Actor
from tests.browser.conftest import check_out, open_heroes
from tests.browser.test_two_people import poll
from tests.scenes import back, out

pytestmark = [pytest.mark.browser, pytest.mark.usefixtures("hero")]


def test_an_open_page_shows_one_state_only(person, alice, bob, olga, hero, tmp_path):
    page = person("alice")
    mine = check_out(page, tmp_path)
    mine.write_bytes(b"hers")
    page.set_input_files("#file", mine)
    button = page.locator("#check-in button.btn-primary")
    expect(button).to_have_text("Check in as version 2")
    break_checkout(actor=Actor(olga), checkout_id=Checkout.objects.get().pk, reason="urgent")
    back(bob, out(bob, hero).checkout, "his")
    expect(page.locator("#prediction .notice:visible")).to_contain_text("Version 2 is the newest now.", timeout=15_000)
    expect(button).to_have_text("Check in")
    expect(page.locator("#newest")).to_contain_text("Version 2")
    expect(page.locator("#download")).to_contain_text("Download version 2")
    hero.refresh_from_db()
    expect(page.locator("#facts")).to_contain_text(hero.head.digest)
    same = tmp_path / "his.psd"
    same.write_bytes(b"his")
    page.set_input_files("#file", same)
    expect(page.locator("#prediction .notice:visible")).to_contain_text("Identical to version 2")
    expect(button).to_have_text("Check in, nothing new")


def test_a_check_out_in_another_tab_shows_the_check_in_form(person, alice, hero):
    page = person("alice")
    page.goto(f"/artifacts/{hero.pk}/")
    out(alice, hero)
    expect(page.locator("#check-in")).to_be_visible(timeout=15_000)


def test_another_file_type_must_be_confirmed_and_another_name_is_noted(person, alice, tmp_path):
    page = person("alice")
    check_out(page, tmp_path)
    other, again = tmp_path / "notes.txt", tmp_path / "hero4.psd"
    other.write_bytes(b"words")
    again.write_bytes(b"the second state")
    page.set_input_files("#file", other)
    expect(page.locator("[data-other-kind]")).to_contain_text("Another kind of file: notes.txt")
    expect(page.locator("#prediction")).to_be_hidden()
    page.click("#check-in button.btn-primary")
    assert Checkout.objects.get().is_open, "the box is not ticked"
    page.set_input_files("#file", again)
    expect(page.locator("[data-other-kind]")).to_be_hidden()
    expect(page.locator("#prediction")).to_be_visible()
    expect(page.locator("[data-other-name]")).to_contain_text("It is called hero4.psd; here it stays hero.psd.")
    page.click("#check-in button.btn-primary")
    expect(page.locator("#outcome")).to_contain_text("committed as version 2")


def test_a_late_check_in_of_another_type_cannot_be_kept(person, alice, bob, olga, hero, tmp_path):
    page = person("alice")
    check_out(page, tmp_path)
    keep, question = page.locator("[data-keep]"), page.locator("[data-other-kind]")
    expect(keep).to_be_visible()
    other = tmp_path / "notes.txt"
    other.write_bytes(b"words")
    page.set_input_files("#file", other)
    expect(question).to_contain_text("It would become the next version of hero.psd.", use_inner_text=True)
    expect(question).not_to_contain_text("kept as a proposal", use_inner_text=True)
    break_checkout(actor=Actor(olga), checkout_id=Checkout.objects.get().pk, reason="urgent")
    out(bob, hero)
    page.evaluate("document.activeElement.blur()")
    poll(page)
    expect(page.locator("#prediction")).to_contain_text("Yours will be kept as a proposal.")
    expect(page.locator("#prediction")).to_be_visible()
    expect(question).to_contain_text("It would be kept as a proposal for hero.psd.", use_inner_text=True)
    expect(question).not_to_contain_text("next version", use_inner_text=True)
    expect(keep).to_be_hidden()


def test_without_scripts_the_form_keeps_its_values_when_the_file_is_doubted(person, alice, tmp_path):
    page = person("alice", scripts=False)
    check_out(page, tmp_path)
    other = tmp_path / "notes.txt"
    other.write_bytes(b"words")
    page.set_input_files("#file", other)
    page.fill("#comment", "a cape")
    page.click("#check-in button.btn-primary")
    expect(page.locator("#file-wrong")).to_contain_text("another kind of file")
    expect(page.locator("#comment")).to_have_value("a cape")
    page.set_input_files("#file", other)
    page.check("[name=other]:visible")
    page.click("#check-in button.btn-primary")
    expect(page.locator("#outcome")).to_contain_text("committed as version 2")


def test_an_empty_file_must_be_confirmed(person, alice, tmp_path):
    page = person("alice")
    open_heroes(page)
    empty = tmp_path / "empty.psd"
    empty.write_bytes(b"")
    page.click("text=Add files")
    page.set_input_files("#new", empty)
    page.click("#drop button:has-text('Add')")
    row = page.locator("[data-uploads] li", has_text="empty.psd")
    expect(row).to_contain_text("It is empty (0 bytes), and was not added.")
    row.get_by_role("button", name="Add it empty").click()
    expect(row).to_contain_text("Added")
    expect(page.locator("#files")).to_contain_text("empty.psd")


def test_the_tape_stays_within_its_strip_and_follows_the_page(person, alice, bob, hero):
    out(bob, hero)
    for width in (1280, 320):
        page = person("alice", width=width)
        page.goto(f"/artifacts/{hero.pk}/")
        strip = page.locator(".tape .ground").bounding_box()
        bar = page.locator(".tape .bar-face").bounding_box()
        assert strip, "no strip"
        assert bar, "no bar"
        assert strip["x"] - 2 <= bar["x"] < bar["x"] + bar["width"] <= strip["x"] + strip["width"] + 2
        assert abs(bar["y"] - strip["y"]) < 3
    discard(actor=Actor(bob), checkout_id=Checkout.objects.get().pk)
    out(alice, hero)
    expect(page.locator(".tape .is-mine .bar-face")).to_be_visible(timeout=15_000)
    expect(page.get_by_role("img", name="held by bob once, you once")).to_be_visible()


def test_the_footers_clock_runs(person, alice):
    page = person("alice")
    page.evaluate("document.querySelector('[data-clock]').textContent = '00:00'")
    expect(page.locator("[data-clock]")).not_to_have_text("00:00", timeout=5_000)
