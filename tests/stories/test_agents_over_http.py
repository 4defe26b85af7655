"""What an agent may do over HTTP, and what it may not, endpoint by endpoint."""

import re
import uuid
from typing import Any

import pytest
from django.urls import get_resolver
from rest_framework.test import APIClient

from checkouts.models import Proposal, Version
from leasehold.models import Entry, Lease, Membership, Ticket
from tests.checkouts.api.conftest import (
    API,
    SECOND,
    THIRD,
    added,
    as_,  # noqa: F401  (a fixture)
    blobs,  # noqa: F401  (a fixture)
    check_in,
    checked_out,
    content_of,
    hero,  # noqa: F401  (a fixture)
)

pytestmark = pytest.mark.usefixtures("sound")


def post(client: APIClient, path: str, **body: Any) -> Any:
    return client.post(f"{API}/{path}", body, format="json")


def open_edit(client: APIClient, artifact: dict[str, Any], **body: Any) -> dict[str, Any]:
    answer = post(client, f"artifacts/{artifact['id']}/edits/", **body)
    assert answer.status_code == 201, answer.json()
    return answer.json()


def put(client: APIClient, edit: dict[str, Any], content: bytes) -> Any:
    address = f"{API}/edits/{edit['id']}/content/"
    return client.generic("PUT", address, content, content_type="application/octet-stream")


def test_an_edit_becomes_a_version_or_a_proposal_by_policy(as_, alice, olga, planner, hero):  # noqa: F811
    agent, operator = as_(planner), as_(olga)
    assert put(agent, open_edit(agent, hero), SECOND).json()["version"]["number"] == 2
    operator.patch(f"{API}/projects/art/", {"write_policy": "propose"}, format="json")
    kept = put(agent, open_edit(agent, hero), THIRD)
    assert (kept.status_code, kept.json()["outcome"]) == (202, "proposed")
    assert agent.get(f"{API}/artifacts/{hero['id']}/").json()["head"]["number"] == 2
    proposal = kept.json()["proposal"]["id"]
    assert post(agent, f"proposals/{proposal}/accept/").status_code == 403
    assert post(operator, f"proposals/{proposal}/accept/").json()["number"] == 3
    assert content_of(as_(alice).get(f"{API}/artifacts/{hero['id']}/content/")) == THIRD
    operator.patch(f"{API}/artifacts/{hero['id']}/", {"write_policy": "direct"}, format="json")
    assert put(agent, open_edit(agent, hero), SECOND).status_code == 201


def test_an_agent_waits_while_alice_has_the_file(as_, alice, planner, hero):  # noqa: F811
    hers = checked_out(as_(alice), hero, purpose="repaint")
    refused = post(as_(planner), f"artifacts/{hero['id']}/edits/")
    assert refused.status_code == 409
    assert refused.json()["lease"]["holder"] == hers["lease"]["holder"]
    check_in(as_(alice), hers, SECOND)
    assert open_edit(as_(planner), hero)["base"]["number"] == 2


def test_a_late_edit_becomes_a_proposal(as_, alice, planner, hero, clock):  # noqa: F811
    edit = open_edit(as_(planner), hero, ttl=20)
    clock.forward(seconds=21)
    hers = checked_out(as_(alice), hero)
    refused = put(as_(planner), edit, SECOND)
    assert (refused.status_code, refused.json()["code"]) == (409, "artifact_busy")
    assert as_(planner).delete(f"{API}/edits/{edit['id']}/").status_code == 204
    lease = as_(alice).get(f"{API}/artifacts/{hero['id']}/").json()["lease"]
    assert lease == {**hers["lease"], "expires_in": lease["expires_in"]}
    assert check_in(as_(alice), hers, THIRD).json()["version"]["number"] == 2


def test_an_agent_works_through_a_ticket(as_, alice, olga, planner, hero, clock):  # noqa: F811
    agent, operator = as_(planner), as_(olga)
    drafted = post(agent, "tickets/", project="art", title="Levels", scope=["art/heroes"]).json()["id"]
    assert post(agent, f"tickets/{drafted}/start/").json()["code"] == "wrong_state"
    assert post(agent, f"tickets/{drafted}/approve/").status_code == 403
    assert post(operator, f"tickets/{drafted}/approve/").status_code == 200
    session = post(agent, f"tickets/{drafted}/start/", ttl=600).json()["id"]
    refused = post(as_(alice), f"artifacts/{hero['id']}/checkouts/")
    assert (refused.status_code, refused.json()["detail"]) == (
        409,
        f"resource scope reserved by {drafted}: art/heroes",
    )
    edit = open_edit(agent, hero, session=session)
    assert edit["session"] == session
    version = put(agent, edit, SECOND).json()["version"]
    assert version["provenance"]["session"] == session
    assert open_edit(agent, hero)["session"] == session, "also if the request does not name it"
    assert post(agent, f"artifacts/{hero['id']}/edits/", session=session + 1).status_code in (400, 409)
    assert post(agent, f"sessions/{session}/checkpoint/", note="half").status_code == 200
    assert post(agent, f"sessions/{session}/submit/").status_code == 200
    audit = operator.get(f"{API}/tickets/{drafted}/").json()["scope_audit"]
    assert "heroes/hero.psd" in str(audit)


def test_an_agent_cannot_name_anothers_session(as_, planner, hero):  # noqa: F811
    refused = post(as_(planner), f"artifacts/{hero['id']}/edits/", session=7)
    assert (refused.status_code, refused.json()["errors"][0]["field"]) == (400, "session")
    assert not Lease.objects.exclude(holder="").exists()


@pytest.fixture
def scene(as_, alice, olga, planner, hero, art, clock):  # noqa: F811
    """An agent that is an operator with an `admin` token, and one of everything that could be decided on."""
    Membership.objects.filter(user=planner).update(role="operator")
    agent = as_(planner, "admin")
    late = checked_out(as_(alice), hero, ttl=60)
    clock.forward(seconds=61)
    held = checked_out(as_(olga), hero, ttl=3600)
    kept = check_in(as_(alice), late, SECOND).json()["proposal"]["id"]
    draft = post(as_(alice), "tickets/", project="art", title="One", scope=["k1"]).json()["id"]
    review = post(as_(alice), "tickets/", project="art", title="Two", scope=["k2"]).json()["id"]
    post(as_(olga), f"tickets/{review}/approve/")
    session = post(as_(alice), f"tickets/{review}/start/").json()["id"]
    names = {"kept": kept, "draft": draft, "review": review, "session": session, "held": held["id"], "hero": hero["id"]}
    return agent, names


FORBIDDEN = [
    ("POST", "proposals/{kept}/accept/", {}),
    ("POST", "proposals/{kept}/reject/", {"reason": "no"}),
    ("POST", "proposals/{kept}/rebuild/", {}),
    ("POST", "proposals/{kept}/withdraw/", {}),
    ("PATCH", "artifacts/{hero}/", {"write_policy": "direct"}),
    ("PATCH", "projects/art/", {"write_policy": "direct"}),
    ("PATCH", "projects/art/", {"two_person": True}),
    ("POST", "tickets/{draft}/approve/", {}),
    ("POST", "tickets/{review}/accept/", {}),
    ("POST", "tickets/{review}/send-back/", {"reason": "no"}),
    ("POST", "tickets/{review}/cancel/", {"reason": "no"}),
    ("POST", "tickets/{review}/resume/", {}),
    ("POST", "sessions/{session}/stop/", {"reason": "no"}),
    ("POST", "checkouts/{held}/break/", {"reason": "mine"}),
    ("POST", "checkouts/{held}/discard/", {}),
    ("POST", "checkouts/{held}/extend/", {}),
    ("POST", "artifacts/{hero}/take-over/", {"reason": "mine"}),
    ("POST", "leases/break/", {"resource": "artifact:{hero}", "reason": "mine"}),
    ("POST", "leases/break/", {"resource": "role:critic/a", "reason": "mine"}),
    ("POST", "passes/expire/", {}),
    ("POST", "projects/", {"slug": "mine", "name": "Mine"}),
]


@pytest.mark.parametrize(("method", "path", "body"), FORBIDDEN, ids=lambda part: part if isinstance(part, str) else "")
def test_agents_cannot_decide_even_as_operators(scene, method, path, body):
    agent, names = scene
    before = Entry.objects.count()
    filled = {field: value.format(**names) if isinstance(value, str) else value for field, value in body.items()}
    answer = getattr(agent, method.lower())(f"{API}/{path.format(**names)}", filled, format="json")
    assert (answer.status_code, answer.json()["code"]) == (403, "forbidden"), answer.json()
    assert Entry.objects.count() == before
    assert Proposal.objects.get().state == "open"
    assert set(Ticket.objects.values_list("status", flat=True)) == {"DRAFT", "IN_PROGRESS"}


def test_a_write_token_reaches_as_far_as_an_editor(as_, alice, planner, hero):  # noqa: F811
    agent = as_(planner)
    assert agent.get(f"{API}/me/").json()["scope"] == "write"
    Membership.objects.filter(user=planner).update(role="operator")
    assert post(agent, "projects/art/members/", user="planner", role="operator").status_code == 403
    assert agent.delete(f"{API}/projects/art/members/alice/").status_code == 403
    assert agent.patch(f"{API}/projects/art/", {"name": "Mine"}, format="json").status_code == 403
    assert added(agent, "new.psd")["head"]["number"] == 1
    assert checked_out(agent, hero)["participant"] == "agent:planner"


def test_every_writing_endpoint_is_listed():
    """Each POST, PUT, PATCH and DELETE below /api/v1/ is in one of two lists: for editors, or forbidden to agents."""
    editors = {
        "projects/<project:slug>/artifacts/", "projects/<project:slug>/checkouts/", "artifacts/<id:pk>/",
        "artifacts/<id:pk>/unarchive/", "artifacts/<id:pk>/versions/<id:number>/restore/",
        "artifacts/<id:pk>/checkouts/", "artifacts/<id:pk>/edits/", "checkouts/<id:pk>/check-in/",
        "checkouts/<id:pk>/hand-over/", "edits/<uuid:pk>/", "edits/<uuid:pk>/content/", "tickets/", "tickets/<id:pk>/",
        "tickets/<id:pk>/start/", "sessions/<id:pk>/checkpoint/", "sessions/<id:pk>/submit/", "sessions/<id:pk>/block/",
        "passes/", "passes/renew/", "passes/release/",
        "me/", "tokens/", "tokens/<id:pk>/",  # its own account
        # by the scope of its token, above
        "projects/<project:slug>/members/", "projects/<project:slug>/members/<account:name>/",
    }  # fmt: skip
    known = {re.sub(r"<.*?>", "*", route) for route in editors}
    known |= {re.sub(r"{.*?}", "*", path).replace("projects/art/", "projects/*/") for _, path, _ in FORBIDDEN}
    for route, view in routes(get_resolver().url_patterns):
        if {"post", "put", "patch", "delete"} & set(dir(view.view_class)):
            assert re.sub(r"<.*?>", "*", route) in known, route


def routes(patterns: Any, prefix: str = "") -> Any:
    for pattern in patterns:
        route = prefix + str(pattern.pattern)
        if hasattr(pattern, "url_patterns"):
            yield from routes(pattern.url_patterns, route)
        elif route.startswith("api/v1/") and hasattr(pattern.callback, "view_class"):
            yield route.removeprefix("api/v1/"), pattern.callback


def test_an_unknown_edit_is_not_found(as_, planner, hero):  # noqa: F811
    assert put(as_(planner), {"id": uuid.uuid4()}, SECOND).status_code == 404
    assert Version.objects.count() == 1
