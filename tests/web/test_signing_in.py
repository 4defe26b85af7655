"""Signing in and out, the theme and the time zone."""

import pytest
from django.test import Client

from leasehold.actions.sign_in import ACCOUNT_LIMIT
from tests.factories import PASSWORD
from tests.web.conftest import text_of


def sign_in(browser: Client, name: str = "alice", password: str = PASSWORD, **form: str):
    return browser.post("/sign-in/", {"username": name, "password": password, **form})


def test_alice_signs_in_and_sees_her_projects(client, alice):
    assert sign_in(client).url == "/"
    assert "Art" in text_of(client.get("/"))


def test_alice_returns_to_the_page_she_requested(client, alice):
    response = client.get("/board/?show=mine")
    assert response.url == "/sign-in/?next=/board/%3Fshow%3Dmine"
    assert sign_in(client, next="/board/?show=mine").url == "/board/?show=mine"


@pytest.mark.parametrize("elsewhere", ["https://evil.example/", "//evil.example/", "/\\evil.example", "javascript:1"])
def test_signing_in_never_redirects_to_another_site(client, alice, elsewhere):
    assert sign_in(client, next=elsewhere).url == "/"


def test_a_wrong_password_is_refused_and_the_name_is_kept(client, alice):
    response = sign_in(client, password="wrong")
    assert response.status_code == 401
    assert "do not match" in text_of(response)
    assert 'value="alice"' in response.content.decode()
    assert "wrong" not in text_of(response)


def test_after_too_many_attempts_the_page_says_how_long_to_wait(client, alice):
    for _ in range(ACCOUNT_LIMIT):
        sign_in(client, password="wrong")
    response = sign_in(client)
    assert response.status_code == 429
    assert int(response["Retry-After"]) > 0
    assert "Too many attempts. Wait 1" in text_of(response)


def test_an_agent_cannot_sign_in(client, planner):
    assert sign_in(client, "planner", "").status_code == 401


def test_signing_in_needs_the_csrf_token(alice):
    browser = Client(enforce_csrf_checks=True)
    response = sign_in(browser)
    assert response.status_code == 403
    assert "too old" in text_of(response)


def test_alice_signs_out(as_, alice):
    browser = as_(alice)
    assert browser.get("/sign-out/").status_code == 405
    assert browser.post("/sign-out/").url == "/sign-in/"
    assert browser.get("/").status_code == 302


def test_the_theme_is_kept_and_rendered_by_the_server(as_, alice):
    browser = as_(alice)
    assert "data-theme" not in browser.get("/").content.decode()
    assert browser.post("/theme/", {"theme": "dark", "next": "/board/"}).url == "/board/"
    assert 'data-theme="dark"' in browser.get("/").content.decode()
    browser.post("/theme/", {"theme": "system"})
    assert "data-theme" not in browser.get("/").content.decode()


@pytest.mark.parametrize(
    ("account", "cookie", "expected"),
    [
        ("", "", "UTC"),
        ("", "Asia/Tokyo", "JST"),
        ("Asia/Kolkata", "Asia/Tokyo", "IST"),
        ("Nowhere/Atall", "Asia/Tokyo", "JST"),
        ("", "../../etc/passwd", "UTC"),
        ("", "Europe", "UTC"),
        ("", "\x00", "UTC"),
    ],
)
def test_times_are_in_the_readers_zone(as_, alice, account, cookie, expected):
    alice.time_zone = account
    alice.save()
    browser = as_(alice)
    browser.cookies["zone"] = cookie
    text = text_of(browser.get("/"))
    assert (f"Times are yours ({expected})" if expected != "UTC" else "Times are UTC.") in text
