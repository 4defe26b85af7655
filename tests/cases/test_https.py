"""Behind an https proxy, with the settings for an https address."""

import pytest
from django.test import Client

from tests.factories import PASSWORD


@pytest.fixture
def public(settings) -> Client:
    settings.SECURE_SSL_REDIRECT = settings.SESSION_COOKIE_SECURE = settings.CSRF_COOKIE_SECURE = True
    settings.SECURE_HSTS_SECONDS = 31_536_000
    settings.SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    settings.ALLOWED_HOSTS = ["leasehold.example", "testserver"]
    settings.CSRF_TRUSTED_ORIGINS = ["https://leasehold.example"]
    return Client(SERVER_NAME="leasehold.example", enforce_csrf_checks=True)


def test_plain_http_redirects_to_https_without_effect(public, alice):
    response = public.post("/sign-in/", {"username": "alice", "password": PASSWORD})
    assert (response.status_code, response.headers["Location"]) == (301, "https://leasehold.example/sign-in/")
    assert "sessionid" not in public.cookies


def test_the_health_check_answers_over_http(public, db):
    """The proxy's probe has no header that says https, and counts a redirect as a failure."""
    assert public.get("/healthz").status_code == 200
    assert public.get("/readyz").status_code == 200


def test_cookies_go_over_https_only(public, alice):
    https = {"HTTP_X_FORWARDED_PROTO": "https", "HTTP_ORIGIN": "https://leasehold.example"}
    page = public.get("/sign-in/", **https)
    assert page.headers["Strict-Transport-Security"].startswith("max-age=31536000")
    form = {"username": "alice", "password": PASSWORD, "csrfmiddlewaretoken": page.context["csrf_token"]}
    assert public.post("/sign-in/", form, **https).status_code == 302
    for name in ("sessionid", "csrftoken"):
        assert public.cookies[name]["secure"], name
        assert public.cookies[name]["samesite"] == "Lax", name
    assert public.cookies["sessionid"]["httponly"]


def test_another_host_is_refused_quietly(public, caplog):
    assert public.get("/", SERVER_NAME="evil.example", HTTP_X_FORWARDED_PROTO="https").status_code == 400
    assert not caplog.records
