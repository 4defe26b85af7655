"""The journal: what it writes, and the triggers that keep it append-only."""

import pytest
from django.core.management import call_command
from django.db import DatabaseError, connection, models, transaction
from django.db.models import F, TextField, Value
from django.db.models.functions import Cast, Concat

from leasehold import journal
from leasehold.actors import Actor
from leasehold.database import clock
from leasehold.models import Entry, Membership, User

pytestmark = pytest.mark.django_db


def written() -> Entry:
    return journal.write("project_created", at=clock.now(), subject="project:1", slug="art")


def assert_sealed(entry: Entry) -> None:
    attempts = [
        lambda: Entry.objects.filter(pk=entry.pk).update(kind="nothing"),
        lambda: Entry.objects.filter(pk=entry.pk).delete(),
        lambda: Entry.objects.all()._raw_delete("default"),
        entry.save,
        entry.delete,
    ]
    for attempt in attempts:
        with pytest.raises(DatabaseError, match="the journal is append-only"), transaction.atomic():
            attempt()
    assert Entry.objects.filter(pk=entry.pk, kind="project_created").exists()


def test_the_database_refuses_to_change_or_delete_an_entry():
    assert_sealed(written())


@pytest.mark.django_db(transaction=True)
def test_the_triggers_are_created_again_after_migrate():
    """To alter a table, SQLite rebuilds it and silently drops its triggers."""
    if connection.vendor == "sqlite":
        changed = models.CharField(max_length=41)
        changed.set_attributes_from_name("kind")
        with connection.schema_editor() as editor:
            editor.alter_field(Entry, Entry._meta.get_field("kind"), changed)
            editor.alter_field(Entry, changed, Entry._meta.get_field("kind"))
        entry = written()
        Entry.objects.filter(pk=entry.pk).update(subject="project:2")  # the seal is broken indeed
    else:
        entry = written()
        with connection.cursor() as cursor:
            cursor.execute("DROP TRIGGER journal_no_change ON leasehold_entry")
        Entry.objects.filter(pk=entry.pk).update(subject="project:2")
    call_command("migrate", verbosity=0)
    assert_sealed(entry)


def test_an_entry_names_actor_kind_and_subject(alice: User):
    entry = journal.write(
        "password_set", at=clock.now(), actor=Actor(alice), subject=f"account:{alice.pk}", reason="lost"
    )
    entry.refresh_from_db()
    assert (entry.actor, entry.participant, entry.data) == (alice, "user:alice", {"reason": "lost"})


def test_an_entry_without_actor_names_the_system():
    entry = written()
    assert (entry.actor, entry.participant) == (None, "system:reconcile")


def test_an_unknown_kind_is_refused():
    with pytest.raises(ValueError, match="'coffee_made'"):
        journal.write("coffee_made", at=clock.now(), subject="kitchen:1")
    assert not Entry.objects.exists()


def test_write_many_writes_the_same_as_write():
    at = clock.now()
    facts = {"kind": "lease_lapsed", "at": at, "subject": "artifact:1", "holder": "checkout:1:user:alice"}
    journal.write_many([facts, facts | {"subject": "artifact:2"}])
    assert facts["kind"] == "lease_lapsed"  # the caller's own dict is left alone
    assert sorted(Entry.objects.values_list("subject", "at", "data__holder")) == [
        ("artifact:1", at, "checkout:1:user:alice"),
        ("artifact:2", at, "checkout:1:user:alice"),
    ]


def test_write_from_writes_the_same_as_write(alice: User, bob: User, art):
    at = clock.now()
    journal.write_from(
        Membership.objects.filter(user=bob),
        "member_removed",
        at=at,
        subject=Concat(Value("account:"), Cast("user", TextField()), output_field=TextField()),
        project=F("project"),
        member=F("user__username"),
        role=F("role"),
    )
    journal.write("member_removed", at=at, subject=f"account:{bob.pk}", project_id=art.pk, member="bob", role="editor")
    made, written_by_hand = Entry.objects.filter(kind="member_removed").order_by("id").values()
    assert {**made, "id": 0} == {**written_by_hand, "id": 0}


def test_write_from_refuses_an_unknown_kind(alice: User):
    with pytest.raises(ValueError, match="not a kind of journal entry"):
        journal.write_from(User.objects.all(), "nothing", at=clock.now(), subject=Value(""), project=Value(None))
    assert not Entry.objects.exists()
