import json
import re
from datetime import timedelta
from pathlib import Path

import pytest
from django.db import OperationalError
from django.test import Client
from rest_framework.test import APIClient

from leasehold import exceptions, selectors
from leasehold.api.base.problems import CODES, problem
from leasehold.database.clock import now
from leasehold.http.statuses import STATUSES
from leasehold.leases import HeldLease

KEYS = {"type", "title", "status", "code", "detail", "request_id"}


def is_problem(answer, status, code):
    assert answer.status_code == status
    assert answer.headers["Content-Type"] == "application/problem+json"
    body = answer.json()
    assert body.keys() >= KEYS
    assert (body["status"], body["code"], body["type"]) == (status, code, f"urn:leasehold:problem:{code}")
    assert body["request_id"] == answer.headers["X-Request-Id"]
    return body


@pytest.mark.parametrize("path", ["/api/", "/api/v1/", "/api/v1/nothing/", "/api/v2/me/", "/api/v1/projects/%00/"])
@pytest.mark.parametrize("method", ["get", "post", "put", "delete"])
def test_an_unknown_path_is_a_problem_in_json(db, path, method):
    is_problem(getattr(Client(), method)(path), 404, "not_found")


def test_a_path_without_its_slash_is_not_redirected(as_, admin):
    answer = as_(admin).post("/api/v1/projects", {"slug": "new", "name": "New"}, format="json")
    assert is_problem(answer, 404, "not_found")["detail"] == "Paths end with a slash: /api/v1/projects/"


def test_an_unknown_page_is_an_html_page(db):
    assert Client().get("/nothing/").headers["Content-Type"].startswith("text/html")


def test_a_wrong_method_is_a_problem(as_, alice):
    answer = as_(alice).put("/api/v1/me/", {}, format="json")
    is_problem(answer, 405, "method_not_allowed")
    assert "GET" in answer.headers["Allow"]


def test_an_unsupported_accept_header_is_a_problem(as_, alice):
    is_problem(as_(alice).get("/api/v1/me/", headers={"Accept": "text/csv"}), 406, "not_acceptable")


def test_a_browser_that_wants_html_first_gets_json(as_, alice):
    accept = "text/html,application/xhtml+xml,*/*;q=0.8"
    assert as_(alice).get("/api/v1/me/", headers={"Accept": accept}).json()["username"] == "alice"


def test_an_error_of_the_server_is_a_problem(as_, alice, monkeypatch):
    def fails(*_):
        raise ZeroDivisionError

    monkeypatch.setattr(selectors, "memberships_of", fails)
    client = as_(alice)
    client.raise_request_exception = False
    body = is_problem(client.get("/api/v1/me/"), 500, "error")
    assert "ZeroDivision" not in json.dumps(body)


def test_a_database_that_does_not_answer_is_503(as_, alice, monkeypatch):
    def fails(*_):
        raise OperationalError("database is locked")

    monkeypatch.setattr(selectors, "memberships_of", fails)
    answer = as_(alice).get("/api/v1/me/")
    is_problem(answer, 503, "try_again")
    assert answer.headers["Retry-After"] == "1"


def test_an_unknown_host_is_a_problem(db):
    is_problem(APIClient().get("/api/v1/me/", headers={"Host": "evil.example"}), 400, "invalid")


def test_the_clients_request_id_is_kept(as_, alice):
    answer = as_(alice).get("/api/v1/projects/none/", headers={"X-Request-Id": "build-7.2"})
    assert is_problem(answer, 404, "not_found")["request_id"] == "build-7.2"


def test_every_refusal_of_both_floors_has_a_status():
    def all_below(kind):
        return {kind, *(deeper for child in kind.__subclasses__() for deeper in all_below(child))}

    refusals = all_below(exceptions.Refusal) - {exceptions.Refusal}
    assert refusals == set(STATUSES)
    for refusal in refusals:
        assert "`" not in refusal().detail  # a sentence for people


def test_the_guide_lists_every_code_with_its_status_and_facts():
    guide = (Path(__file__).resolve().parents[3] / "docs" / "api.md").read_text()
    listed, facts = {}, {}
    for row in re.findall(r"^\| (`\w+`.*) \| (\d{3}[\d ·]*) \|(.*)\|$", guide, flags=re.MULTILINE):
        codes, statuses = re.findall(r"`(\w+)`", row[0]), [int(status) for status in row[1].split(" · ")]
        listed |= dict(zip(codes, statuses, strict=True))
        facts |= {code: set(re.findall(r"`(\w+)`", row[2])) for code in codes}
    codes = {code: status for status, code in CODES.items()} | {"error": 500}
    assert listed == codes | {refusal.code: status for refusal, status in STATUSES.items()}
    assert [refusal.code for refusal in STATUSES if not set(refusal.facts) <= facts[refusal.code]] == []


def lease(db_now, seconds):
    return HeldLease(
        resource="artifact:1",
        place="art/a.psd",
        holder="checkout:1:user:bob",
        participant="user:bob",
        fence=3,
        acquired_at=db_now,
        expires_at=None if seconds is None else db_now + timedelta(seconds=seconds),
        purpose="the cape",
        at=db_now,
    )


def test_a_busy_problem_names_the_lease_and_when_to_retry(db):
    at = now()
    answer = problem(exceptions.LeaseLost(lease=lease(at, 90)))
    assert answer.status_code == 409
    assert answer.headers["Retry-After"] == "90"
    facts = answer.data["lease"]
    assert (facts["holder"], facts["expires_in"], facts["fence"]) == ("checkout:1:user:bob", 90, 3)
    assert facts["acquired_at"].endswith("Z")
    names = ["resource", "holder", "kind", "participant", "purpose", "acquired_at", "expires_at", "expires_in", "fence"]
    assert list(facts) == names


def test_several_leases_retry_after_the_last_and_never_without_an_expiry(db):
    at = now()
    assert problem(exceptions.Busy(leases=[lease(at, 9), lease(at, 30)])).headers["Retry-After"] == "30"
    assert "Retry-After" not in problem(exceptions.Busy(leases=[lease(at, 9), lease(at, None)])).headers
    assert "Retry-After" not in problem(exceptions.LeaseLost()).headers
    assert problem(exceptions.LeaseLost()).data["lease"] is None


def test_throttled_says_when_to_retry():
    assert problem(exceptions.Throttled(retry_after=17)).headers["Retry-After"] == "17"


def test_an_unknown_path_is_a_problem_for_every_request(client):
    """Even a POST without a CSRF token: nothing changes there."""
    from django.test import Client

    answer = Client(enforce_csrf_checks=True).post("/api/v1/no/such/door", b"{}", content_type="application/json")
    assert answer.status_code == 404
    assert answer["Content-Type"] == "application/problem+json"
    assert answer.json()["code"] == "not_found"
