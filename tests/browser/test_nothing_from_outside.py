"""What the browser reports: no foreign request, no failed script, and nothing that the policy refuses."""

import pytest

from tests.browser.everything import stops_in

pytestmark = pytest.mark.browser


def test_no_page_requests_anything_foreign_or_breaks_the_policy(world, walk, complaints):
    for _, page in walk(stops_in(world)):
        page.wait_for_load_state()
    assert complaints == []


@pytest.mark.parametrize(
    ("directive", "smuggled"),
    [
        ("img-src", "Object.assign(new Image(), { src: 'http://elsewhere.example/x.png' })"),
        ("script-src", "Object.assign(document.createElement('script'), { textContent: 'document.title = 1' })"),
        ("style-src", "Object.assign(document.createElement('style'), { textContent: 'body { color: red }' })"),
    ],
)
def test_a_foreign_request_and_a_broken_policy_are_noticed(context, live_server, complaints, directive, smuggled):
    page = context().new_page()
    page.goto("/sign-in/")
    with page.expect_event("console"):
        page.evaluate(f"document.body.append({smuggled})")
    assert directive in complaints[0]
    assert page.title() != "1"
