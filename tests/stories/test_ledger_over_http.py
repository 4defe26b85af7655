"""Two workers, one operator, and a lease that runs out, over HTTP."""

import pytest

from leasehold.models import Entry, Failure, Lease
from tests.invariants import assert_sound
from tests.leasehold.api.conftest import as_  # noqa: F401  (a fixture)

pytestmark = pytest.mark.django_db(transaction=True)
API = "/api/v1"


def test_an_operator_resumes_the_ticket_of_a_dead_worker(
    as_,  # noqa: F811
    alice,
    planner,
    olga,
    clock,
):
    worker, other, operator = as_(planner), as_(alice), as_(olga)

    def post(client, path, status, **body):
        answer = client.post(f"{API}/{path}", body, format="json")
        assert answer.status_code == status, answer.json()
        return answer.json()

    def ticket(number):
        return operator.get(f"{API}/tickets/{number}/").json()

    # create → approve → start
    mine = post(worker, "tickets/", 201, project="art", title="Relight", scope=["repo/api", "terminal-1"])
    theirs = post(other, "tickets/", 201, project="art", title="Rewrite", scope=["repo"])
    assert (mine["status"], mine["participant"], mine["sessions"]) == ("DRAFT", "agent:planner", [])
    assert post(worker, f"tickets/{mine['id']}/approve/", 403)["code"] == "forbidden"
    for one in (mine, theirs):
        assert post(operator, f"tickets/{one['id']}/approve/", 200, since=one["state_since"])["status"] == "APPROVED"
    session = post(worker, f"tickets/{mine['id']}/start/", 201, ttl=2, label="run 1")
    assert (session["status"], session["participant"], session["is_lapsed"]) == ("active", "agent:planner", False)
    assert 0 < session["expires_in"] <= 2

    # the other's overlapping start
    refusal = post(other, f"tickets/{theirs['id']}/start/", 409)
    assert refusal["code"] == "scope_reserved"
    assert refusal["detail"] == f"resource scope reserved by {mine['id']}: repo/api"
    assert refusal["reserved"] == [{"ticket": mine["id"], "keys": ["repo/api"]}]

    # one checkpoint, and then none
    clock.forward(seconds=1)
    renewed = post(worker, f"sessions/{session['id']}/checkpoint/", 200, note="half way", ttl=2)
    assert renewed["lease_until"] > session["lease_until"]
    assert renewed["checkpoints"][0]["note"] == "half way"
    assert renewed["stop_requested"] is False
    clock.forward(seconds=3)
    seen = operator.get(f"{API}/sessions/{session['id']}/").json()
    assert (seen["status"], seen["is_lapsed"], seen["expires_in"]) == ("active", True, 0)

    # any action by anyone expires the session, and a refusal of that action does not undo it
    assert post(other, f"tickets/{theirs['id']}/start/", 409)["code"] == "scope_reserved"
    blocked = ticket(mine["id"])
    assert blocked["status"] == "BLOCKED"
    assert [failure["kind"] for failure in blocked["failures"]] == ["lease_expired"]
    assert blocked["failures"][0]["session"] == session["id"]
    assert [one["status"] for one in blocked["sessions"]] == ["expired"]
    assert [key["holder"] for key in blocked["scope"]] == [f"ticket:{mine['id']}"] * 2
    assert post(worker, f"sessions/{session['id']}/checkpoint/", 409)["code"] == "lease_lost"

    # an operator resumes it; it lapses again, and is sent back
    again = post(operator, f"tickets/{mine['id']}/resume/", 201, since=blocked["state_since"])
    assert (again["participant"], again["expires_in"]) == ("agent:planner", 2)
    assert post(other, f"tickets/{theirs['id']}/start/", 409)["code"] == "scope_reserved"
    clock.forward(seconds=3)
    sent_back = post(operator, f"tickets/{mine['id']}/send-back/", 200, reason="the worker is gone")
    assert (sent_back["status"], sent_back["open_checkouts"]) == ("APPROVED", [])
    assert [failure["kind"] for failure in sent_back["failures"]] == ["sent_back", "lease_expired", "lease_expired"]
    assert {key["holder"] for key in sent_back["scope"]} == {None}

    # start by the other
    assert post(other, f"tickets/{theirs['id']}/start/", 201)["participant"] == "user:alice"
    assert Lease.objects.exclude(holder="").get().holder == f"ticket:{theirs['id']}"
    assert Failure.objects.filter(kind="lease_expired").count() == 2
    expiries = Entry.objects.filter(kind="session_expired").values_list("participant", "subject")
    assert set(expiries) == {("system:reconcile", f"ticket:{mine['id']}")}
    assert_sound()
