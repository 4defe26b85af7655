"""Sorting by column headings: links that keep the filter, the search and the folder."""

import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from checkouts.selectors import folders
from tests.web.conftest import added, check_out, text_of

ART = "/projects/art/"


@pytest.fixture
def files(alice, clock) -> None:
    for name, content in (("big.bin", b"333"), ("small.bin", b"1"), ("middle.bin", b"22")):
        added(alice, f"x/{name}", content)
        clock.forward(minutes=1)


def names(response) -> list[str]:
    assert response.status_code == 200
    return [row.artifact.name.partition(".")[0] for row in response.context["rows"]]


def heads(response) -> dict[str, tuple[str, str]]:
    """Name → its `aria-sort` and where it leads."""
    found = re.findall(
        r'<th scope="col"[^>]*?(?: aria-sort="(\w+)")?>\s*<a href="([^"]+)">(\w+)</a>', response.content.decode()
    )
    return {name: (order, href.replace("&amp;", "&")) for order, href, name in found}


def test_a_column_heading_sorts_and_then_reverses(as_, alice, files):
    browser = as_(alice)
    page = browser.get(ART, {"folder": "x"})
    assert names(page) == ["big", "middle", "small"]
    assert {name: order for name, (order, _) in heads(page).items()} == {
        "Name": "ascending", "Changed": "", "Size": "", "Holder": "",
    }  # fmt: skip
    for name, first, order in (
        ("Changed", ["middle", "small", "big"], "descending"),
        ("Size", ["big", "middle", "small"], "descending"),
        ("Holder", ["big", "middle", "small"], "ascending"),
    ):
        sorted_by_it = browser.get(heads(page)[name][1])
        assert (names(sorted_by_it), heads(sorted_by_it)[name][0]) == (first, order)
        turned = browser.get(heads(sorted_by_it)[name][1])
        assert names(turned) == first[::-1]
        assert [head for head, (order, _) in heads(turned).items() if order] == [name]
    assert names(browser.get(heads(page)["Name"][1])) == ["small", "middle", "big"]


def test_held_files_come_first_by_holder(as_, alice, bob, files):
    mine, theirs = added(alice, "x/a.bin"), added(alice, "x/z.bin")
    check_out(as_(bob), mine)
    check_out(as_(alice), theirs)
    assert names(as_(alice).get(ART, {"folder": "x", "sort": "holder"})) == ["z", "a", "big", "middle", "small"]


def test_the_order_is_kept_by_every_link(as_, alice, files, monkeypatch):
    monkeypatch.setattr(folders, "PAGE", 2)
    page = as_(alice).get(ART, {"q": "bin", "show": "free", "sort": "-size"})
    assert names(page) == ["big", "middle"]
    assert names(as_(alice).get(page.context["more"])) == ["small"]
    assert all("sort=-size" in href for _, href in page.context["tabs"])
    assert all("q=bin" in href and "show=free" in href for _, href in heads(page).values())
    assert '<input type="hidden" name="sort" value="-size">' in page.content.decode()
    top = as_(alice).get(ART, {"sort": "-size"})
    assert [one.url for one in top.context["folders"]] == ["/projects/art/?folder=x&sort=-size"]
    assert "sort" not in as_(alice).get(ART).context["folders"][0].url, (
        "the order by name is the default and not in the URL"
    )


def test_a_page_costs_the_same_in_every_order(as_, alice, files):
    browser = as_(alice)
    browser.get(ART)
    counts = set()
    for sort in ("path", "-path", "changed", "size", "holder", "-holder"):
        with CaptureQueriesContext(connection) as queries:
            browser.get(ART, {"folder": "x", "sort": sort})
        counts.add(len(queries))
    assert len(counts) == 1


@pytest.mark.parametrize("query", [{"sort": "colour"}, {"sort": "size", "after": "1/big"}, {"sort": "", "after": ""}])
def test_an_invalid_order_is_refused_with_a_page(as_, alice, query):
    response = as_(alice).get(ART, query)
    assert response.status_code == 400
    assert "Something is not as it must be" in text_of(response)
