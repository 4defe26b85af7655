"""The frame of every page: navigation and footer, which refusal pages keep."""

import pytest
from django.test import Client

from tests.web.conftest import added, text_of


@pytest.mark.parametrize("address", ["/nowhere/", "/artifacts/999999/", "/projects/none/", "/tickets/999999/"])
def test_a_missing_page_keeps_the_navigation(as_, alice, address):
    response = as_(alice).get(address)
    assert response.status_code == 404
    assert "There is nothing here for you" in text_of(response)
    assert "My desk" in text_of(response)
    assert "account menu" in text_of(response)


def test_a_csrf_failure_keeps_the_navigation(alice):
    browser = Client(enforce_csrf_checks=True)
    browser.force_login(alice)
    response = browser.post("/sign-out/")
    assert response.status_code == 403
    assert "The page that you sent was too old" in text_of(response)
    assert "account menu" in text_of(response)


def test_a_stranger_gets_the_bare_page(client, db):
    response = client.get("/nowhere/")
    assert response.status_code == 404
    assert "My desk" not in text_of(response)


def test_the_footers_clock_names_its_zone_for_the_script(as_, alice):
    browser = as_(alice)
    browser.cookies["zone"] = "Asia/Tokyo"
    assert '<time data-clock="Asia/Tokyo"' in browser.get("/").content.decode()


def test_pages_show_no_fence(as_, alice):
    added(alice, "a.psd")
    as_(alice).post("/artifacts/1/checkouts/")
    assert "Fence" not in text_of(as_(alice).get("/board/"))


def test_a_superuser_sees_all_projects_and_can_create_one(as_, alice, admin, art):
    of_all, own = as_(admin).get("/"), as_(alice).get("/")
    assert "The projects that you are in." in text_of(own)
    assert "New project" not in text_of(own)
    assert "The projects that you are in." not in text_of(of_all)
    assert "New project" in text_of(of_all)


def test_the_footer_names_the_readers_zone_once_it_is_known(as_, alice):
    browser = as_(alice)
    assert "Times are UTC." in text_of(browser.get("/"))
    browser.cookies["zone"] = "America/New_York"
    assert "Times are yours (E" in text_of(browser.get("/"))
