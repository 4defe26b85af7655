"""Reserved files by both queries: from keys to files, as lists do, and file by file."""

import pytest
from django.db.models import Exists

from checkouts.actions.moves import archive
from checkouts.models import Artifact
from checkouts.selectors import artifacts_for, filter_by_holder
from checkouts.selectors.reservations import reservation_of_others, reserved_files
from leasehold.actors import Actor
from leasehold.models import Project, Role, User
from tests.factories import make_member, make_project
from tests.scenes import out, put
from tests.work import cancel, started

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("sound")]

PATHS = [
    "a",
    "ab.psd",
    "b/a",
    "b/a.psd",
    "b/ab/c.psd",
    "b/c/d/e.psd",
    "B0.psd",
    "b-c/d.psd",
    "Straße/Hälfte 100%.psd",
    "straẞen/x.psd",
    "文件/英雄.psd",
    "\U0010fffd.psd",
]
KEYS = [
    "art",
    "art/a",
    "art/b",
    "art/B/C",
    "art/b/a.psd",
    "art/b/c/d/e.psd",
    "art/b/c/d/e.psd/below",
    "art/STRASSE",
    "ART/文件",
    "art/\U0010fffd.psd",
    "art/nothing/here",
    "film",
    "repo/art",
]


@pytest.fixture
def files(art: Project, alice: User, bob: User, olga: User) -> list[Artifact]:
    """The same paths in two projects, `art` and `art-2`, which no key of `art` covers."""
    second = make_project("art-2")
    for person, role in ((alice, Role.EDITOR), (bob, Role.EDITOR), (olga, Role.OPERATOR)):
        make_member(second, person, role)
    return [put(alice, path, project=project) for project in ("art", "art-2") for path in PATHS]


def both_ways(actor: Actor, project: Project | None = None) -> tuple[set[str], set[str]]:
    files = artifacts_for(actor).filter(archived_at=None)
    if project:
        files = files.filter(project=project)
    from_keys = files.filter(pk__in=reserved_files(actor, project))
    by_file = files.filter(Exists(reservation_of_others(actor)))
    return {file.place for file in from_keys}, {file.place for file in by_file}


@pytest.mark.parametrize("key", KEYS)
def test_both_queries_agree_for_each_kind_of_key(art: Project, alice: User, bob: User, olga: User, files, key):
    started(bob, olga, key)
    for project in (None, art):
        from_keys, by_file = both_ways(Actor(alice), project)
        assert from_keys == by_file
        assert both_ways(Actor(bob), project) == (set(), set()), "who works at the ticket finds everything free"


def test_both_queries_find_files_at_or_below_a_key(alice: User, bob: User, olga: User, files):
    started(bob, olga, "art/B", "art/straSSE", "art-2/b/a")
    reserved, _ = both_ways(Actor(alice))
    inside = ["art/b/a", "art/b/a.psd", "art/b/ab/c.psd", "art/b/c/d/e.psd", "art/strasse/hälfte 100%.psd", "art-2/b/a"]
    assert reserved == set(inside)


def test_a_key_of_a_whole_project_reserves_only_its_files(art: Project, alice: User, bob: User, olga: User, files):
    started(bob, olga, "Art")
    reserved, _ = both_ways(Actor(alice))
    assert reserved == {file.place for file in files if file.project == art}


def test_several_tickets_and_one_that_is_decided(art: Project, alice: User, bob: User, olga: User, files):
    first, second = started(bob, olga, "art/b/c", "art/a"), started(alice, olga, "art/ab.psd", "art/b/a.psd")
    for person in (alice, bob, olga):
        from_keys, by_file = both_ways(Actor(person), art)
        assert from_keys == by_file
        assert from_keys
    cancel(olga, first.ticket)
    assert both_ways(Actor(alice), art) == (set(), set())
    assert both_ways(Actor(bob), art)[0] == {"art/ab.psd", "art/b/a.psd"}
    cancel(olga, second.ticket)
    assert both_ways(Actor(olga), art) == (set(), set())


def test_a_lapsed_session_does_not_exempt_its_worker(alice: User, bob: User, olga: User, files, clock):
    started(bob, olga, "art/a", ttl=60)
    assert both_ways(Actor(bob)) == (set(), set())
    clock.forward(seconds=61)
    assert both_ways(Actor(bob)) == ({"art/a"}, {"art/a"})


def test_every_file_is_free_mine_or_others(art: Project, alice: User, bob: User, olga: User, files):
    started(bob, olga, "art/b", "art/文件")
    out(bob, files[PATHS.index("b/a.psd")])
    out(olga, files[0])
    for person in (alice, bob, olga):
        actor = Actor(person)
        live = artifacts_for(actor).filter(project=art, archived_at=None)
        parts = {which: set(filter_by_holder(live, which, actor, project=art)) for which in ("free", "me", "others")}
        assert parts == {which: set(filter_by_holder(live, which, actor)) for which in parts}, (
            "of one project, or of all"
        )
        assert sum(map(len, parts.values())) == len(PATHS)
        assert parts["free"] | parts["me"] | parts["others"] == set(live)
        assert parts["others"] == both_ways_or_held(live, actor)


def both_ways_or_held(live, actor: Actor) -> set[Artifact]:
    """File by file: held by somebody else, or reserved while the actor does not hold it."""
    anyone, mine = set(filter_by_holder(live, "anyone", actor)), set(filter_by_holder(live, "me", actor))
    reserved = set(live.filter(Exists(reservation_of_others(actor))))
    return (anyone | reserved) - mine


def test_an_archived_file_is_never_reserved(art: Project, alice: User, bob: User, olga: User):
    gone = put(alice, "b/gone.psd")
    archive(actor=Actor(alice), artifact_id=gone.pk)
    started(bob, olga, "art/b")
    archived = artifacts_for(Actor(alice)).filter(archived_at__isnull=False)
    assert list(filter_by_holder(archived, "free", Actor(alice))) == [gone]
    assert list(filter_by_holder(archived, "others", Actor(alice))) == []
