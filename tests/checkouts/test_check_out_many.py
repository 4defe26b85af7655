"""Several at once: all or nothing with every lease in the way, or best effort."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from checkouts.actions import check_out
from checkouts.actions.check_out import check_out_many
from checkouts.actions.moves import archive, rename
from checkouts.exceptions import ArtifactBusy
from checkouts.models import Artifact, Checkout
from leasehold import leases
from leasehold.actors import Actor
from leasehold.exceptions import Forbidden, NotFound, ScopeReserved
from leasehold.models import Entry, User
from tests.scenes import back, out, put
from tests.work import started

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("sound")]


@pytest.fixture
def files(alice: User) -> list[Artifact]:
    return [put(alice, path) for path in ("heroes/a.psd", "heroes/b.psd", "heroes/c.psd")]


def many(user: User, **more):
    return check_out_many(actor=Actor(user), project="art", **({"prefix": "heroes"} | more))


def test_each_file_gets_a_check_out_a_lease_and_an_entry(bob: User, files: list[Artifact]):
    granted = many(bob, ttl=600).granted
    assert [one.checkout.artifact for one in granted] == files
    for one in granted:
        assert one.lease.holder == one.checkout.holder
        checkout = Checkout.objects.get(pk=one.checkout.pk)
        assert (checkout.opened_at, checkout.expires_at) == (one.lease.acquired_at, one.lease.expires_at)
        assert (one.lease.expires_at - one.lease.acquired_at).total_seconds() == 600
    assert Entry.objects.filter(kind="checkout_opened").count() == 3
    assert isinstance(back(bob, granted[1].checkout, "two").version.number, int)


def test_a_folder_takes_as_many_statements_as_a_file(bob: User, files: list[Artifact]):
    def statements(prefix: str) -> int:
        with CaptureQueriesContext(connection) as queries:
            many(bob, prefix=prefix)
        return len(queries.captured_queries)

    put(bob, "one/a.psd")
    assert statements("heroes") == statements("one")


def test_each_entry_equals_that_of_a_single_check_out(alice: User, bob: User, files: list[Artifact]):
    single = put(alice, "single.psd")
    out(bob, single, ttl=600, purpose="Colours “é”")
    granted = many(bob, ttl=600, purpose="Colours “é”").granted
    entries = Entry.objects.filter(kind="checkout_opened").order_by("id")
    model, *rows = [(entry.subject, entry.at, entry.actor, entry.participant, entry.data) for entry in entries]
    assert [set(row[-1]) for row in rows] == [set(model[-1])] * 3
    assert rows == [
        (
            one.checkout.artifact.resource,
            one.lease.acquired_at,
            bob,
            "user:bob",
            {
                "checkout": one.checkout.pk,
                "holder": "user:bob",
                "version": 1,
                "purpose": "Colours “é”",
                "expires_at": one.lease.expires_at.isoformat(),
            },
        )
        for one in granted
    ]


def test_a_lapsed_lease_is_not_in_the_way(alice: User, bob: User, files: list[Artifact], clock):
    out(alice, files[0], ttl=60)
    clock.forward(seconds=61)
    assert [one.lease.fence for one in many(bob).granted] == [2, 1, 1]


def test_all_or_nothing_names_every_lease_and_takes_none(alice: User, bob: User, files: list[Artifact]):
    held = [out(alice, files[0]).lease.holder, out(bob, files[2]).lease.holder]
    with pytest.raises(ArtifactBusy) as refusal:
        many(bob)
    assert [lease.holder for lease in refusal.value.leases] == held
    assert Checkout.objects.count() == 2


def test_files_below_anothers_ticket_are_skipped_or_refuse_all(alice, bob, olga, files: list[Artifact]):
    session = started(alice, olga, "art/heroes/b.psd")
    with pytest.raises(ScopeReserved) as refusal:
        many(bob)
    assert refusal.value.reserved == [{"ticket": session.ticket_id, "keys": ["art/heroes/b.psd"]}]
    assert not Checkout.objects.exists()
    done = many(bob, atomic=False)
    assert [one.checkout.artifact for one in done.granted] == [files[0], files[2]]
    [left_out] = done.refused
    assert (left_out.artifact, left_out.refusal.code) == (files[1], "scope_reserved")


def test_the_workers_check_outs_belong_to_the_session(alice: User, olga: User, files: list[Artifact]):
    session = started(alice, olga, "art/heroes/b.psd")
    assert [one.checkout.session_id for one in many(alice).granted] == [None, session.pk, None]


@pytest.mark.parametrize("verb", ["archive", "rename"])
def test_a_file_that_leaves_the_folder_meanwhile_is_skipped(alice, bob, files: list[Artifact], monkeypatch, verb):
    real = leases.lock

    def lock(resources):
        monkeypatch.undo()
        rows = real(resources)
        if verb == "archive":
            Artifact.objects.filter(pk=files[0].pk).update(archived_at=files[0].created_at)
        else:
            Artifact.objects.filter(pk=files[0].pk).update(path="x.psd", path_key="x.psd", folder_key="")
        return rows

    monkeypatch.setattr(check_out.leases, "lock", lock)
    assert [one.checkout.artifact_id for one in many(bob).granted] == [files[1].pk, files[2].pk]


def test_a_named_file_that_is_archived_refuses_the_call(alice: User, bob: User, files: list[Artifact]):
    rename(actor=Actor(alice), artifact_id=files[1].pk, path="elsewhere.psd")
    archive(actor=Actor(alice), artifact_id=files[0].pk)
    with pytest.raises(NotFound):
        many(bob, prefix=None, artifact_ids=[file.pk for file in files])
    assert len(many(bob, prefix=None, artifact_ids=[file.pk for file in files[1:]]).granted) == 2


def test_a_viewer_checks_out_none(vera: User, mallory: User, files: list[Artifact]):
    with pytest.raises(Forbidden):
        many(vera)
    with pytest.raises(NotFound):
        many(mallory)


def test_three_hundred_cost_few_statements(alice, bob, django_assert_max_num_queries):
    for number in range(300):
        put(alice, f"many/{number:03}.psd")
    with django_assert_max_num_queries(45):
        assert len(many(bob, prefix="many").granted) == 300
