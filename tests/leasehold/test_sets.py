"""Many rows in one statement."""

import pytest
from django.db import connection

from leasehold import journal
from leasehold.database import clock
from leasehold.database.sets import ValueList, insert
from leasehold.models import Entry, Lease, User

pytestmark = pytest.mark.django_db

MANY = 40_000  # more than either database takes as parameters of one statement


def test_long_lists_of_ids_and_texts_are_found(alice: User, bob: User, vera: User):
    wanted = [alice.pk, vera.pk, *range(10**9, 10**9 + MANY)]
    assert set(User.objects.filter(pk__in=ValueList(wanted))) == {alice, vera}
    names = ["bob", "o'b\\r\"é", *map(str, range(MANY))]
    assert list(User.objects.filter(username__in=ValueList(names))) == [bob]


def test_an_empty_list_finds_nothing(alice: User):
    assert not User.objects.filter(pk__in=ValueList([])).exists()
    assert not Lease.objects.filter(resource__in=ValueList([])).exists()


def test_rows_are_inserted_in_order_with_all_their_values(alice: User):
    at = clock.now()
    data = [{"text": "“é” \\ \" '", "number": 2**53, "none": None, "list": [1, {"a": True}]}, {}]
    same = {"at": at, "kind": "password_set", "actor_id": alice.pk, "project_id": None, "request_id": "r"}
    insert(Entry, [same | {"participant": "user:alice", "subject": f"{n}", "data": one} for n, one in enumerate(data)])
    rows = list(Entry.objects.order_by("id").values("at", "kind", "actor_id", "project_id", "request_id"))
    assert rows == [same, same]
    assert list(Entry.objects.order_by("id").values_list("subject", "data")) == [("0", data[0]), ("1", data[1])]


def test_values_other_than_json_are_refused(alice: User):
    with pytest.raises(TypeError):
        journal.write_many([{"kind": "password_set", "at": clock.now(), "subject": "account:1", "who": alice}])
    assert not Entry.objects.exists()


def test_no_rows_need_no_statement(django_assert_num_queries):
    with django_assert_num_queries(0):
        insert(Entry, [])
    assert connection.in_atomic_block
