"""Tickets and sessions in the API: fields, statuses, filters, and the limits of tokens."""

import csv
import io
import json

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from leasehold.models import Entry, Role, Ticket
from tests.factories import make_member, make_project

API = "/api/v1"


@pytest.fixture
def post(as_):
    """`post(alice, "tickets/", 201, title=…)`: post, check the status, and return the body."""

    def send(user, path, status, *, scope_of_token=None, **body):
        answer = as_(user, scope_of_token).post(f"{API}/{path}", body, format="json")
        assert answer.status_code == status, answer.json()
        return answer.json()

    return send


@pytest.fixture
def ticket(post, alice, olga):
    """Create a ticket, and approve and start it as far as `state`."""

    def make(*scope, state="DRAFT", by=alice, ttl=900, project="art"):
        made = post(by, "tickets/", 201, project=project, title="Work", scope=list(scope or ["repo"]))
        if state != "DRAFT":
            made = post(olga, f"tickets/{made['id']}/approve/", 200)
        if state == "IN_PROGRESS":
            post(by, f"tickets/{made['id']}/start/", 201, ttl=ttl)
        return made

    return make


def test_a_draft_contains_all_its_facts(post, alice):
    made = post(alice, "tickets/", 201, project="art", title="Relight", description="All", scope=["Repo", "art/heroes"])
    assert made.pop("id")
    assert made.pop("created_at") == made.pop("state_since")
    assert made == {
        "project": "art",
        "title": "Relight",
        "description": "All",
        "status": "DRAFT",
        "created_by": "alice",
        "participant": "user:alice",
        "approved_by": None,
        "scope": [
            {"key": "art/heroes", "holder": None, "acquired_at": None},
            {"key": "Repo", "holder": None, "acquired_at": None},
        ],
        "allowed": ["approve", "cancel"],
        "sessions": [],
        "failures": [],
        "scope_audit": [],
        "open_checkouts": [],
    }


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"scope": []}, "scope"),
        ({"scope": ["a/../b"]}, "scope"),
        ({"scope": [" a"]}, "scope"),
        ({"scope": "repo"}, "scope"),
        ({"scope": [7]}, "scope.0"),
        ({"scope": ["a"] * 201}, "scope"),
        ({"title": " "}, "title"),
        ({"title": "x" * 201}, "title"),
        ({"title": 7}, "title"),
        ({"title": "a\0b"}, "title"),
        ({"colour": "red"}, "colour"),
    ],
)
def test_an_impossible_ticket_is_refused_at_its_field(as_, alice, change, field):
    body = {"project": "art", "title": "Work", "scope": ["repo"]} | change
    answer = as_(alice).post(f"{API}/tickets/", body, format="json")
    assert (answer.status_code, answer.json()["code"]) == (400, "invalid")
    assert answer.json()["errors"][0]["field"].partition(".")[0] == field.partition(".")[0]
    assert not Ticket.objects.exists()


def test_viewers_cannot_draft_and_strangers_see_nothing(as_, post, ticket, vera, mallory):
    made = ticket()
    body = {"project": "art", "title": "Work", "scope": ["repo"]}
    post(vera, "tickets/", 403, **body)
    post(mallory, "tickets/", 404, **body)
    assert as_(vera).get(f"{API}/tickets/{made['id']}/").status_code == 200
    foreign = as_(mallory).get(f"{API}/tickets/{made['id']}/")
    unknown = as_(mallory).get(f"{API}/tickets/{2**63 - 1}/")
    assert foreign.status_code == unknown.status_code == 404
    assert foreign.json() | {"request_id": ""} == unknown.json() | {"request_id": ""}
    assert as_(mallory).get(f"{API}/tickets/").json()["results"] == []


def test_an_edited_scope_takes_the_approval_back(as_, ticket, alice):
    made = ticket("repo", state="APPROVED")
    address = f"{API}/tickets/{made['id']}/"
    same = as_(alice).patch(address, {"title": "Other", "scope": ["REPO"]}, format="json").json()
    assert (same["status"], same["title"], same["approved_by"]) == ("APPROVED", "Other", "olga")
    other = as_(alice).patch(address, {"scope": ["repo", "docs"]}, format="json").json()
    assert (other["status"], other["approved_by"]) == ("DRAFT", None)
    assert [key["key"] for key in other["scope"]] == ["docs", "repo"]
    assert other["state_since"] > same["state_since"]


def test_lists_leave_the_long_parts_out_and_filter(as_, post, ticket, alice, bob, olga):
    make_member(make_project("lab"), alice, Role.EDITOR)
    one, two, three = ticket("a"), ticket("b", state="APPROVED"), ticket("c", state="IN_PROGRESS", by=bob)
    four = ticket("d", project="lab")

    def ids(**query):
        return [row["id"] for row in as_(alice).get(f"{API}/tickets/", query).json()["results"]]

    assert ids() == [four["id"], three["id"], two["id"], one["id"]]
    assert ids(status="IN_PROGRESS") == [three["id"]]
    assert ids(project="lab") == [four["id"]]
    assert ids(mine="true", project="art") == [two["id"], one["id"]]
    assert as_(alice).get(f"{API}/tickets/", {"status": "OPEN"}).status_code == 400
    rows = as_(alice).get(f"{API}/tickets/").json()["results"]
    assert all(not {"sessions", "failures", "scope_audit"} & set(row) for row in rows)
    assert rows[1]["scope"][0]["holder"] == f"ticket:{three['id']}"


def test_a_list_of_any_size_takes_three_statements(as_, ticket, alice):
    for number in range(5):
        ticket(f"key-{number}", "shared")
    client = as_(alice)
    client.get(f"{API}/me/")
    with CaptureQueriesContext(connection) as seen:
        assert len(client.get(f"{API}/tickets/").json()["results"]) == 5
    assert len([query for query in seen.captured_queries if "leasehold_token" not in query["sql"]]) == 3


def test_a_key_names_the_ticket_that_reserves_it_here_or_above(as_, ticket, bob):
    holder = ticket("repo", state="IN_PROGRESS")
    waiting = ticket("repo/api", "repository", by=bob)
    row = as_(bob).get(f"{API}/tickets/{waiting['id']}/").json()
    assert [(key["key"], key["holder"]) for key in row["scope"]] == [
        ("repo/api", f"ticket:{holder['id']}"),
        ("repository", None),
    ]


def test_a_decision_on_an_old_state_is_refused(as_, post, ticket, olga, alice):
    made = ticket()
    since = made["state_since"]
    assert post(olga, f"tickets/{made['id']}/approve/", 200, since=since)["status"] == "APPROVED"
    refusal = post(olga, f"tickets/{made['id']}/cancel/", 409, reason="Old", since=since)
    assert (refusal["code"], refusal["state"]) == ("wrong_state", "APPROVED")
    assert "cancel" in refusal["allowed"]
    post(alice, f"tickets/{made['id']}/start/", 409, since=since)
    now = as_(olga).get(f"{API}/tickets/{made['id']}/").json()["state_since"]
    post(alice, f"tickets/{made['id']}/start/", 201, since=now)


@pytest.mark.parametrize("since", ["yesterday", "", 7, True, "2030-13-01T00:00:00Z", "0001-01-01T00:00:00+23:59"])
def test_a_since_that_is_no_time_is_invalid(post, ticket, olga, since):
    made = ticket()
    assert post(olga, f"tickets/{made['id']}/approve/", 400, since=since)["errors"][0]["field"] == "since"


@pytest.mark.parametrize("ttl", [-1, 0, 0.5, "900", True, 10**12, 2**63, 2_592_001])
def test_an_impossible_ttl_starts_nothing(post, ticket, alice, ttl):
    made = ticket(state="APPROVED")
    assert post(alice, f"tickets/{made['id']}/start/", 400, ttl=ttl)["errors"][0]["field"] == "ttl"
    assert Ticket.objects.get().status == "APPROVED"
    session = post(alice, f"tickets/{made['id']}/start/", 201)
    assert post(alice, f"sessions/{session['id']}/checkpoint/", 400, ttl=ttl)["errors"][0]["field"] == "ttl"


def test_the_responses_of_a_tickets_whole_life(post, ticket, alice, olga):
    made = ticket(state="APPROVED")
    session = post(alice, f"tickets/{made['id']}/start/", 201)
    assert (session["status"], session["expires_in"], session["open_checkouts"]) == ("active", 900, [])
    assert post(alice, f"tickets/{made['id']}/start/", 409)["session"] == session["id"]
    stopped = post(olga, f"sessions/{session['id']}/stop/", 200, reason="Wrong branch")
    assert (stopped["stop_requested"], stopped["stop_requested_by"]) == (True, "olga")
    renewed = post(alice, f"sessions/{session['id']}/checkpoint/", 200, note="On it")
    assert (renewed["stop_requested"], renewed["stop_reason"]) == (True, "Wrong branch")
    blocked = post(alice, f"sessions/{session['id']}/block/", 200, reason="As told")
    assert (blocked["status"], blocked["outcome"], blocked["expires_in"]) == ("blocked", "As told", 0)
    again = post(olga, f"tickets/{made['id']}/resume/", 201, worker="alice", ttl=60, label="second")
    assert (again["label"], again["worker"], again["expires_in"]) == ("second", "alice", 60)
    done = post(alice, f"sessions/{again['id']}/submit/", 200, note="Done")
    assert (done["status"], done["outcome"], done["open_checkouts"]) == ("submitted", "Done", [])
    accepted = post(olga, f"tickets/{made['id']}/accept/", 200)
    assert (accepted["status"], accepted["allowed"]) == ("DONE", [])
    assert [row["status"] for row in accepted["sessions"]] == ["submitted", "blocked"]
    assert [row["kind"] for row in accepted["failures"]] == ["blocked"]


def test_an_agents_token_works_and_decides_nothing(post, ticket, planner, olga, art):
    """It drafts, starts, checkpoints, blocks and submits, but never approves, resumes, accepts or stops."""
    art.memberships.filter(user=planner).update(role=Role.OPERATOR)
    made = ticket("a", by=planner)
    number = made["id"]
    post(planner, f"tickets/{number}/approve/", 403, scope_of_token="admin")
    post(olga, f"tickets/{number}/approve/", 200)
    session = post(planner, f"tickets/{number}/start/", 201, scope_of_token="write")
    post(planner, f"sessions/{session['id']}/checkpoint/", 200, scope_of_token="write")
    post(planner, f"sessions/{session['id']}/stop/", 403, scope_of_token="admin", reason="No")
    post(planner, f"sessions/{session['id']}/block/", 200, scope_of_token="write", reason="Cannot")
    post(planner, f"tickets/{number}/resume/", 403, scope_of_token="admin")
    post(planner, f"tickets/{number}/send-back/", 403, scope_of_token="admin", reason="No")
    post(planner, f"tickets/{number}/cancel/", 403, scope_of_token="admin", reason="No")
    again = post(olga, f"tickets/{number}/resume/", 201)
    post(planner, f"sessions/{again['id']}/submit/", 200, scope_of_token="write")
    post(planner, f"tickets/{number}/accept/", 403, scope_of_token="admin")


def test_tokens_reach_as_far_as_their_scope(post, ticket, alice, olga):
    made = ticket()
    number = made["id"]
    post(alice, "tickets/", 403, scope_of_token="read", project="art", title="x", scope=["x"])
    post(olga, f"tickets/{number}/approve/", 403, scope_of_token="write")
    post(alice, f"tickets/{number}/cancel/", 403, scope_of_token="read", reason="No")
    post(olga, f"tickets/{number}/approve/", 200)
    session = post(alice, f"tickets/{number}/start/", 201, scope_of_token="write")
    for verb, body in [("checkpoint", {}), ("submit", {}), ("block", {"reason": "x"}), ("stop", {"reason": "x"})]:
        post(alice, f"sessions/{session['id']}/{verb}/", 403, scope_of_token="read", **body)
    post(olga, f"sessions/{session['id']}/stop/", 403, scope_of_token="write", reason="x")


def test_a_lapsed_session_is_not_listed_as_active(as_, ticket, alice, bob, mallory, clock):
    """No sweeper runs."""
    clients = {user: as_(user) for user in (alice, mallory)}  # first: creating a token is an action, which reconciles
    short, long = ticket("a", state="IN_PROGRESS", ttl=60), ticket("b", state="IN_PROGRESS", by=bob)
    clock.forward(seconds=61)

    def seen(user=alice, **query):
        return [row["ticket"] for row in clients[user].get(f"{API}/sessions/", query).json()["results"]]

    assert seen() == [long["id"], short["id"]]
    assert seen(ticket=short["id"]) == [short["id"]]
    assert seen(status="active") == [long["id"]]
    assert seen(status="lapsed") == [short["id"]]
    assert seen(status="expired") == []
    assert seen(mine="true") == [short["id"]]
    assert seen(project="lab") == seen(user=mallory) == []
    assert clients[alice].get(f"{API}/sessions/", {"status": "open"}).status_code == 400
    assert clients[alice].get(f"{API}/sessions/", {"ticket": "x"}).status_code == 400
    row = clients[alice].get(f"{API}/sessions/", {"ticket": short["id"]}).json()["results"][0]
    assert (row["status"], row["is_lapsed"], row["expires_in"]) == ("active", True, 0)
    assert clients[mallory].get(f"{API}/sessions/{row['id']}/").status_code == 404
    assert clients[alice].get(f"{API}/sessions/99999/").status_code == 404


def test_a_scope_lease_names_its_active_worker_and_the_ticket(as_, ticket, alice, clock):
    client = as_(alice)
    made = ticket("repo", "terminal-1", state="IN_PROGRESS", ttl=60)
    rows = client.get(f"{API}/leases/", {"kind": "ticket"}).json()["results"]
    assert [(row["resource"], row["holder"], row["participant"], row["purpose"]) for row in rows] == [
        ("scope:repo", f"ticket:{made['id']}", "user:alice", "Work"),
        ("scope:terminal-1", f"ticket:{made['id']}", "user:alice", "Work"),
    ]
    assert {row["expires_at"] for row in rows} == {None}
    clock.forward(seconds=61)
    rows = client.get(f"{API}/leases/", {"kind": "ticket"}).json()["results"]
    assert [row["participant"] for row in rows] == [None, None]


def test_a_foreign_ticket_shows_only_its_id_and_key(as_, post, ticket, alice, bob, olga):
    lab = make_project("lab")
    for user, role in [(bob, Role.EDITOR), (olga, Role.OPERATOR)]:
        make_member(lab, user, role)
    foreign = ticket("art/heroes", "vault", state="IN_PROGRESS", by=bob, project="lab")
    rows = as_(alice).get(f"{API}/leases/", {"kind": "ticket"}).json()["results"]
    assert [(row["resource"], row["holder"], row["participant"], row["purpose"]) for row in rows] == [
        ("scope:art/heroes", f"ticket:{foreign['id']}", None, "")
    ]
    mine = ticket("art/heroes/x", state="APPROVED")
    refusal = post(alice, f"tickets/{mine['id']}/start/", 409)
    assert refusal["reserved"] == [{"ticket": foreign["id"], "keys": ["art/heroes"]}]


def test_a_page_of_leases_takes_one_statement_more_for_their_workers(as_, ticket, alice):
    ticket("repo", "terminal-1", state="IN_PROGRESS")
    client = as_(alice)
    client.get(f"{API}/me/")
    with CaptureQueriesContext(connection) as seen:
        client.get(f"{API}/leases/")
    assert len([query for query in seen.captured_queries if "leasehold_token" not in query["sql"]]) == 3


def test_the_journal_is_exported_as_json_and_as_csv(as_, ticket, vera, mallory, monkeypatch):
    monkeypatch.setattr("leasehold.api.journal.CHUNK", 2)
    made = ticket(state="IN_PROGRESS")
    kinds = ["ticket_created", "ticket_approved", "session_started"]
    query = {"subject": f"ticket:{made['id']}"}

    answer = as_(vera).get(f"{API}/entries/export/", query)
    assert answer["Content-Disposition"] == 'attachment; filename="journal.json"'
    assert [row["kind"] for row in json.loads(answer.getvalue())] == kinds
    answer = as_(vera).get(f"{API}/entries/export/", query | {"format": "csv"})
    assert answer["Content-Type"] == "text/csv; charset=utf-8"
    rows = list(csv.DictReader(io.StringIO(answer.getvalue().decode())))
    assert [row["kind"] for row in rows] == kinds
    assert json.loads(rows[2]["data"])["scope"] == ["repo"]
    assert as_(mallory).get(f"{API}/entries/export/").getvalue() == b"[]\n"
    assert as_(vera).get(f"{API}/entries/export/", {"format": "xml"}).status_code == 400
    assert Entry.objects.filter(subject=f"ticket:{made['id']}").count() == 3


def test_the_export_needs_membership_and_a_token(as_, client, ticket, vera):
    ticket()
    assert client.get(f"{API}/entries/export/").status_code == 401
    assert as_(vera).post(f"{API}/entries/export/").status_code == 405
