"""No value in a URL, query, cookie or body causes a server error, whoever sends it by whichever method.

The routes are read from the URLconf and the queries from the schema, so that a new endpoint is covered at once.
"""

import json
from collections.abc import Iterable
from typing import Any

import pytest
from drf_spectacular.generators import SchemaGenerator

from tests.cases.addresses import ROUTES, filled, parameters
from tests.scenes import out, put
from tests.work import started

METHODS = ["HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PROPFIND"]
SEGMENTS = ["0", "1", "-1", str(2**63), "9" * 4_301, "a%00b", "%ff%fe", "%0d%0aX-Evil:1",
            "%7B0b5c8a10-0000-4000-8000-000000000000%7D"]  # fmt: skip
VALUES = ["", "a%00b", "%ED%A0%80", "-1", "9" * 4_301]
PAGES = {  # what pages and the admin's lists look for in their queries
    "/": ["next", "folder", "q", "after", "show", "before", "verb", "actor", "checkouts", "mine", "kind", "project",
          "scope", "subject"],
    "/admin/": ["q", "p", "e", "o", "row", "_changelist_filters", "next", "after", "before", "project", "held", "state",
                "kind", "status", "app_label", "is_active__exact", "id__in"],
}  # fmt: skip
BODIES = [
    ("application/json", b""),
    ("application/json", b'{"reason": "\\u0000", "ttl": 1e400, "scope": [null], "path": "\\ud800"}'),
    ("application/json", b"[" * 100_000),
    ("application/x-www-form-urlencoded", b"action=%00&ttl=-1&reason=%00&row=1&_selected_action=%00&seen=%FF&file=x"),
    ("application/x-www-form-urlencoded", b"username=%00&password=%00&next=%00&theme=%00&path=%00&purpose=%00&to=%00"),
    ("application/x-www-form-urlencoded", b"row=1&seen=0001-01-01T00:00:00%2B23:59&reason=x&hours=1e9&days=9999999999"),
    ("multipart/form-data; boundary=x", b'--x\r\nContent-Disposition: form-data; name="file"\r\n\r\nno end'),
    ("multipart/form-data", b""),
    ("text/ä", b"\x1f\x8b\x08"),
]  # fmt: skip


@pytest.fixture
def house(admin, alice, olga, client):
    """One row of every model, so that the id 1 often exists, and a signed-in account that may see everything."""
    out(alice, put(alice))
    started(alice, olga, "repo")
    client.raise_request_exception = False
    client.force_login(admin)
    return client


def faults(client: Any, requests: Iterable[tuple[str, str, dict[str, Any]]]) -> list[str]:
    """Return the unexpected responses. After signing out, sign in again."""
    found, cookies = [], dict(client.cookies)
    for method, address, sent in requests:
        response = client.generic(method, address, **sent)
        client.cookies.update(cookies)
        if response.status_code >= 500 or "X-Evil" in response.headers:
            found.append(f"{method} {address[:200]}: {response.status_code}")
        elif (
            address.startswith("/api/")
            and response.status_code >= 400
            and method != "HEAD"
            and not is_problem(response)
        ):
            found.append(f"{method} {address[:200]}: {response.status_code} is no problem+json")
    return found


def is_problem(response: Any) -> bool:
    try:
        return response.headers["Content-Type"] == "application/problem+json" and bool(
            json.loads(response.content)["code"]
        )
    except ValueError:
        return False


def here(route: str) -> str:
    """The URL of the one existing row of each kind."""
    return filled(route, "art" if "slug" in route and "/act/" not in route else "1")


@pytest.mark.parametrize("who", ["admin", "nobody"])
def test_no_url_value_causes_a_server_error(who, house):
    if who == "nobody":
        house.logout()
    routes = [route for route in ROUTES if parameters(route)]
    stock = [route for route in routes if route.startswith("/admin/")]  # one mould, for every table
    addresses = [filled(route, value) for route in routes for value in (SEGMENTS[-4:] if route in stock else SEGMENTS)]
    assert faults(house, (("GET", address, {}) for address in addresses)) == []


def test_no_method_causes_a_server_error(house):
    addresses = [here(route) for route in ROUTES if "out/" not in route]
    assert faults(house, ((method, address, {}) for address in addresses for method in METHODS)) == []


def test_no_api_query_causes_a_server_error(house):
    """One field at a time: of several wrong ones, only the first is reported."""
    addresses = [
        "".join("art" if part == "slug" else "1" if "{" in path and index % 2 else part for index, part in pieces(path))
        + f"?{field['name']}={value}"
        for path, verbs in SchemaGenerator().get_schema(public=True)["paths"].items()
        for field in verbs.get("get", {}).get("parameters", [])
        if field["in"] == "query"
        for value in VALUES
    ]
    assert len(addresses) > 100
    assert faults(house, (("GET", address, {}) for address in addresses)) == []


def pieces(path: str) -> list[tuple[int, str]]:
    """`/tickets/{id}/` as its text and, at the odd places, the names of its parameters."""
    return list(enumerate(path.replace("}", "{").split("{")))


def test_no_page_query_causes_a_server_error(house):
    pages = [route for route in ROUTES if not route.startswith("/api/") and "out/" not in route]
    lists = [route for route in pages if not parameters(route) or not route.startswith("/admin/")]
    addresses = [
        f"{here(route)}?{field}={value}"
        for route in lists
        for field in PAGES["/admin/" if route.startswith("/admin/") else "/"]
        for value in (VALUES[1:2] if route.startswith("/admin/") else VALUES[1::3] if parameters(route) else VALUES)
    ]
    assert faults(house, (("GET", address, {}) for address in addresses)) == []
    assert faults(house, (("GET", f"{page}?{'a' * 8_192}", {}) for page in map(here, pages))) == []
    place = "after=0001-01-01T00:00:00%2B23:59_artifact:1"
    assert faults(house, [("GET", f"/board/?{place}", {})]) == []


def test_the_schema_puts_no_query_into_a_header(house):
    assert faults(house, [("GET", "/api/v1/schema/?version=1%0d%0aX-Evil:%201", {})]) == []


@pytest.mark.parametrize(("kind", "body"), BODIES)
def test_no_body_causes_a_server_error(kind, body, house):
    sent = {"data": body, "content_type": kind}
    requests = [
        (method, here(route), sent)
        for route in ROUTES
        for method in (("POST", "PUT", "PATCH") if route.startswith("/api/") else ("POST",))
    ]
    assert faults(house, requests) == []


@pytest.mark.parametrize("value", [r'"abcdefgh\000"', "ä" * 40, "9" * 4_301, "../../etc", r'"\015\012X-Evil: 1"'])
@pytest.mark.parametrize("name", ["sessionid", "csrftoken", "messages", "theme", "zone", "download"])
def test_no_cookie_causes_a_server_error(name, value, house, admin):
    """A quoted cookie may contain any character, NUL included."""
    own = f"sessionid={house.session.session_key}; " if name != "sessionid" else ""
    house.cookies.clear()
    addresses = ["/", "/sign-in/", "/board/", here("/artifacts/<int:pk>/"), "/admin/", "/api/v1/me/", "/nowhere/"]
    sent = {"HTTP_COOKIE": f"{own}{name}={value}"}
    assert faults(house, (("GET", address, sent) for address in addresses)) == []


@pytest.mark.parametrize(
    "header",
    [
        {"HTTP_X_FORWARDED_FOR": "a\x00b, , 999.1.1.1"},
        {"HTTP_ACCEPT": "a/b;q=x, */" + "," * 500},
        {"HTTP_ACCEPT_LANGUAGE": "x" * 500 + ",\x00"},
        {"HTTP_RANGE": "bytes=" + "9" * 4_301 + "-"},
        {"HTTP_IF_NONE_MATCH": '"' * 301},
        {"HTTP_IF_MODIFIED_SINCE": "Sun, 99 Foo 99999999999 99:99:99 GMT"},
        {"HTTP_IF_RANGE": "\xff"},
        {"HTTP_IF_MATCH": "*, " * 99},
        {"HTTP_X_REQUEST_ID": "\r\nX-Evil: 1"},
        {"HTTP_IDEMPOTENCY_KEY": "\x00"},
        {"HTTP_HX_REQUEST": "true", "HTTP_HX_CURRENT_URL": "http://[", "HTTP_HX_PROMPT": "%ff%00"},
        {"HTTP_AUTHORIZATION": "Bearer \xff\x00"},
        {"HTTP_AUTHORIZATION": "Basic !!!!"},
        {"CONTENT_LENGTH": "9" * 4_301},
        {"HTTP_HOST": "[::1"},
        {"HTTP_REFERER": "http://[", "HTTP_ORIGIN": "http://["},
    ],
)
def test_no_header_causes_a_server_error(header, house):
    addresses = ["/", "/board/", here("/artifacts/<int:pk>/content/"), "/admin/", "/api/v1/me/", "/sign-in/",
                 here("/api/v1/artifacts/<int:pk>/content/")]  # fmt: skip
    posts = ["/sign-in/", here("/artifacts/<int:pk>/checkouts/"), "/api/v1/tickets/"]
    assert faults(house, (("GET", address, header) for address in addresses)) == []
    assert faults(house, (("POST", address, header) for address in posts)) == []
