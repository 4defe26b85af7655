"""The API with tokens, on files that are really stored."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.db.models import Model
from django.test.utils import CaptureQueriesContext
from rest_framework.test import APIClient

from tests.factories import copy_row
from tests.leasehold.api.conftest import as_  # noqa: F401  (a fixture)
from tests.scenes import stored_files

API = "/api/v1"
UNCOUNTED = ("SAVEPOINT", "RELEASE", "ROLLBACK", "BEGIN", "COMMIT", "SELECT lease_until <= ")  # the last: the probe
FIRST, SECOND, THIRD = b"the first state", b"the second state", b"the third state"


@pytest.fixture(autouse=True)
def blobs(blobs):
    """Give every test a blob folder."""
    return blobs


@pytest.fixture
def hero(as_, alice) -> dict[str, Any]:  # noqa: F811
    """The API's artifact of `heroes/hero.psd`, which alice added to the project art."""
    return added(as_(alice), "heroes/hero.psd")


def added(client: APIClient, path: str, content: bytes = FIRST, *, project: str = "art") -> dict[str, Any]:
    response = client.post(f"{API}/projects/{project}/artifacts/", {"path": path, "file": a_file(content)})
    assert response.status_code == 201, response.json()
    return response.json()


def checked_out(client: APIClient, artifact: dict[str, Any], **body: Any) -> dict[str, Any]:
    response = client.post(f"{API}/artifacts/{artifact['id']}/checkouts/", body, format="json")
    assert response.status_code == 201, response.json()
    return response.json()


def check_in(client: APIClient, checkout: dict[str, Any], content: bytes, query: str = "", **headers: str) -> Any:
    """Check in with a raw body. Return the response."""
    address = f"{API}/checkouts/{checkout['id']}/check-in/{query}"
    return client.generic("POST", address, content, content_type="application/octet-stream", headers=headers)


def a_file(content: bytes, name: str = "upload.bin") -> SimpleUploadedFile:
    return SimpleUploadedFile(name, content)


def content_of(response: Any) -> bytes:
    return b"".join(response.streaming_content) if response.streaming else response.content


def stored(blobs: Any) -> list[str]:
    """The names of all stored files."""
    return sorted(path.name for path in stored_files(blobs))


@contextmanager
def statements(client: APIClient, *, at_most: int) -> Iterator[list[str]]:
    """Collect the SQL of `client` in the block, without sign-in, savepoints and probe; `at_most` so many."""
    client.get(f"{API}/me/")  # the token's first use writes down its time
    with CaptureQueriesContext(connection) as captured:
        found: list[str] = []
        yield found
    queries = [query["sql"] for query in captured.captured_queries if not query["sql"].startswith(UNCOUNTED)]
    found += [sql for sql in queries if "FROM leasehold_token" not in sql and 'FROM "leasehold_token"' not in sql]
    assert len(found) <= at_most, "\n".join(found)


def list_costs(client: APIClient, address: str, row: Model, *, at_most: int) -> list[int]:
    """Return how many statements the list at `address` takes with 9 more copies of `row`, and with 299 more."""
    counts = []
    for more in (9, 290):
        copy_row(row, more)
        with statements(client, at_most=at_most) as found:
            client.get(address)
        counts.append(len(found))
    return counts
