"""Lists in a real browser: several files at once, the keys, and others' work without a reload."""

import io
import zipfile

import pytest
from PIL import Image
from playwright.sync_api import Page, expect

from checkouts.models import Checkout, Version
from tests.browser.conftest import check_out_by_key, open_heroes
from tests.scenes import out
from tests.web.conftest import added

pytestmark = pytest.mark.browser


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


def test_check_ins_on_the_desk_report_on_top_and_update_every_count(person, alice, files, tmp_path):
    for file in files:
        out(alice, file)
    page = person("alice")
    page.goto("/desk/")
    expect(page.locator("#desk-says")).to_contain_text("You hold 3 files.")
    expect(page.locator("#desk-count")).to_contain_text("3")
    (tmp_path / "one.psd").write_bytes(b"repainted")
    page.locator(".head").get_by_role("link", name="Check in files…").click()
    page.set_input_files("#back-again", tmp_path / "one.psd")
    page.locator("[data-check-ins]").get_by_role("button", name="Check in").click()
    results = page.locator("[data-uploads]")
    expect(results).to_contain_text("Committed as version 2.")
    expect(results).to_be_in_viewport()
    expect(page.locator("#desk-says")).to_contain_text("You hold 2 files.")
    expect(page.locator("#desk-count")).to_contain_text("2")
    assert results.bounding_box()["y"] < page.locator("#desk").bounding_box()["y"]


def test_select_all_counts_rows_and_disables_useless_buttons(person, alice):
    page = person("alice")
    open_heroes(page)
    page.get_by_label("Select all").check()
    expect(page.locator("[data-picked]")).to_have_text("3 selected")
    bulk = page.locator(".bulk")
    expect(bulk.get_by_role("button", name="Discard")).to_be_disabled()
    expect(bulk.get_by_role("button", name="Check out & download")).to_be_enabled()
    bulk.get_by_role("button", name="Clear").click()
    expect(bulk).to_be_hidden()


def test_the_keys_of_a_list(person, alice, hero_page):
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
    check_out_by_key(page)
    page.wait_for_load_state()
    page.keyboard.press("i")
    page.wait_for_url("**#check-in")


@pytest.fixture
def hero_page(files):
    return f"/artifacts/{files[0].pk}/"


def test_polling_shows_others_work_but_moves_no_row_while_rows_are_selected(person, alice, bob, files):
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


@pytest.mark.parametrize("scripts", [True, False], ids=["with scripts", "without scripts"])
def test_a_click_on_a_heading_sorts_and_another_reverses(person, alice, scripts):
    added(alice, "heroes/a-long-one.bin", b"many bytes")
    page = person("alice", scripts=scripts)
    open_heroes(page)
    rows = page.locator("tbody th a bdi")
    expect(rows).to_have_text(["a-long-one.bin", "one.psd", "three.psd", "two.psd"])
    page.get_by_role("link", name="Size", exact=True).click()
    expect(rows).to_have_text(["a-long-one.bin", "three.psd", "two.psd", "one.psd"])
    expect(page.get_by_role("columnheader", name="Size")).to_have_attribute("aria-sort", "descending")
    page.get_by_role("link", name="Size", exact=True).click()
    expect(rows).to_have_text(["one.psd", "two.psd", "three.psd", "a-long-one.bin"])
    page.get_by_role("link", name="Free", exact=True).click()
    expect(page.get_by_role("columnheader", name="Size")).to_have_attribute("aria-sort", "ascending")


def test_on_a_phone_the_headings_are_a_line_above_the_cards(person, alice):
    page = person("alice", width=360)
    open_heroes(page)
    page.get_by_role("link", name="Changed", exact=True).click()
    expect(page.locator("tbody th a bdi")).to_have_text(["three.psd", "two.psd", "one.psd"])


def test_thumbnails_are_cached_and_files_without_one_keep_their_icon(person, alice, complaints):
    buffer = io.BytesIO()
    Image.new("RGB", (300, 200), (20, 160, 80)).save(buffer, "PNG")
    for number in range(3):
        added(alice, f"heroes/{number}.png", buffer.getvalue())
    page = person("alice")
    page.on("console", lambda line: complaints.append(line.text))
    open_heroes(page)
    seen(page, [80, 80, 80, 1, 1, 1])  # those that were queued have been requested again
    for _ in range(2):
        page.reload()
        seen(page, [80, 80, 80, 1, 1, 1])
    assert page.evaluate(f"{ASKED_FOR}.map((one) => one.transferSize)") == [0] * 6, "of the browser's own store"


ASKED_FOR = "performance.getEntriesByType('resource').filter((one) => one.name.includes('/thumbnail/'))"


def seen(page: Page, widths: list[int]) -> None:
    """Wait until the rows' pictures have these widths; a transparent pixel shows the icon below it."""
    for _ in range(600):
        found = page.evaluate("[...document.querySelectorAll('.mini img')].map((image) => image.naturalWidth)")
        if found == widths:
            return
        page.wait_for_timeout(100)
    raise AssertionError(found)
