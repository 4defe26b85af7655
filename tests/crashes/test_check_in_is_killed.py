"""`kill -9` at each step of a check-in: it has happened completely or not at all, and a retry completes it."""

import os
import signal
import subprocess
import sys

import pytest
from django.conf import settings

from checkouts.bytes import storage
from checkouts.models import Artifact, Blob, Checkout
from checkouts.outcomes import Committed
from tests.invariants import assert_sound
from tests.live import ROOT, database_url
from tests.scenes import back, out, put

pytestmark = pytest.mark.django_db(transaction=True)

BEFORE_THE_COMMIT = [
    "half-way through the body",
    "before the bytes have their name",
    "before the transaction",
    "with the version written",
    "before the commit",
]


def killed(point, checkout, content):
    """Run the check-in in a process that is killed at `point`."""
    environment = os.environ | {
        "DJANGO_SETTINGS_MODULE": "leasehold.settings",
        "DATABASE_URL": database_url(),
        "LEASEHOLD_DATA": str(settings.LEASEHOLD_BLOBS.parent),
        "SECRET_KEY": settings.SECRET_KEY,
    }
    command = [sys.executable, "-m", "tests.crashes.dying", point, "alice", str(checkout.pk), content]
    ended = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=60, check=False)
    assert ended.returncode == -signal.SIGKILL, ended.stderr


@pytest.fixture
def held(alice):
    artifact = put(alice, content="one")
    return out(alice, artifact).checkout


@pytest.mark.parametrize("point", BEFORE_THE_COMMIT)
def test_killed_before_the_commit_nothing_has_happened(point, alice, held):
    killed(point, held, "a red cape, painted for a week")

    artifact, checkout = Artifact.objects.get(), Checkout.objects.get()
    assert artifact.head.number == 1
    assert checkout.is_open
    assert Blob.objects.count() == 1
    assert_sound()
    retried = back(alice, checkout, "a red cape, painted for a week")
    assert isinstance(retried, Committed)
    assert retried.version.number == 2
    assert_sound()


def test_killed_during_the_upload_only_a_temp_file_is_left(held):
    before, unfinished = set(storage.stored_keys()), set(storage.unfinished())
    killed("half-way through the body", held, "a red cape")
    assert set(storage.stored_keys()) == before
    assert len(set(storage.unfinished()) - unfinished) == 1


def test_killed_after_the_commit_the_retry_gets_the_first_answer(alice, held):
    killed("after the commit", held, "a red cape")

    assert Artifact.objects.get().head.number == 2
    assert_sound()
    retried = back(alice, Checkout.objects.get(), "a red cape")
    assert isinstance(retried, Committed)
    assert retried.replayed
    assert retried.version.number == 2
    assert Artifact.objects.get().head.number == 2
