"""A foreign id gets the same answer as an unknown one, at every URL that contains an id.

The URLs are read from the schema and the URLconf, so that a new endpoint is covered at once.
"""

import json
import re
from functools import cache
from typing import Any

import pytest
from drf_spectacular.generators import SchemaGenerator

from checkouts.actions.edits import open_edit
from checkouts.models import Artifact, Checkout, Edit, Proposal
from leasehold.actors import Actor
from leasehold.models import Entry, Lease, Role, Session, Ticket, Token, User
from tests.cases.addresses import ROUTES, parameters
from tests.factories import make_account, make_member, make_project
from tests.scenes import back, out, put
from tests.web.conftest import text_of
from tests.work import started

UNKNOWN = "987654321"
SAME = {"X-Request-Id": "the-same"}
NO_UUID = "0b5c8a10-0000-4000-8000-000000000000"
WRITES = ("post", "put", "patch", "delete")
BODIES = {  # what would do something, if it were allowed
    "reason": "because", "to": "mallory", "ttl": 30, "path": "mine.psd", "name": "Mine", "user": "mallory",
    "role": "operator", "write_policy": "direct", "title": "Mine", "scope": ["x"], "worker": "mallory",
    "artifacts": [1], "note": "mine",
}  # fmt: skip


@pytest.fixture
def theirs(art, token_of) -> dict[str, str]:
    """Ids, by noun, of the project `secret`: nobody of the cast is a member, and it has one row of every model."""
    secret = make_project("secret")
    sam, oona = make_account("sam"), make_account("oona")
    make_member(secret, sam, Role.EDITOR)
    make_member(secret, oona, Role.OPERATOR)
    plan = put(sam, "plan.psd", project="secret")
    late, early = out(sam, plan, ttl=1).checkout, None
    Lease.objects.filter(resource=plan.resource).update(holder="", expires_at=None)
    early = out(oona, plan).checkout
    back(oona, early, "two")
    proposal = back(sam, late, "three").proposal
    held = out(sam, plan).checkout
    session = started(sam, oona, "secret-work", project="secret")
    edited = put(sam, "other.psd", project="secret")
    edit = open_edit(actor=Actor(sam), artifact_id=edited.pk).edit
    token_of(sam)
    return {
        "artifacts": str(plan.pk), "checkouts": str(held.pk), "proposals": str(proposal.pk), "edits": str(edit.pk),
        "tickets": str(session.ticket_id), "sessions": str(session.pk), "projects": "secret",
        "tokens": str(Token.objects.get(user=sam).pk),
    }  # fmt: skip


@cache
def schema() -> dict[str, Any]:
    return SchemaGenerator().get_schema(public=True)


def operations() -> list[tuple[str, str]]:
    """(`post`, `/api/v1/artifacts/{id}/checkouts/`): every operation with an id in its path."""
    paths = schema()["paths"]
    return sorted((verb, path) for path, verbs in paths.items() if "{" in path for verb in verbs)


def at(path: str, names: dict[str, str] | None = None) -> str:
    """The path with these ids, or with unknown ones."""
    noun = path.split("/")[3]
    parts = path.replace("}", "{").split("{")
    first = (names or {}).get(noun) or (NO_UUID if noun == "edits" else "unknown" if noun == "projects" else UNKNOWN)
    rest = iter([first, "sam" if noun == "projects" else "1"])
    return "".join(next(rest) if index % 2 else part for index, part in enumerate(parts))


def ask(client: Any, verb: str, address: str, path: str) -> Any:
    if verb in WRITES:
        noun = path.rstrip("/").split("/")[-1]
        if noun in ("check-in", "content") or (noun == "artifacts" and "projects" in path):
            return client.generic(verb.upper(), f"{address}?path=a.psd", b"mine", content_type="image/png")
        return client.generic(verb.upper(), address, json.dumps(fields(path)), content_type="application/json")
    return client.get(address)


def fields(path: str) -> dict[str, Any]:
    operation = schema()["paths"][path]
    body = (operation.get("post") or operation.get("patch") or {}).get("requestBody", {}).get("content", {})
    reference = body.get("application/json", {}).get("schema", {}).get("$ref", "").rpartition("/")[2]
    known = dict(schema()["components"]["schemas"].get(reference, {}).get("properties", {}))
    if {"path", "write_policy"} <= set(known):  # one of the two
        known.pop("write_policy")
    return {name: value for name, value in BODIES.items() if name in known}


def rows() -> list[Any]:
    tables = (Artifact, Checkout, Edit, Proposal, Lease, Ticket, Session, Entry)
    return [list(table.objects.order_by("pk").values()) for table in tables]


def without_id(response: Any) -> tuple[int, dict[str, Any]]:
    body = response.json()
    body.pop("request_id")
    return response.status_code, body


@pytest.mark.parametrize("who", ["alice", "olga", "mallory", "planner"])
def test_the_api_treats_a_foreign_id_as_unknown(who, request, theirs, token_of):
    """For accounts with a strong role in their own project, and for a stranger."""
    client = token_of(request.getfixturevalue(who), "admin" if who != "planner" else "write")
    before, leaks = rows(), []
    for verb, path in operations():
        foreign, unknown = (ask(client, verb, at(path, names), path) for names in (theirs, None))
        if foreign.status_code != 404 or without_id(foreign) != without_id(unknown):
            leaks.append((verb, path, foreign.status_code, foreign.content[:300], unknown.status_code))
    assert leaks == []
    assert rows() == before


OF_WHAT = {  # a parameter of a page's address → whose id it takes
    "artifact_id": "artifacts", "checkout_id": "checkouts", "proposal_id": "proposals", "slug": "projects",
    "ticket_id": "tickets", "token_id": "tokens", "user_id": "people",
}  # fmt: skip
OTHERS = {"number": "1", "verb": "cancel", "username": "sam", "user_id": UNKNOWN, "token_id": UNKNOWN}


@pytest.mark.parametrize("who", ["olga", "mallory"])
def test_the_pages_treat_a_foreign_id_as_unknown(who, request, theirs, browser):
    """Pages about accounts are for superusers: others get the same answer for every account."""
    client, leaks, before = browser(request.getfixturevalue(who)), [], rows()
    own, none = theirs | {"people": str(User.objects.get(username="sam").pk)}, {"projects": "unknown"}
    for route in ROUTES:
        if not parameters(route) or route.startswith(("/api/", "/admin/")):
            continue
        of_theirs, of_nobody = (page_of(route, names) for names in (own, none))
        for method in ("GET", "POST"):
            foreign, unknown = (client.generic(method, address, headers=SAME) for address in (of_theirs, of_nobody))
            allowed = {403, 404} if route.startswith("/people/") else {404}
            alike = (foreign.status_code, without_time(foreign)) == (unknown.status_code, without_time(unknown))
            if foreign.status_code in (302, 405) and foreign.status_code == unknown.status_code:
                continue  # an address that takes the other method only
            if foreign.status_code not in allowed or not alike:
                leaks.append((method, route, foreign.status_code, unknown.status_code))
    assert leaks == []
    assert rows() == before


def without_time(response: Any) -> str:
    """The page's text without the server's time in the footer: a minute may pass between two requests."""
    return re.sub(r"\d\d:\d\d", "", text_of(response))


def page_of(route: str, names: dict[str, str]) -> str:
    """The route with these ids; if it has two, the first decides."""
    first, *rest = parameters(route)
    route = route.replace(f":{first}>", f":{names.get(OF_WHAT[first], UNKNOWN)}>", 1)
    for name in rest:
        route = route.replace(f":{name}>", f":{OTHERS[name]}>", 1)
    return re.sub(r"<[a-z]+:([^>]*)>", r"\1", route)


def test_a_read_only_token_changes_nothing(theirs, token_of, admin):
    """Not even a superuser's."""
    client, before, leaks = token_of(admin, "read"), rows(), []
    for path, verbs in schema()["paths"].items():
        for verb in verbs:
            if verb not in WRITES:
                continue
            response = ask(client, verb, at(path, theirs) if "{" in path else path, path)
            if (response.status_code, response.json()["code"]) != (403, "forbidden"):
                leaks.append((verb, path, response.status_code))
    assert leaks == []
    assert rows() == before


def test_without_a_token_everything_is_401(theirs, client):
    leaks = []
    for path, verbs in schema()["paths"].items():
        for verb in verbs:
            response = ask(client, verb, at(path, theirs) if "{" in path else path, path)
            if (response.status_code, response.json()["code"]) != (401, "unauthenticated"):
                leaks.append((verb, path, response.status_code))
    assert leaks == []
