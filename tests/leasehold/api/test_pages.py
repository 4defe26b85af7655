from itertools import chain

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from rest_framework.test import APIRequestFactory
from rest_framework.views import APIView

from leasehold import journal
from leasehold.actors import Actor
from leasehold.api.base.pagination import cursor_page
from leasehold.database import clock
from leasehold.models import Entry

ENTRIES = "/api/v1/entries/?limit=25"


@pytest.fixture
def rows(alice, art):
    """120 entries that share one timestamp."""
    write(alice, art, 120, clock.now())
    return list(Entry.objects.values_list("id", flat=True))


def write(alice, art, count, at):
    entry = {"kind": "member_added", "at": at, "subject": "project:1", "actor": Actor(alice), "project_id": art.pk}
    journal.write_many([entry] * count)


def walk(client, url, way, between=lambda: None):
    """Return the ids of every page from `url` on, and the last page's address."""
    ids = []
    while url:
        last, answer = url, client.get(url)
        assert answer.status_code == 200
        found = [row["id"] for row in answer.json()["results"]]
        assert found
        ids.append(found)
        url = answer.json()[way]
        between()
    return ids, last


def test_forward_and_back_give_each_row_once(as_, alice, rows):
    client = as_(alice)
    forward, last = walk(client, ENTRIES, "next")
    assert [len(ids) for ids in forward] == [25, 25, 25, 25, 20]
    assert list(chain(*forward)) == rows == sorted(rows, reverse=True)
    back, first = walk(client, last, "previous")
    assert back[1:] == [forward[3], forward[2], forward[1], forward[0]]
    assert client.get(first).json()["previous"] is None
    assert walk(client, first, "next")[0] == forward


def test_rows_added_between_pages_repeat_none(as_, alice, art, rows):
    forward, last = walk(as_(alice), ENTRIES, "next", between=lambda: write(alice, art, 30, clock.now()))
    assert list(chain(*forward)) == rows
    back, _ = walk(as_(alice), last, "previous")
    seen = [row for ids in reversed(back) for row in ids]
    assert seen == sorted(set(seen), reverse=True)
    assert len(seen) == 120 + 30 * 5


def test_every_page_costs_the_same(as_, alice, rows):
    client, url, costs = as_(alice), ENTRIES, set()
    client.get(url)
    while url:
        with CaptureQueriesContext(connection) as statements:
            url = client.get(url).json()["next"]
        costs.add(len(statements))
    assert costs == {2}


def test_filters_stay_in_the_links(as_, alice, rows):
    answer = as_(alice).get(f"{ENTRIES}&kind=member_added").json()
    assert "kind=member_added" in answer["next"]
    assert "limit=25" in answer["next"]


def test_a_cursor_of_another_list_is_refused(as_, alice, rows):
    cursor = as_(alice).get(ENTRIES).json()["next"].partition("cursor=")[2]
    answer = as_(alice).get(f"/api/v1/leases/?cursor={cursor}")
    assert answer.status_code == 400


def paged(query, rows, order):
    request = APIView().initialize_request(APIRequestFactory().get(f"/list/{query}"))
    return cursor_page(request, rows, order=order, render=lambda row: row.pk)


@pytest.mark.parametrize("order", [("-at", "-id"), ("at", "id"), ("kind", "at", "id")])
def test_the_id_separates_rows_with_equal_timestamps(rows, order):
    query, ids = "?limit=7", []
    for _ in range(18):
        answer = paged(query, Entry.objects.all(), order)
        ids += answer["results"]
        query = (answer["next"] or "").removeprefix("http://testserver/list/")
    assert query == ""
    assert ids == list(Entry.objects.order_by(*order).values_list("pk", flat=True))
    assert len(ids) == 120


def test_a_page_whose_rows_are_gone_leads_back(rows):
    first = paged("?limit=100", Entry.objects.all(), ("-id",))
    beyond = first["next"].removeprefix("http://testserver/list/")
    gone = Entry.objects.filter(pk__in=first["results"])
    empty = paged(beyond, gone, ("-id",))
    assert (empty["results"], empty["next"]) == ([], None)
    last = paged(empty["previous"].removeprefix("http://testserver/list/"), gone, ("-id",))
    assert last["results"] == first["results"]

    second = paged(beyond, Entry.objects.all(), ("-id",))
    before = second["previous"].removeprefix("http://testserver/list/")
    left = Entry.objects.exclude(pk__in=first["results"])
    empty = paged(before, left, ("-id",))
    assert (empty["results"], empty["previous"]) == ([], None)
    start = paged(empty["next"].removeprefix("http://testserver/list/"), left, ("-id",))
    assert start["results"] == second["results"]
