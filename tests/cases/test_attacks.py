"""Attacks: cross-site forms, names that contain code, open redirects, planted sessions."""

import re

import pytest
from django.test import Client

from checkouts.models import Artifact, Checkout
from leasehold.models import Entry, Lease, User
from tests.cases.addresses import ROUTES, filled
from tests.cases.conftest import a_file
from tests.cases.doors import API
from tests.factories import PASSWORD
from tests.scenes import back, out, put
from tests.work import started

EVIL = "<img src=x onerror=alert(1)>\"'&{{7*7}}{% now %}.psd"
ELSEWHERE = ["//evil.example", "https://evil.example/", "/\\evil.example", "\\\\evil.example", "https:evil.example",
             "javascript:alert(1)", "http:///evil.example", "/%0d%0aX-Evil:1\r\nX-Evil: 1", "evil", "\t//evil.example",
             "//127.0.0.1@evil.example/", "\x00//evil.example"]  # fmt: skip


def changed() -> list[object]:
    tables = (Artifact, Checkout, Entry, Lease, User)
    return [list(table.objects.order_by("pk").values()) for table in tables]


def test_every_post_needs_a_csrf_token(admin, alice, olga):
    """Every route that accepts POST with a browser session, the API's too."""
    checkout = out(admin, put(alice)).checkout
    started(alice, olga, "repo")
    client = Client(enforce_csrf_checks=True)
    client.force_login(admin)
    before, heard = changed(), []
    for route in ROUTES:
        address = filled(route, "art" if "slug" in route and "/act/" not in route else str(checkout.pk))
        sent = {"reason": "x", "file": a_file(b"evil"), "path": "evil.psd", "ttl": "60", "title": "x", "row": "1"}
        response = client.post(
            address, sent, headers={"Origin": "https://evil.example", "Referer": "https://evil.example/"}
        )
        if response.status_code not in (302, 400, 403, 404, 405, 415):
            heard.append((route, response.status_code))
    assert heard == []
    assert changed() == before


@pytest.mark.parametrize("door", ["/sign-in/", "/theme/"])
@pytest.mark.parametrize("address", ELSEWHERE)
def test_next_never_redirects_to_another_site(door, address, alice, client):
    response = client.post(door, {"username": "alice", "password": PASSWORD, "theme": "dark", "next": address})
    assert response.status_code == 302
    assert re.fullmatch(r"/(?![/\\])[^\s\\]*", response.headers["Location"]), response.headers["Location"]
    assert "X-Evil" not in response.headers
    client.force_login(alice)
    response = client.get("/sign-in/", {"next": address})
    assert re.fullmatch(r"/(?![/\\])[^\s\\]*", response.headers["Location"]), response.headers["Location"]


@pytest.mark.parametrize("address", ELSEWHERE)
def test_the_admin_never_redirects_to_another_site(address, admin, client):
    client.force_login(admin)
    response = client.get("/admin/login/", {"next": address})
    assert re.fullmatch(r"/(?![/\\])[^\s\\]*|evil", response.headers["Location"]), response.headers["Location"]


def test_old_sessions_are_invalid_after_sign_in_and_sign_out(alice, client):
    """Neither a planted session, nor one's own after signing out or changing the password."""
    client.cookies["sessionid"] = planted = "a" * 32
    client.post("/sign-in/", {"username": "alice", "password": PASSWORD})
    own = client.cookies["sessionid"].value
    assert own != planted
    thief = Client()
    thief.cookies["sessionid"] = planted
    assert thief.get("/").status_code == 302
    client.post("/sign-out/")
    thief.cookies["sessionid"] = own
    assert thief.get("/").status_code == 302


def test_a_browser_session_needs_a_csrf_token_for_the_api(alice, client):
    client.force_login(alice)
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(alice)
    assert strict.get(f"{API}/me/").status_code == 200
    response = strict.post(f"{API}/tickets/", "{}", content_type="application/json")
    assert (response.status_code, response.json()["code"]) == (403, "forbidden")


def test_user_input_is_escaped_everywhere(admin, alice, olga, client):
    """File names, purposes, comments, reasons, titles, keys, names of people and projects."""
    for user in (alice, olga):
        user.name = EVIL
        user.save(update_fields=["name"])
    project = alice.memberships.get().project
    project.name = EVIL[:80]
    project.save(update_fields=["name"])
    hero = put(alice, f"{EVIL[:-4]}/{EVIL}".replace("/alert", "alert"))
    first = out(alice, hero, purpose=EVIL).checkout
    client.force_login(olga)
    client.post(f"/checkouts/{first.pk}/break/", {"reason": EVIL})
    out(olga, hero, purpose=EVIL)
    back(alice, first, "two", comment=EVIL)
    started(alice, olga, EVIL)
    client.force_login(admin)
    seen = 0
    for route in ROUTES:
        if route.startswith("/api/") or "out/" in route:
            continue
        for value in ("1", "art"):
            response = client.get(filled(route, value))
            if response.streaming or "html" not in response.headers["Content-Type"]:
                continue
            html = response.content.decode()
            seen += "onerror" in html
            assert "<img src=x" not in html, route
    assert seen > 10


def test_a_file_name_cannot_inject_a_header(alice, admin, client):
    """Quotes, separators and text that looks like a header; control characters are refused earlier."""
    hero = put(alice, 'a"b;c,d%0d%0aX-Evil: 1 – 文字.psd')
    client.force_login(admin)
    for address in (
        f"/artifacts/{hero.pk}/content/",
        f"/artifacts/{hero.pk}/versions/1/content/",
        f"/admin/checkouts/artifact/{hero.pk}/file/",
        f"{API}/artifacts/{hero.pk}/content/",
        f"{API}/artifacts/{hero.pk}/versions/1/content/",
        f"{API}/projects/art/zip/?prefix=",
    ):
        response = client.get(address)
        assert response.status_code == 200, address
        assert "X-Evil" not in response.headers
        assert response.headers["Content-Disposition"].startswith("attachment")
        assert response.headers["X-Content-Type-Options"] == "nosniff"
