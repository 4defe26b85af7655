"""Lists in a real browser: several files at once, the keys, and what others do without a reload."""

import zipfile

import pytest
from playwright.sync_api import Page, expect

from checkouts.models import Checkout, Version
from tests.browser.conftest import open_heroes
from tests.web.conftest import added

pytestmark = pytest.mark.browser


@pytest.fixture(autouse=True)
def blobs(settings, tmp_path):
    settings.LEASEHOLD_BLOBS = tmp_path / "blobs"


@pytest.fixture(autouse=True)
def files(art, alice):
    return [added(alice, f"heroes/{name}.psd", name.encode()) for name in ("one", "two", "three")]


def tick(page: Page, *names: str) -> None:
    for name in names:
        page.get_by_label(f"Select {name}").check()


@pytest.mark.parametrize("scripts", [True, False], ids=["with scripts", "without scripts"])
def test_two_are_checked_out_as_a_zip_and_come_back_together(person, alice, tmp_path, scripts):
    page = person("alice", scripts=scripts)
    open_heroes(page)
    expect(page.locator(".bulk")).to_be_hidden()
    tick(page, "one.psd", "two.psd")
    with page.expect_download() as coming:
        page.locator(".bulk").get_by_role("button", name="Check out & download").click()
    coming.value.save_as(tmp_path / "sent.zip")
    with zipfile.ZipFile(tmp_path / "sent.zip") as sent:
        sent.extractall(tmp_path)
        assert sent.namelist() == ["heroes/one.psd", "heroes/two.psd"]
    (tmp_path / "heroes/one.psd").write_bytes(b"repainted")

    page.get_by_role("link", name="Check in files…").click()
    page.set_input_files("#back-again", [tmp_path / "heroes/one.psd", tmp_path / "heroes/two.psd"])
    page.locator("[data-check-ins]").get_by_role("button", name="Check in").click()
    expect(page.get_by_text("Committed as version 2.")).to_be_visible()
    expect(page.get_by_text("Identical to version 1: nothing to commit.")).to_be_visible()
    assert Version.objects.filter(number=2).count() == 1
    assert Checkout.objects.filter(state="open").count() == 0


def test_select_all_counts_and_turns_off_what_nothing_could_take(person, alice):
    page = person("alice")
    open_heroes(page)
    page.get_by_label("Select all").check()
    expect(page.locator("[data-picked]")).to_have_text("3 selected")
    bulk = page.locator(".bulk")
    expect(bulk.get_by_role("button", name="Discard")).to_be_disabled()
    expect(bulk.get_by_role("button", name="Check out & download")).to_be_enabled()
    bulk.get_by_role("button", name="Clear").click()
    expect(bulk).to_be_hidden()


def test_the_keys(person, alice, hero_page):
    page = person("alice")
    open_heroes(page)
    expect(page.get_by_label("Select one.psd")).to_be_visible()
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_contain_text("Check out")
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_be_hidden()
    page.keyboard.press("c")
    page.keyboard.press("/")
    expect(page.locator("#find")).to_be_focused()
    page.keyboard.type("c?i")
    expect(page.locator("#find")).to_have_value("c?i")
    assert Checkout.objects.count() == 0, "a key takes no file that nobody has pointed at"

    page.goto(hero_page)
    with page.expect_download():
        page.keyboard.press("c")
    expect(page.locator("#state-heading")).to_contain_text("You have it until")
    page.wait_for_load_state()
    page.keyboard.press("i")
    page.wait_for_url("**#check-in")


@pytest.fixture
def hero_page(files):
    return f"/artifacts/{files[0].pk}/"


def test_two_people_see_each_other_within_ten_seconds_and_nothing_moves_while_one_chooses(person, alice, bob, files):
    hers, his = person("alice"), person("bob")
    open_heroes(hers)
    his.goto("/board/")
    expect(his.get_by_text("Nobody holds anything")).to_be_visible()
    with hers.expect_download():
        hers.locator("tr", has_text="one.psd").get_by_role("button").click()
    expect(his.get_by_text("one.psd")).to_be_visible(timeout=12_000)

    open_project = his.goto("/projects/art/?folder=heroes")
    assert open_project is not None
    tick(his, "three.psd")
    hers.goto("/desk/")
    hers.get_by_role("link", name="Discard one.psd").click()
    hers.get_by_role("button", name="Discard").click()
    expect(hers.get_by_text("Your desk is empty")).to_be_visible()
    his.wait_for_timeout(11_000)
    expect(his.get_by_label("Select three.psd")).to_be_checked()
    expect(his.get_by_text("Held by alice")).to_be_visible()
    his.get_by_label("Select three.psd").uncheck()
    expect(his.get_by_text("Held by alice")).to_be_hidden(timeout=12_000)
