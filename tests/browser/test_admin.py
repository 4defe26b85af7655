"""The admin in a real browser: an operator checks out and in and breaks in bulk, within the content security policy."""

import pytest
from playwright.sync_api import Page, expect

from checkouts.actions.breaks import break_checkout
from checkouts.models import Checkout
from leasehold.actors import Actor
from tests.factories import PASSWORD
from tests.scenes import out, put

pytestmark = pytest.mark.browser


@pytest.fixture
def operator(page: Page, admin) -> Page:
    """Return the admin's start page, after signing in on the product's page."""
    page.set_default_timeout(20_000)
    page.goto("/admin/")
    page.get_by_label("Name").fill("admin")
    page.locator("[name=password]").fill(PASSWORD)
    page.locator("[name=password]").press("Enter")
    expect(page.get_by_role("heading", name="Administration")).to_be_visible()
    return page


def test_an_operator_checks_out_downloads_and_checks_in_again(operator, alice, tmp_path):
    put(alice, "hero.psd", "one")
    operator.goto("/admin/checkouts/artifact/")
    operator.get_by_role("link", name="Check out…").click()
    operator.get_by_role("button", name="Check out").click()
    with operator.expect_download() as download:
        operator.get_by_role("link", name="Download").click()
    changed = tmp_path / "hero.psd"
    changed.write_bytes(download.value.path().read_bytes() + b" and more")
    operator.get_by_role("link", name="Check in…").click()
    operator.locator("[name=file]").set_input_files(changed)
    operator.get_by_role("button", name="Check in").click()
    expect(operator.get_by_text("hero.psd is committed as version 2. It is free again.")).to_be_visible()


def test_a_bulk_break_reports_the_check_out_that_was_broken_before(operator, alice, bob, olga):
    complaints: list[str] = []
    operator.on("console", lambda message: complaints.append(message.text) if "Policy" in message.text else None)
    checkouts = [out(bob, put(alice, f"{name}.psd")).checkout for name in "abc"]
    operator.goto("/admin/checkouts/checkout/?state=held")
    operator.locator("#action-toggle").check()
    operator.locator("select[name=action]").select_option("break")
    operator.locator("button[name=index]").click()  # its label depends on Django's version
    break_checkout(actor=Actor(olga), checkout_id=checkouts[1].pk, reason="quicker")
    operator.locator("[name=reason]").fill("moving house")
    operator.get_by_role("button", name="Break").click()
    expect(operator.get_by_text("2 done, 1 refused.")).to_be_visible()
    expect(operator.locator(".refused")).to_contain_text(f"check-out {checkouts[1].pk}")
    reasons = Checkout.objects.order_by("pk").values_list("broken_reason", flat=True)
    assert list(reasons) == ["moving house", "quicker", "moving house"]
    for page in ("", "leasehold/ticket/", "leasehold/entry/", "leasehold/user/act/add/", "password_change/"):
        operator.goto(f"/admin/{page}")
    assert not complaints
