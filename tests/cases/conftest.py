"""After each case, two checks: all invariants hold, and the board loads."""

from collections.abc import Callable

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from leasehold.models import User
from tests.factories import browser_of, make_account
from tests.invariants import assert_sound
from tests.leasehold.api.conftest import as_ as token_of  # noqa: F401  (a fixture)


@pytest.fixture(autouse=True)
def blobs(blobs):
    """Give every test a blob folder."""
    return blobs


@pytest.fixture(autouse=True)
def sound_and_seen(request: pytest.FixtureRequest):
    """After the case, check the invariants, and that the board loads for a superuser."""
    if not (request.node.get_closest_marker("django_db") or "db" in request.fixturenames):
        yield
        return
    request.getfixturevalue("db")
    yield
    assert_sound()
    reader = User.objects.filter(username="admin").first() or make_account("admin", is_superuser=True)
    assert browser_of(reader).get("/board/", secure=True).status_code == 200


@pytest.fixture
def browser() -> Callable[[User], Client]:
    """A signed-in browser that sends the CSRF token in its cookie and in every form."""
    return browser_of


@pytest.fixture
def staff(admin: User) -> User:
    return admin


def a_file(content: bytes, name: str = "upload.bin", **more: str) -> SimpleUploadedFile:
    return SimpleUploadedFile(name, content, **more)


def content_of(response) -> bytes:
    return b"".join(response.streaming_content) if response.streaming else response.content
