"""What stands around every page: the navigation, the clock, and a "no" that keeps both."""

import pytest
from django.test import Client

from tests.web.conftest import added, text_of


@pytest.mark.parametrize("address", ["/nowhere/", "/artifacts/999999/", "/projects/none/", "/tickets/999999/"])
def test_who_is_signed_in_keeps_the_navigation_where_there_is_nothing(as_, alice, address):
    answer = as_(alice).get(address)
    assert answer.status_code == 404
    assert "There is nothing here for you" in text_of(answer)
    assert "My desk" in text_of(answer)
    assert "account menu" in text_of(answer)


def test_who_sent_a_page_that_was_too_old_keeps_it_too(alice):
    browser = Client(enforce_csrf_checks=True)
    browser.force_login(alice)
    answer = browser.post("/sign-out/")
    assert answer.status_code == 403
    assert "The page that you sent was too old" in text_of(answer)
    assert "account menu" in text_of(answer)


def test_a_stranger_gets_the_bare_page(client, db):
    answer = client.get("/nowhere/")
    assert answer.status_code == 404
    assert "My desk" not in text_of(answer)


def test_the_footers_clock_says_its_zone_so_that_a_script_can_go_on_with_it(as_, alice):
    browser = as_(alice)
    browser.cookies["zone"] = "Asia/Tokyo"
    assert '<time data-clock="Asia/Tokyo"' in browser.get("/").content.decode()


def test_people_are_shown_no_fences(as_, alice):
    added(alice, "a.psd")
    as_(alice).post("/artifacts/1/checkouts/")
    assert "Fence" not in text_of(as_(alice).get("/board/"))


def test_a_superuser_sees_all_projects_and_may_make_one(as_, alice, admin, art):
    of_all, own = as_(admin).get("/"), as_(alice).get("/")
    assert "The projects that you are in." in text_of(own)
    assert "New project" not in text_of(own)
    assert "The projects that you are in." not in text_of(of_all)
    assert "New project" in text_of(of_all)


def test_times_are_said_to_be_the_readers_only_once_the_zone_is_known(as_, alice):
    browser = as_(alice)
    assert "Times are UTC." in text_of(browser.get("/"))
    browser.cookies["zone"] = "America/New_York"
    assert "Times are yours (E" in text_of(browser.get("/"))
