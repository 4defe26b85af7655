"""Adding files: each path belongs to one file."""

import random

import pytest

from checkouts.actions.artifacts import add_artifact
from checkouts.actions.moves import archive, unarchive
from checkouts.exceptions import PathTaken
from checkouts.models import Artifact, Blob
from leasehold.actors import Actor
from leasehold.exceptions import Forbidden, Invalid, NotFound
from leasehold.models import Entry, Project, Role, Scope, User
from tests.factories import make_member, make_project
from tests.scenes import put, received

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("sound")]


def test_a_new_file_has_version_1(alice: User, art: Project):
    upload = received("one")
    artifact = add_artifact(
        actor=Actor(alice), project="art", path="Heroes\\Hero.psd", upload=upload, comment=" first "
    )
    artifact.refresh_from_db()
    assert (artifact.path, artifact.path_key, artifact.folder_key) == ("Heroes/Hero.psd", "heroes/hero.psd", "heroes")
    head = artifact.head
    assert (head.number, head.digest, head.size, head.comment, head.author) == (1, upload.digest, 3, "first", alice)
    assert head.blob.key == upload.key
    entry = Entry.objects.get(kind="artifact_added")
    assert (entry.subject, entry.project, entry.data["path"]) == (artifact.resource, art, "Heroes/Hero.psd")


@pytest.mark.parametrize(
    "path", ["100%.psd", "a%20b.psd", "#1?.psd", 'quote".psd', "英雄.psd", "a+b&c.psd", "a" * 255, "_%_.psd"]
)
def test_a_name_is_stored_exactly(alice: User, path):
    assert Artifact.objects.get(pk=put(alice, path).pk).path == path


@pytest.mark.parametrize(
    ("there", "comes"),
    [
        ("hero.psd", "hero.psd"),
        ("Hero.psd", "hero.PSD"),
        ("Entwürfe.indd", "Entwu\u0308rfe.indd"),
        ("a/b.psd", "a\\b.psd"),
        ("a", "a/b.psd"),
        ("A", "a/b/c.psd"),
        ("a/b.psd", "a"),
        ("a/b/c.psd", "A/B"),
    ],
    ids=ascii,
)
def test_a_path_that_is_taken_or_blocked_names_the_file_there(alice, bob, there, comes):
    artifact = put(alice, there)
    with pytest.raises(PathTaken) as refusal:
        put(bob, comes)
    assert refusal.value.artifact == artifact.pk
    assert Artifact.objects.count() == Blob.objects.count() == 1


@pytest.mark.parametrize(
    ("there", "comes"),
    [("a/b.psd", "a/c.psd"), ("a", "a0"), ("a", "a-b"), ("a/b", "a.b"), ("a_", "ab/c"), ("a%", "axx/c"), ("ab", "a/b")],
)
def test_a_path_with_the_same_beginning_is_free(alice: User, there, comes):
    put(alice, there)
    assert put(alice, comes).path == comes


def test_an_archived_file_is_not_in_the_way_until_it_comes_back(alice: User):
    old = put(alice, "a")
    archive(actor=Actor(alice), artifact_id=old.pk)
    new = put(alice, "a/b.psd")
    with pytest.raises(PathTaken) as refusal:
        unarchive(actor=Actor(alice), artifact_id=old.pk)
    assert refusal.value.artifact == new.pk
    archive(actor=Actor(alice), artifact_id=new.pk)
    assert unarchive(actor=Actor(alice), artifact_id=old.pk).archived_at is None


def test_two_projects_each_have_their_own_paths(alice: User, art: Project):
    make_member(make_project("film"), alice, Role.EDITOR)
    assert put(alice, "hero.psd").pk != put(alice, "hero.psd", project="film").pk


NO_PATHS = ["", "/a", "a/", "../a", "a//b", "a\0b", "CON.txt", "a.", "x" * 256, None, 7]


@pytest.mark.parametrize("path", NO_PATHS, ids=repr)
def test_an_invalid_path_writes_nothing(alice: User, path):
    with pytest.raises(Invalid) as refusal:
        add_artifact(actor=Actor(alice), project="art", path=path, upload=received("one"))
    assert refusal.value.errors[0]["field"] == "path"
    assert not Artifact.objects.exists()


def folders(first: int, many: int, length: int) -> str:
    """Four names of so many letters, out of `many` from `first` on, in an order that compresses badly."""
    letters = random.Random(7)
    return "/".join("".join(chr(first + letters.randrange(many)) for _ in range(length)) for _ in range(4))


LONGEST = {
    "ligatures": "ﬃ" * 84 + "/" + "ﬃ" * 85,  # each folds to three letters
    "accents": "/".join(["ΐ" * 127] * 4),  # one letter of two bytes, three of six
    "iotas": folders(0x1F80, 48, 85),  # three bytes, then five
    "Chinese": folders(0x4E00, 20_000, 84),
}


@pytest.mark.parametrize("path", LONGEST.values(), ids=LONGEST.keys())
def test_a_path_that_grows_by_folding_causes_no_server_error(alice: User, path):
    """PostgreSQL's index has a limit of its own."""
    try:
        artifact = put(alice, path)
    except Invalid:
        assert not Artifact.objects.exists()
        return
    assert Artifact.objects.get(pk=artifact.pk).path == path


def test_a_viewer_adds_nothing(vera: User, alice: User, art: Project):
    with pytest.raises(Forbidden):
        put(vera)
    with pytest.raises(Forbidden):
        add_artifact(actor=Actor(alice, scope=Scope.READ), project="art", path="a", upload=received("one"))
    assert not Artifact.objects.exists()


def test_a_foreign_project_is_unknown(mallory: User, art: Project):
    details = []
    for slug in ("art", "nowhere"):
        with pytest.raises(NotFound) as refusal:
            put(mallory, project=slug)
        details.append(refusal.value.detail)
    assert len(set(details)) == 1
