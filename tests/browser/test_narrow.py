"""The header in a narrow window: one line for every reader, and one menu button that leads to every page."""

import pytest
from playwright.sync_api import expect

from leasehold.models import Role
from tests.factories import make_account, make_member

pytestmark = pytest.mark.browser
LONG = "maximiliane-charlotte.hohenberg-wolfsburg"


@pytest.fixture
def people(art, alice, vera, olga, admin) -> list[str]:
    """Each account with another header: an editor, a viewer, operators, one of them with a long name, the superuser."""
    long = make_account(LONG, name="Maximiliane Charlotte Freifrau von Hohenberg-Wolfsburg zu Sulzbach")
    make_member(art, long, Role.OPERATOR)
    return ["alice", "vera", "olga", LONG, "admin"]


def test_the_header_is_one_line_with_nothing_cut_off(person, people):
    for name in people:
        page = person(name, width=320)
        for width in (320, 360, 400, 600, 1100):
            page.set_viewport_size({"width": width, "height": 600})
            box = page.locator(".bar").bounding_box()
            assert box, name
            assert box["height"] < 60, f"{name}'s head has {box['height']} px at {width} px"
            assert page.evaluate("document.documentElement.scrollWidth") <= width, f"{name}, {width} px"


def test_the_menu_opens_closes_and_links_to_every_page(person, people):
    for name in people:
        page = person(name, width=360)
        menu = page.get_by_role("button", name="Menu")
        expect(page.locator(".nav")).to_be_hidden()
        menu.click()
        expect(page.locator(".nav")).to_be_visible()
        page.keyboard.press("Escape")
        expect(page.locator(".nav")).to_be_hidden()
        expect(menu).to_be_focused()
        page.keyboard.press("Enter")
        page.get_by_role("link", name="Journal").click()
        expect(page.locator("h1")).to_have_text("Journal")


def test_the_menu_works_without_scripts(person, alice):
    page = person("alice", width=360, scripts=False)
    page.get_by_role("button", name="Menu").click()
    page.get_by_role("link", name="Board").click()
    expect(page.locator("h1")).to_have_text("Who holds what")


def test_a_wide_window_has_no_menu_button(person, alice):
    page = person("alice")
    expect(page.get_by_role("link", name="Journal")).to_be_visible()
    expect(page.locator(".nav-open")).to_be_hidden()
