"""Headless Chromium on a served Leasehold: `page` for one person, `browser` where a story has two."""

import os

import pytest
from playwright.sync_api import sync_playwright


@pytest.fixture(scope="session")
def browser(chromium):
    # Playwright's synchronous API keeps an event loop in this thread; Django then takes plain ORM calls for async ones.
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"
    arguments = ["--disable-background-networking", "--disable-component-update", "--disable-gpu"]
    if os.geteuid() == 0:
        arguments.append("--no-sandbox")
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
