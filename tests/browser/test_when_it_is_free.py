"""A page of a file that somebody else holds stays open: how it announces that the file is free."""

import re

import pytest
from playwright.sync_api import Page, expect

from checkouts.actions.holds import discard
from leasehold.actors import Actor
from tests.browser.test_two_people import SHOW_OR_HIDE, poll
from tests.scenes import out

pytestmark = pytest.mark.browser


@pytest.fixture
def his(bob, hero):
    """bob's check-out of the hero."""
    return out(bob, hero).checkout


def waiting(page: Page, hero) -> Page:
    page.goto(f"/artifacts/{hero.pk}/")
    page.get_by_role("button", name="Tell me when it is free").click()
    return page


def test_somebody_who_waits_is_notified_in_live_region_and_title(person, alice, bob, hero, his):
    page = waiting(person("alice"), hero)
    title = page.title()
    expect(page.locator("#tell")).to_have_attribute("aria-pressed", "true")
    expect(page.locator("#state")).to_contain_text("you are told here and in the tab’s title")
    discard(actor=Actor(bob), checkout_id=his.pk)
    poll(page)
    expect(page.locator("#outcome")).to_contain_text("hero.psd is free now.")
    expect(page).to_have_title(f"Free now: {title}")
    expect(page.get_by_role("button", name="Check out & download")).to_be_visible()


def test_the_notice_goes_when_somebody_else_is_faster(person, alice, bob, hero, his):
    page = waiting(person("alice"), hero)
    title = page.title()
    discard(actor=Actor(bob), checkout_id=his.pk)
    poll(page)
    expect(page).to_have_title(f"Free now: {title}")
    out(bob, hero)
    poll(page)
    expect(page).to_have_title(title)
    expect(page.locator("#outcome")).to_be_empty()
    expect(page.locator("#tell")).to_have_attribute("aria-pressed", "false")


def test_somebody_who_no_longer_waits_is_not_notified(person, alice, bob, hero, his):
    page = waiting(person("alice"), hero)
    title = page.title()
    page.click("#tell")
    discard(actor=Actor(bob), checkout_id=his.pk)
    poll(page)
    expect(page.locator("#state-heading")).to_have_text("Free")
    expect(page).to_have_title(title)
    expect(page.locator("#outcome")).to_be_empty()


def test_the_focus_stays_or_moves_to_the_notice(person, alice, bob, hero, his):
    page = waiting(person("alice"), hero)
    poll(page)
    expect(page.locator("#tell")).to_be_focused()
    page.locator(".crumbs a").first.focus()
    discard(actor=Actor(bob), checkout_id=his.pk)
    poll(page)
    expect(page.locator("#outcome")).to_contain_text("is free now")
    expect(page.locator(".crumbs a").first).to_be_focused()
    page.focus("#download")
    checkout = out(bob, hero).checkout
    poll(page)
    expect(page.locator("#state-heading")).to_be_focused()
    page.focus("#tell")
    discard(actor=Actor(bob), checkout_id=checkout.pk)
    poll(page)
    expect(page.locator("#state-heading")).to_be_focused()


def test_a_hidden_tab_keeps_polling_while_somebody_waits(person, alice, bob, hero, his):
    page = waiting(person("alice"), hero)
    page.evaluate(SHOW_OR_HIDE, arg=True)
    discard(actor=Actor(bob), checkout_id=his.pk)
    poll(page)
    expect(page.locator("#state-heading")).to_have_text("Free")
    expect(page).to_have_title(re.compile("^Free now: "))
    page.evaluate(SHOW_OR_HIDE, arg=False)
    expect(page.locator("#outcome")).to_contain_text("is free now")


def test_a_refusal_links_to_the_waiting_page(person, alice, bob, hero):
    page = person("alice")
    page.goto(f"/artifacts/{hero.pk}/")
    page.evaluate("window.stop(); document.getElementById('state').removeAttribute('data-hx-get')")
    out(bob, hero)
    page.get_by_role("button", name="Check out & download").click()
    page.get_by_role("link", name="Tell me when it is free").click()
    expect(page.locator("#tell")).to_have_attribute("aria-pressed", "true")


def test_a_viewer_is_not_offered_to_wait(person, vera, hero, his):
    page = person("vera")
    page.goto(f"/artifacts/{hero.pk}/")
    expect(page.locator("#state-heading")).to_contain_text("Held by bob")
    expect(page.locator("#tell")).to_have_count(0)


def test_without_scripts_waiting_is_not_offered(person, alice, hero, his):
    page = person("alice", scripts=False)
    page.goto(f"/artifacts/{hero.pk}/")
    expect(page.locator("#tell")).to_be_hidden()
    expect(page.get_by_text("This page looks every 10 seconds")).to_be_hidden()
