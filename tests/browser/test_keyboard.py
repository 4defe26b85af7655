"""Without a mouse: Tab reaches everything with a visible focus, and the keys do what the list of keys says."""

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import check_out_by_key
from tests.scenes import out

pytestmark = pytest.mark.browser

# Where the focus is, and whether one sees it there.
WHERE = """() => {
    const here = document.activeElement;
    if (here === document.body) return null;
    const { outlineStyle, outlineWidth } = getComputedStyle(here);
    const isSeen = outlineStyle !== "none" && parseFloat(outlineWidth) >= 2;
    return { name: here.outerHTML.slice(0, 90), index: window.stops.indexOf(here), isSeen };
}"""
STOPS = """() => {
    const may = "a[href], button, input:not([type=hidden]), select, textarea, summary, [tabindex='0']";
    window.stops = [...document.querySelectorAll(may)].filter((one) => !one.disabled
        && one.checkVisibility({ visibilityProperty: true }));
    return window.stops.map((one) => one.outerHTML.slice(0, 90));
}"""


@pytest.mark.parametrize(
    "path", ["/projects/art/?folder=heroes", "/artifacts/{hero}/"], ids=["the project", "the file"]
)
def test_tab_reaches_everything_with_a_visible_focus(person, alice, hero, path):
    out(alice, hero)
    page = person("alice")
    page.goto(path.format(hero=hero.pk))
    stops = page.evaluate(STOPS)
    reached, unseen = set(), []
    for _ in range(len(stops) + 5):
        page.keyboard.press("Tab")
        here = page.evaluate(WHERE)
        if here is None:
            break
        reached.add(here["index"])
        if not here["isSeen"]:
            unseen.append(here["name"])
    assert [stop for index, stop in enumerate(stops) if index not in reached] == []
    assert unseen == []


def test_the_first_tab_skips_the_navigation(person, alice, hero):
    page = person("alice")
    page.keyboard.press("Tab")
    expect(page.locator(".skip")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("#main")).to_be_focused()


def test_c_and_i_work_on_the_focused_row(person, alice, hero):
    page = person("alice")
    page.goto("/projects/art/?folder=heroes")
    page.focus("#files tbody a:has-text('hero.psd')")
    check_out_by_key(page)
    page.goto("/projects/art/?folder=heroes")
    page.focus("#files tbody a:has-text('hero.psd')")
    page.keyboard.press("i")
    expect(page.locator("#check-in")).to_be_visible()


def test_c_and_i_work_on_a_files_page(person, alice, hero):
    page = person("alice")
    page.goto(f"/artifacts/{hero.pk}/")
    check_out_by_key(page)
    page.wait_for_load_state()
    page.keyboard.press("i")
    page.wait_for_url("**#check-in")


def test_the_keys_do_nothing_in_inputs(person, alice, hero):
    page = person("alice")
    page.goto("/projects/art/?folder=heroes")
    page.keyboard.press("/")
    expect(page.locator("#find")).to_be_focused()
    page.keyboard.type("c/i?")
    expect(page.locator("#find")).to_have_value("c/i?")
    page.keyboard.press("Escape")
    expect(page.locator("#find")).not_to_be_focused()


def test_the_question_mark_lists_the_keys_and_escape_restores_the_focus(person, alice, hero):
    page = person("alice")
    page.goto("/projects/art/?folder=heroes")
    page.focus("#files tbody a:has-text('hero.psd')")
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keys")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog", name="Keys")).to_be_hidden()
    expect(page.locator("#files tbody a:has-text('hero.psd')")).to_be_focused()


def test_escape_closes_the_menu_and_the_add_form(person, alice, hero):
    page = person("alice")
    page.goto(f"/artifacts/{hero.pk}/")
    menu = page.locator(".head details.menu")
    menu.locator("summary").press("Enter")
    expect(menu.locator(".menu-list")).to_be_visible()
    page.keyboard.press("Escape")
    expect(menu.locator(".menu-list")).to_be_hidden()
    expect(menu.locator("summary")).to_be_focused()
    page.goto("/projects/art/")
    page.click("text=Add files")
    expect(page.locator("#drop")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator("#drop")).to_be_hidden()
