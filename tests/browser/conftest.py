"""Fixtures of the browser tests: Chromium, `page` for one person, and `person` for several."""

import os
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
from django.test import Client
from playwright.sync_api import BrowserContext, Page, expect, sync_playwright

from leasehold.models import User
from tests.browser.everything import Stop, set_up
from tests.factories import PASSWORD
from tests.web.conftest import added


@pytest.fixture(scope="session")
def browser(chromium):
    # Playwright's synchronous API runs an event loop in this thread, and Django would refuse ORM calls there.
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"
    arguments = ["--disable-background-networking", "--disable-component-update", "--disable-gpu"]
    if os.geteuid() == 0:
        arguments.append("--no-sandbox")
    expect.set_options(timeout=20_000)  # a busy machine is slow
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=arguments)
        yield browser
        browser.close()
    del os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"]


@pytest.fixture
def page(browser, live_server):
    context = browser.new_context(base_url=live_server.url, accept_downloads=True)
    yield context.new_page()
    context.close()


@pytest.fixture(autouse=True)
def blobs(settings, tmp_path) -> None:
    """Stores of files and previews for this test alone."""
    settings.LEASEHOLD_BLOBS = tmp_path / "blobs"
    settings.LEASEHOLD_PREVIEWS = tmp_path / "previews"


@pytest.fixture
def hero(art, alice):
    return added(alice, "heroes/hero.psd")


@pytest.fixture
def complaints() -> list[str]:
    """Everything that the browsers report: refused scripts and styles, errors of scripts, and foreign requests."""
    return []


@pytest.fixture
def context(browser, live_server, complaints):
    """`context(width=400)`: a browser context whose complaints are recorded. Nobody is signed in yet."""
    contexts: list[BrowserContext] = []

    def watched(*, scripts: bool = True, width: int = 1280, height: int = 800, **more) -> BrowserContext:
        one = browser.new_context(
            base_url=live_server.url,
            accept_downloads=True,
            java_script_enabled=scripts,
            viewport={"width": width, "height": height},
            **more,
        )
        one.set_default_timeout(20_000)
        one.on("page", lambda page: page.on("pageerror", lambda error: complaints.append(f"{page.url}: {error}")))
        one.on("console", lambda line: complaints.append(f"{line.page.url}: {line.text}") if is_refusal(line) else None)
        one.on("request", lambda request: None if is_local(request.url) else complaints.append(request.url))
        contexts.append(one)
        return one

    def is_refusal(line) -> bool:
        return "Policy" in line.text or "Refused to" in line.text

    def is_local(address: str) -> bool:
        return address.startswith((f"{live_server.url}/", "data:", "blob:"))

    yield watched
    for one in contexts:
        one.close()


@pytest.fixture
def person(context, complaints):
    """`person("alice")`: a page in which she is signed in. Any complaint of the browser fails the test."""

    def signed_in(name: str, **how) -> Page:
        page = context(**how).new_page()
        page.goto("/")
        page.fill("#username", name)
        page.fill("#password", PASSWORD)
        page.click("button:has-text('Sign in')")
        expect(page.locator("h1")).to_have_text("Projects")
        return page

    yield signed_in
    assert complaints == []


def check_out_by_key(page: Page) -> None:
    """Press c on a file or on the row of one, and wait for the download and for the file's page."""
    with page.expect_download():
        page.keyboard.press("c")
    expect(page.locator("#state-heading")).to_contain_text("You have it until")


def open_heroes(page: Page) -> None:
    page.click("a:has-text('Art')")
    page.click("th a:has-text('heroes')")
    page.wait_for_url("**folder=heroes**")  # loaded: the script handles no key before


def check_out(page: Page, folder: Path, name: str = "hero.psd") -> Path:
    """Check the file out from the list of projects, and return the path of its download."""
    open_heroes(page)
    with page.expect_download() as download:
        page.click(f"tr:has-text('{name}') button")
    expect(page.locator("#state-heading")).to_contain_text("You have it until")
    path = folder / download.value.suggested_filename
    download.value.save_as(path)
    return path


@pytest.fixture
def world(alice, bob, vera, olga, planner, mallory, admin, clock) -> SimpleNamespace:
    cast = SimpleNamespace(alice=alice, bob=bob, vera=vera, olga=olga, planner=planner, mallory=mallory, admin=admin)
    return set_up(cast, clock)


@pytest.fixture
def walk(context, live_server):
    """`for stop, page in walk(stops): …`: each stop with its page, opened by the stop's reader."""
    pages: dict[str, Page] = {}

    def signed_in(who: str, **how) -> Page:
        one = context(**how)
        if who:
            client = Client()
            client.force_login(User.objects.get_by_natural_key(who))
            one.add_cookies([{"name": "sessionid", "value": client.cookies["sessionid"].value, "url": live_server.url}])
        return one.new_page()

    def arrive(stops: list[Stop], **how) -> Iterator[tuple[Stop, Page]]:
        for stop in stops:
            page = pages.get(stop.who) or pages.setdefault(stop.who, signed_in(stop.who, **how))
            answer = page.goto(stop.path)
            assert answer.status == stop.status, f"{stop} answers {answer.status}"
            if stop.first:
                stop.first(page)
            yield stop, page

    return arrive
