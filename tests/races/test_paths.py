"""Concurrent uploads and renames to one path, or to paths that exclude each other: one of them is refused."""

import pytest

from checkouts.actions.artifacts import add_artifact
from checkouts.actions.moves import rename
from checkouts.exceptions import PathTaken
from checkouts.models import Artifact, Blob
from leasehold.actors import Actor
from leasehold.models import User
from tests.scenes import put, received

CLASHES = [
    ("hero.psd", "hero.psd"),
    ("Hero.psd", "hero.PSD"),
    ("Entwürfe.indd", "Entwu\u0308rfe.indd"),
    ("a", "a/b"),
    ("a/b/c/d", "a/b"),
]


def upload_to(user: User, path: str):
    upload = received(path)
    return lambda: add_artifact(actor=Actor(user), project="art", path=path, upload=upload)


@pytest.mark.parametrize(("one", "other"), CLASHES, ids=ascii)
def test_of_two_conflicting_uploads_one_is_refused(crowd, alice: User, bob: User, one, other):
    people = crowd(2)
    for number in range(5):
        answers = people.at_once(upload_to(alice, f"{number}/{one}"), upload_to(bob, f"{number}/{other}"))
        [file] = [answer for answer in answers if isinstance(answer, Artifact)]
        [refusal] = [answer for answer in answers if isinstance(answer, PathTaken)]
        assert refusal.artifact == file.pk
    assert Artifact.objects.count() == Blob.objects.count() == 5


def test_many_uploads_of_one_path_make_one_file(crowd, alice: User):
    answers = crowd(16).at_once(*[upload_to(alice, "hero.psd") for _ in range(16)])
    assert sorted(type(answer).__name__ for answer in answers) == ["Artifact", *["PathTaken"] * 15]


def test_uploads_without_conflict_all_succeed(crowd, alice: User):
    answers = crowd(8).at_once(*[upload_to(alice, f"heroes/{number}.psd") for number in range(8)])
    assert all(isinstance(answer, Artifact) for answer in answers), answers


def test_a_rename_and_an_upload_to_one_path(crowd, alice: User, bob: User):
    people = crowd(2)
    for number in range(5):
        old, path = put(alice, f"old/{number}.psd"), f"new/{number}.psd"
        answers = people.at_once(
            lambda old=old, path=path: rename(actor=Actor(alice), artifact_id=old.pk, path=path),
            upload_to(bob, path),
        )
        assert sorted(type(answer).__name__ for answer in answers) == ["Artifact", "PathTaken"]
        assert Artifact.objects.filter(path=path).count() == 1


def test_two_renames_that_would_swap_files_are_both_refused(crowd, alice: User, bob: User):
    people = crowd(2)
    one, other = put(alice, "one.psd"), put(alice, "other.psd")
    answers = people.at_once(
        lambda: rename(actor=Actor(alice), artifact_id=one.pk, path="other.psd"),
        lambda: rename(actor=Actor(bob), artifact_id=other.pk, path="one.psd"),
    )
    assert all(isinstance(answer, PathTaken) for answer in answers)
