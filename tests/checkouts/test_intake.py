"""What becomes of uploaded bytes: an action gives them a row, or they are gone again."""

from pathlib import Path

import pytest
from django.db import IntegrityError, InterfaceError, OperationalError

from checkouts import trees
from checkouts.bytes import storage
from checkouts.bytes.intake import Upload, settling, upload_from
from checkouts.exceptions import CheckoutClosed, TooLarge
from checkouts.models import Artifact, Checkout, Edit, Proposal, Version
from checkouts.outcomes import Committed, Proposed, Unchanged
from leasehold.actors import Actor
from leasehold.exceptions import Forbidden, TryAgain
from tests.scenes import stored_files

pytestmark = pytest.mark.usefixtures("lone_blobs")

HERO = b"8BPS" + bytes(range(256))
KEPT, DISCARDED = True, False


def is_there(upload: Upload) -> bool:
    return storage.path_of(upload.received.key).exists()


RESULTS = [
    (Committed(Checkout(), Version()), KEPT),
    (Committed(Edit(), Version()), KEPT),
    (Proposed(Checkout(), Proposal()), KEPT),
    (Unchanged(Checkout(), Version()), DISCARDED),
    (Committed(Checkout(), Version(), replayed=True), DISCARDED),
    (Unchanged(Checkout(), Version(), replayed=True), DISCARDED),
    (Proposed(Checkout(), Proposal(), replayed=True), DISCARDED),
    (Artifact(), KEPT),
]
ERRORS = [
    (Forbidden(), DISCARDED),
    (CheckoutClosed(), DISCARDED),
    (TryAgain(), DISCARDED),  # says that nothing was done
    (RuntimeError(), DISCARDED),
    (KeyboardInterrupt(), DISCARDED),
    (OperationalError("server closed the connection unexpectedly"), KEPT),
    (InterfaceError("connection already closed"), KEPT),
    (IntegrityError(), KEPT),
]


@pytest.mark.django_db
@pytest.mark.parametrize(("result", "fate"), RESULTS)
def test_what_the_action_returns_decides_about_the_bytes(result, fate):
    upload = upload_from([HERO])
    seen = []
    with settling(upload):
        assert upload.commit_with(lambda received: seen.append(received) or result) is result
    assert seen == [upload.received]
    assert is_there(upload) is fate


@pytest.mark.django_db
@pytest.mark.parametrize(("error", "fate"), ERRORS)
def test_what_the_action_raises_decides_about_the_bytes(error, fate):
    def fail(received: storage.Received) -> None:
        assert storage.path_of(received.key).exists(), "durable before the transaction"
        raise error

    upload = upload_from([HERO])
    with pytest.raises(type(error)) as raised, settling(upload):
        upload.commit_with(fail)
    assert raised.value is error
    assert is_there(upload) is fate


@pytest.mark.django_db
def test_bytes_without_an_action_are_discarded():
    first, second, third = (upload_from([HERO]) for _ in range(3))
    with settling(first, second, third):
        first.commit_with(lambda received: received)
    assert [is_there(first), is_there(second), is_there(third)] == [KEPT, DISCARDED, DISCARDED]


@pytest.mark.django_db
def test_of_several_a_database_failure_keeps_those_that_it_concerns():
    def fail(received: storage.Received) -> None:
        raise OperationalError

    uploads = [upload_from([HERO]) for _ in range(3)]
    uploads[0].commit_with(lambda received: received)
    with pytest.raises(OperationalError), settling(*uploads):
        uploads[1].commit_with(fail)
    assert [is_there(upload) for upload in uploads] == [KEPT, KEPT, DISCARDED]


@pytest.mark.django_db
def test_an_upload_takes_one_action():
    """A second one could write a row for bytes that are gone."""
    upload = upload_from([HERO])
    upload.commit_with(lambda _: Unchanged(Checkout(), Version()))
    with pytest.raises(RuntimeError):
        upload.commit_with(lambda received: received)
    discarded = upload_from([HERO])
    discarded.discard()
    with pytest.raises(RuntimeError):
        discarded.commit_with(lambda received: received)


def test_too_many_bytes_leave_nothing(settings, blobs):
    settings.LEASEHOLD_UPLOAD_LIMIT = 10
    with pytest.raises(TooLarge):
        upload_from([HERO])
    assert stored_files(blobs) == []


@pytest.mark.django_db
@pytest.mark.parametrize(("error", "fate"), [(OperationalError(), KEPT), (TryAgain(), DISCARDED)])
def test_an_import_keeps_the_bytes_only_if_the_commit_may_have_been_made(
    alice, art, tmp_path, blobs, monkeypatch, error, fate
):
    (tmp_path / "tree").mkdir()
    (tmp_path / "tree" / "hero.psd").write_bytes(HERO)

    def fail(**values):
        raise error

    monkeypatch.setattr(trees, "add_artifact", fail)
    tree = trees.import_tree(actor=Actor(alice), project=art, root=tmp_path / "tree", files=["hero.psd"])
    if fate is KEPT:
        with pytest.raises(OperationalError):
            list(tree)
    else:
        assert [file.result for file in tree] == [trees.FileResult.REFUSED]
    assert bool(stored_files(blobs)) is fate


def test_stored_bytes_know_nothing_of_requests():
    """`checkouts.bytes` serves programs and commands as well as views."""
    package = Path(storage.__file__).parent
    importing = [file.name for file in package.glob("*.py") if "django.http" in file.read_text()]
    assert importing == []
