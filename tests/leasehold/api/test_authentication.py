from base64 import b64encode

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from rest_framework.test import APIClient

from leasehold.actions.tokens import create_token, revoke_token
from leasehold.models import Token
from tests.factories import PASSWORD

ME = "/api/v1/me/"


def with_token(text):
    client = APIClient()
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {text}")
    return client


@pytest.fixture
def token(alice):
    return create_token(actor=None, user=alice, name="t")


def is_refused(answer):
    assert answer.status_code == 401
    assert answer.headers["Content-Type"] == "application/problem+json"
    assert answer.headers["WWW-Authenticate"] == 'Bearer realm="Leasehold"'
    assert answer.json()["code"] == "unauthenticated"
    return True


def test_without_a_token_every_request_is_refused(db):
    assert is_refused(APIClient().get(ME))


@pytest.mark.parametrize("text", ["", "x", "lh_" + "x" * 43, "lh_" + "x" * 8000, "lh_ü", "lh_a b", "\x00"])
def test_an_unknown_token_is_refused(db, text):
    assert is_refused(with_token(text).get(ME))


def test_a_revoked_token_is_refused(token):
    revoke_token(actor=None, token=token[0])
    assert is_refused(with_token(token[1]).get(ME))


def test_a_token_expires_by_the_databases_clock(token, clock):
    clock.forward(days=90, seconds=-5)
    assert with_token(token[1]).get(ME).status_code == 200
    clock.forward(seconds=6)
    assert is_refused(with_token(token[1]).get(ME))


def test_a_disabled_accounts_token_stops_at_once(token, alice):
    alice.is_active = False
    alice.save()
    assert is_refused(with_token(token[1]).get(ME))
    assert Token.objects.get().last_used_at is None


def test_a_disabled_accounts_browser_session_stops_at_once(alice, art):
    browser = Client()
    browser.force_login(alice)
    assert browser.get(ME).status_code == 200
    alice.is_active = False
    alice.save()
    assert is_refused(browser.get(ME))


def test_a_bad_token_is_refused_even_beside_a_good_session(alice):
    browser = Client()
    browser.force_login(alice)
    assert is_refused(browser.get(ME, headers={"Authorization": "Bearer nonsense"}))


def test_a_password_does_not_authenticate(alice):
    client = APIClient()
    basic = b64encode(f"alice:{PASSWORD}".encode()).decode()
    assert is_refused(client.get(ME, headers={"Authorization": f"Basic {basic}"}))


def test_a_token_costs_one_statement_and_one_write_an_hour(token, clock):
    client = with_token(token[1])
    client.get(ME)
    first = Token.objects.get().last_used_at
    clock.forward(minutes=59)
    with CaptureQueriesContext(
        connection,
    ) as statements:
        client.get("/api/v1/projects/")
    assert ["leasehold_token" in statement["sql"] for statement in statements] == [True, False]
    assert Token.objects.get().last_used_at == first
    clock.forward(minutes=2)
    client.get(ME)
    assert (Token.objects.get().last_used_at - first).total_seconds() > 3600


@pytest.mark.parametrize("scope", ["read", "write"])
def test_a_token_reaches_as_far_as_its_scope(as_, olga, scope):
    client = as_(olga, scope)
    assert client.get("/api/v1/projects/art/").status_code == 200
    answer = client.patch("/api/v1/projects/art/", {"name": "Mine"}, format="json")
    assert (answer.status_code, answer.json()["code"]) == (403, "forbidden")


def test_a_superusers_write_token_has_no_superuser_rights(as_, admin):
    new = {"slug": "new", "name": "New"}
    assert as_(admin, "write").post("/api/v1/projects/", new, format="json").status_code == 403


class TestTheBrowser:
    @pytest.fixture
    def browser(self, olga):
        browser = Client(enforce_csrf_checks=True)
        browser.force_login(olga)
        browser.cookies["csrftoken"] = "x" * 32
        return browser

    def rename(self, browser, **headers):
        return browser.patch(
            "/api/v1/projects/art/", '{"name": "Artwork"}', content_type="application/json", headers=headers
        )

    def test_it_reads_without_a_csrf_token(self, browser):
        assert browser.get(ME).json()["username"] == "olga"

    def test_it_writes_with_the_token_in_the_header_only(self, browser):
        refused = self.rename(browser)
        assert (refused.status_code, refused.json()["code"]) == (403, "forbidden")
        assert "X-CSRFToken" in refused.json()["detail"]
        assert self.rename(browser, **{"X-CSRFToken": "x" * 32}).status_code == 200

    def test_a_csrf_token_in_the_body_is_never_read(self, browser, monkeypatch):
        def read(*_):
            raise AssertionError("the body was read")

        monkeypatch.setattr("django.http.HttpRequest._load_post_and_files", read)
        answer = browser.post("/api/v1/projects/art/members/", {"csrfmiddlewaretoken": "x" * 32})
        assert answer.status_code == 403
