"""The orders of a list of files, on the page and in the API: each file once, ties by id."""

import pytest

from checkouts.actions.moves import archive, rename
from checkouts.actions.restore import restore
from checkouts.models import Artifact
from checkouts.selectors import folders
from checkouts.selectors.folders import files_in
from checkouts.selectors.ordering import ORDERINGS
from leasehold.actors import Actor
from leasehold.exceptions import Invalid
from leasehold.models import Project, User
from tests.scenes import back, out, put
from tests.work import started

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("sound")]


@pytest.fixture
def files(art: Project, alice: User, bob: User, olga: User, planner: User, clock) -> None:
    """Added a minute apart, three of one size. Bob holds c, the planner e, a ticket of olga's reserves b; d lapsed."""
    for path, content in {"e": "22", "B": "1", "d": "22", "a": "4444", "c": "22", "f": ""}.items():
        put(alice, f"x/{path}", content)
        clock.forward(minutes=1)
    there = {artifact.name: artifact for artifact in Artifact.objects.all()}
    out(alice, there["d"], ttl=60)
    clock.forward(minutes=2)
    out(bob, there["c"])
    out(planner, there["e"])
    started(olga, olga, "art/x/b")


EXPECTED = {
    "path": "aBcdef",
    "changed": "eBdacf",
    "size": "fBedca",
    "holder": "ecBadf",
}


def walked(actor: Actor, project: Project, **how) -> str:
    """The names in order, over all pages."""
    after, names = "", ""
    for _ in range(20):
        page = files_in(actor, project, "x", after=after, **how)
        names += "".join(row.artifact.name for row in page.rows)
        after = page.after
        if not after:
            return names
    raise AssertionError("it does not end")


@pytest.mark.parametrize("size", [1, 2, 5, 50])
@pytest.mark.parametrize("ordering", ORDERINGS)
def test_each_order_continues_page_by_page(art: Project, alice: User, files, monkeypatch, ordering: str, size: int):
    monkeypatch.setattr(folders, "PAGE", size)
    expected = EXPECTED[ordering.removeprefix("-")]
    if ordering.startswith("-"):
        expected = expected[::-1]
    assert walked(Actor(alice), art, ordering=ordering) == expected


def test_filters_and_search_keep_the_order(art: Project, alice: User, files, monkeypatch):
    monkeypatch.setattr(folders, "PAGE", 2)
    actor = Actor(alice)
    assert walked(actor, art, ordering="-changed", which="free") == "fad"
    assert walked(actor, art, ordering="holder", which="others") == "ecB"
    assert walked(actor, art, ordering="-size", search="x/") == "acdeBf"


def test_archived_files_of_one_path_are_listed_once_in_every_order(art: Project, alice: User, monkeypatch):
    for _ in range(3):
        archive(actor=Actor(alice), artifact_id=put(alice, "x/a").pk)
    monkeypatch.setattr(folders, "PAGE", 1)
    for ordering in ORDERINGS:
        assert walked(Actor(alice), art, ordering=ordering, which="archived") == "aaa"


def test_files_added_and_archived_meanwhile_hide_no_others(art: Project, alice: User, files, monkeypatch):
    monkeypatch.setattr(folders, "PAGE", 2)
    actor = Actor(alice)
    first = files_in(actor, art, "x", ordering="size")
    assert [row.artifact.name for row in first.rows] == ["f", "B"]
    rename(actor=actor, artifact_id=first.rows[0].artifact.pk, path="elsewhere")
    second = files_in(actor, art, "x", ordering="size", after=first.after)
    assert [row.artifact.name for row in second.rows] == ["e", "d"]


def test_only_a_new_version_counts_as_a_change(art: Project, alice: User, files, clock):
    actor = Actor(alice)
    a = Artifact.objects.get(path="x/a")
    clock.forward(minutes=1)
    back(alice, out(alice, a).checkout, "one that is much longer")
    assert walked(actor, art, ordering="-changed") == "afcdBe"
    assert walked(actor, art, ordering="-size")[0] == "a"
    rename(actor=actor, artifact_id=Artifact.objects.get(path="x/f").pk, path="x/g")
    assert walked(actor, art, ordering="-changed") == "agcdBe"
    d = Artifact.objects.get(path="x/d")
    clock.forward(minutes=1)
    back(alice, out(alice, d).checkout, "other")
    clock.forward(minutes=1)
    restore(actor=actor, artifact_id=a.pk, number=1)
    assert walked(actor, art, ordering="-changed") == "adgcBe"
    assert Artifact.objects.get(pk=a.pk).head_size == 4


@pytest.mark.parametrize(
    ("ordering", "after"),
    [
        ("path", "x/a"),
        ("path", "0/x/a"),
        ("changed", "1/yesterday"),
        ("changed", "1/0001-01-01T00:00:00+23:59"),
        ("size", "1/-1"),
        ("size", f"1/{10**18 * 10}"),
        ("size", f"1/{'9' * 5_000}"),
        ("holder", "x"),
    ],
)
def test_an_invalid_cursor_is_refused(art: Project, alice: User, ordering: str, after: str):
    with pytest.raises(Invalid, match="no place"):
        files_in(Actor(alice), art, "", ordering=ordering, after=after)
