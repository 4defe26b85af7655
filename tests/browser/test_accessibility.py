"""Every page in light and dark, wide and narrow: axe-core finds nothing serious, and nothing scrolls sideways."""

from pathlib import Path
from types import SimpleNamespace
from typing import Literal

import pytest
from django.test import Client
from django.urls import NoReverseMatch, URLPattern, reverse
from playwright.sync_api import Page

from checkouts.web import urls as upper
from leasehold.web import urls as lower
from tests.browser.everything import stops_in

pytestmark = pytest.mark.browser
AXE = (Path(__file__).parent / "vendor" / "axe.min.js").read_text()
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
GRAVE = ("serious", "critical")
NOT_OURS = "api-docs"  # Swagger UI as it is shipped; docs/api.md and the schema say the same


def test_every_page_is_accessible_and_does_not_scroll_sideways(world, walk):
    faults = []
    ours = [stop for stop in stops_in(world) if stop.name != NOT_OURS]
    for stop, page in walk(ours, reduced_motion="reduce"):
        page.evaluate("for (const one of document.querySelectorAll('details.decide')) one.open = true")
        page.evaluate(AXE)
        faults += [f"{stop}, light: {fault}" for fault in found_on(page)]
        look(page, "dark", 400)
        faults += [f"{stop}, dark, 400 px: {fault}" for fault in found_on(page)]
        look(page, "light", 320)
        faults += [f"{stop}, 320 px: {fault}" for fault in wider_than_the_window(page)]
        look(page, "light", 1280)
    assert not faults, "\n".join(faults)


def look(page: Page, scheme: Literal["light", "dark"], width: int) -> None:
    """Set the theme, and wait until it shows: the admin fades from one colour to the other."""
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size({"width": width, "height": 800})
    page.evaluate("for (const one of document.getAnimations()) if (one instanceof CSSTransition) one.finish()")


def found_on(page: Page) -> list[str]:
    violations = page.evaluate("rules => axe.run({ runOnly: rules, resultTypes: ['violations'] })", RULES)["violations"]
    return [
        f"{one['id']} ({one['impact']}) {node['target']} {node['failureSummary']}"
        for one in violations
        if one["impact"] in GRAVE
        for node in one["nodes"][:3]
    ]


def wider_than_the_window(page: Page) -> list[str]:
    return page.evaluate(
        """() => {
            if (document.documentElement.scrollWidth <= innerWidth) return [];
            const reach = (one) => one.getBoundingClientRect().right;
            const wide = [...document.body.querySelectorAll("*")].filter((one) => reach(one) > innerWidth + 1);
            return wide.slice(0, 3).map((one) => `${one.tagName}.${one.className} reaches ${reach(one)}`);
        }"""
    )


def test_every_page_of_the_urlconf_is_tested(world):
    """Every other address of the URLconf answers a GET without a page; else it belongs in `everything`."""
    looked_at = {stop.name for stop in stops_in(world)}
    missing = [
        pattern.name
        for pattern in [*lower.urlpatterns, *upper.urlpatterns]
        if pattern.name not in looked_at and is_a_page(pattern, world)
    ]
    assert not missing, f"tests/browser/everything.py has no stop at {missing}"


def is_a_page(pattern: URLPattern, world: SimpleNamespace) -> bool:
    known = {
        "slug": "art", "username": "vera", "user_id": world.cast.bob.pk, "token_id": 1, "verb": "cancel", "number": 1,
        "artifact_id": world.files.free.pk, "checkout_id": world.bobs.pk, "proposal_id": world.newest.pk,
        "ticket_id": world.tickets["DRAFT"].pk,
    }  # fmt: skip
    try:
        path = reverse(pattern.name, kwargs={name: known.get(name) for name in pattern.pattern.converters})
    except NoReverseMatch:
        return True  # a new address counts as a page until it has a stop
    client = Client()
    client.force_login(world.cast.admin)
    answer = client.get(path)
    return answer.status_code == 200 and answer["Content-Type"].startswith("text/html")
