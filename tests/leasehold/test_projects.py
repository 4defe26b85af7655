from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
from django.db import connection

from leasehold.actions.accounts import create_user
from leasehold.actions.projects import create_project, remove_member, set_member, set_project
from leasehold.actors import Actor
from leasehold.exceptions import Forbidden, Invalid, NotFound
from leasehold.models import Entry, Membership, Role


def kinds():
    return list(Entry.objects.order_by("id").values_list("kind", flat=True))


def test_a_superuser_creates_a_project(admin, olga):
    project = create_project(actor=Actor(admin), slug="tools-2", name=" Tools ")
    assert (project.slug, project.name) == ("tools-2", "Tools")
    assert Entry.objects.get().project == project
    with pytest.raises(Forbidden):
        create_project(actor=Actor(olga), slug="other", name="Other")


@pytest.mark.parametrize(
    "slug", ["", "Art", "a b", "a_b", "a/b", "é", "a" * 51, "con", "x\0", "a\n", None, 7, "..", "art"]
)
def test_a_bad_slug_is_refused(admin, art, slug):
    with pytest.raises(Invalid) as refused:
        create_project(actor=Actor(admin), slug=slug, name="New")
    assert refused.value.errors[0]["field"] == "slug"
    assert kinds() == []


@pytest.mark.parametrize("name", ["", "  ", "x" * 201, "a\0", "\ud800", [], 7])
def test_a_bad_name_is_refused(admin, olga, art, name):
    for act in (
        lambda: create_project(actor=Actor(admin), slug="new", name=name),
        lambda: set_project(actor=Actor(olga), project=art, name=name),
    ):
        with pytest.raises(Invalid) as refused:
            act()
        assert refused.value.errors[0]["field"] == "name"


def test_setting_the_same_name_writes_nothing(olga, art):
    set_project(actor=Actor(olga), project=art, name=art.name)
    assert kinds() == []
    set_project(actor=Actor(olga), project=art, name="Artwork")
    assert Entry.objects.get().data == {"name": "Artwork", "name_before": "Art"}


def test_operators_set_members(olga, alice, mallory, art):
    set_member(actor=Actor(olga), project=art, user=mallory, role=Role.VIEWER)
    set_member(actor=Actor(olga), project=art, user=mallory, role=Role.VIEWER)
    set_member(actor=Actor(olga), project=art, user=mallory, role=Role.EDITOR)
    assert Membership.objects.get(user=mallory).role == Role.EDITOR
    remove_member(actor=Actor(olga), project=art, user=mallory)
    assert kinds() == ["member_added", "member_added", "member_removed"]
    with pytest.raises(NotFound):
        remove_member(actor=Actor(olga), project=art, user=mallory)


def test_others_cannot_set_members(olga, alice, mallory, art):
    for actor in (Actor(alice), Actor(mallory), Actor(olga, scope="write"), Actor(olga, scope="read")):
        with pytest.raises(Forbidden):
            set_member(actor=actor, project=art, user=mallory, role=Role.OPERATOR)
        with pytest.raises(Forbidden):
            remove_member(actor=actor, project=art, user=alice)
        with pytest.raises(Forbidden):
            set_project(actor=actor, project=art, name="Mine")
    assert kinds() == []


def test_a_disabled_account_and_an_unknown_role_are_refused(olga, mallory, art):
    with pytest.raises(Invalid, match="role"):
        set_member(actor=Actor(olga), project=art, user=mallory, role="owner")
    mallory.is_active = False
    mallory.save()
    with pytest.raises(Invalid, match="disabled"):
        set_member(actor=Actor(olga), project=art, user=mallory, role=Role.VIEWER)


@pytest.mark.races
def test_of_concurrent_accounts_with_one_name_one_is_created(admin, olga, art):
    def outcome(create):
        barrier.wait()
        try:
            return create() and "made"
        except Invalid as refused:
            return refused.errors[0]["field"]
        finally:
            connection.close()

    mallory = create_user(actor=None, username="mallory", password="x")
    actions = {
        "slug": lambda: create_project(actor=Actor(admin), slug="new", name="New"),
        "username": lambda: create_user(actor=None, username="carol", kind="agent"),
        "": lambda: set_member(actor=Actor(olga), project=art, user=mallory, role=Role.VIEWER),
    }
    for field, create in actions.items():
        barrier = Barrier(8)
        with ThreadPoolExecutor(8) as pool:
            answers = list(pool.map(outcome, [create] * 8))
        assert answers.count("made") == (1 if field else 8)
        assert answers.count(field) == (7 if field else 0)
    assert Membership.objects.filter(user=mallory).count() == 1
    assert Entry.objects.filter(kind="member_added").count() == 1
