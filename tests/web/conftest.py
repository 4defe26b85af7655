"""Fixtures and helpers of the pages' tests: a browser for each person, and files that are really stored."""

import io
import re
from html.parser import HTMLParser

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from checkouts.actions.artifacts import add_artifact
from checkouts.bytes import storage
from checkouts.models import Artifact, Checkout
from leasehold.actors import Actor
from tests.factories import browser_of

FIRST, SECOND, THIRD = b"the first state", b"the second state", b"the third state"


@pytest.fixture(autouse=True)
def blobs(blobs):
    """Give every test a blob folder."""
    return blobs


@pytest.fixture
def as_():
    """`as_(alice)`: a client in which she is signed in."""
    return browser_of


@pytest.fixture
def hero(art, alice) -> Artifact:
    """`heroes/hero.psd` in the project art, added by alice."""
    return added(alice, "heroes/hero.psd")


def added(user, path: str, content: bytes = FIRST, project: str = "art") -> Artifact:
    received = storage.receive(io.BytesIO(content), declared_size=None, declared_digest=None, limit=10**6)
    return add_artifact(actor=Actor(user=user), project=project, path=path, upload=received)


def check_out(browser: Client, artifact: Artifact, **form: object) -> Checkout:
    """Post the check-out form, and return the check-out."""
    response = browser.post(f"/artifacts/{artifact.pk}/checkouts/", form)
    assert response.status_code == 302, response.content.decode()
    return Checkout.objects.latest("id")


def check_in(browser: Client, checkout: Checkout, content: bytes, **form: object):
    """Post the check-in form with `content` under the file's own name."""
    data = {"file": a_file(content, checkout.artifact.name), **form}
    return browser.post(f"/checkouts/{checkout.pk}/check-in/", data, follow=True)


def a_file(content: bytes, name: str = "hero.psd") -> SimpleUploadedFile:
    return SimpleUploadedFile(name, content)


def text_of(response) -> str:
    """Return a page's text without markup, in one line."""
    words = _Words()
    words.feed(response.content.decode())
    return re.sub(r"\s+", " ", " ".join(words.parts)).strip()


class _Words(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.parts: list[str] = []
        self.hidden = 0

    def handle_starttag(self, tag: str, attrs) -> None:
        self.hidden += tag in ("script", "style", "template")

    def handle_endtag(self, tag: str) -> None:
        self.hidden -= tag in ("script", "style", "template")

    def handle_data(self, data: str) -> None:
        if not self.hidden:
            self.parts.append(data)
