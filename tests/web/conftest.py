"""The pages as the cast sees them: a browser for each person, on files that are really stored."""

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

FIRST, SECOND, THIRD = b"the first state", b"the second state", b"the third state"


@pytest.fixture(autouse=True)
def blobs(settings, tmp_path):
    """A blob folder of this test."""
    settings.LEASEHOLD_BLOBS = tmp_path / "blobs"
    return settings.LEASEHOLD_BLOBS


@pytest.fixture
def as_():
    """`as_(alice)`: a browser in which she is signed in. CSRF is checked, as a browser would have it checked."""

    def browser(user) -> Client:
        client = Client()
        client.force_login(user)
        return client

    return browser


@pytest.fixture
def hero(art, alice) -> Artifact:
    """`heroes/hero.psd` in the project art, added by alice."""
    return added(alice, "heroes/hero.psd")


def added(user, path: str, content: bytes = FIRST, project: str = "art") -> Artifact:
    received = storage.receive(io.BytesIO(content), declared_size=None, declared_digest=None, limit=10**6)
    return add_artifact(actor=Actor(user=user), project=project, path=path, upload=received)


def check_out(browser: Client, artifact: Artifact, **form: object) -> Checkout:
    """Press the button; the check-out that it made."""
    answer = browser.post(f"/artifacts/{artifact.pk}/checkouts/", form)
    assert answer.status_code == 302, answer.content.decode()
    return Checkout.objects.latest("id")


def check_in(browser: Client, checkout: Checkout, content: bytes, **form: object):
    """Bytes that are named as the file is."""
    sent = {"file": a_file(content, checkout.artifact.name), **form}
    return browser.post(f"/checkouts/{checkout.pk}/check-in/", sent, follow=True)


def a_file(content: bytes, name: str = "hero.psd") -> SimpleUploadedFile:
    return SimpleUploadedFile(name, content)


def text_of(answer) -> str:
    """What a page says, without its markup, in one line."""
    words = _Words()
    words.feed(answer.content.decode())
    return re.sub(r"\s+", " ", " ".join(words.said)).strip()


class _Words(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.said: list[str] = []
        self.silent = 0

    def handle_starttag(self, tag: str, attrs) -> None:
        self.silent += tag in ("script", "style", "template")

    def handle_endtag(self, tag: str) -> None:
        self.silent -= tag in ("script", "style", "template")

    def handle_data(self, data: str) -> None:
        if not self.silent:
            self.said.append(data)
