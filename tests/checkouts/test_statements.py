"""The number of SQL statements of each verb, without sign-in, reconcile's probe and transaction statements."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from checkouts import selectors
from checkouts.actions import check_in, check_out, holds
from checkouts.exceptions import ArtifactBusy
from checkouts.models import Artifact
from checkouts.outcomes import Committed, Proposed
from leasehold.actors import Actor
from leasehold.models import User
from tests.scenes import HOUR, out, put, received

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("sound")]

FRAME = ("BEGIN", "COMMIT", "ROLLBACK", "SAVEPOINT", "RELEASE")
PROBE = "SELECT lease_until <= "


def statements(verb) -> list[str]:
    with CaptureQueriesContext(connection) as captured:
        verb()
    queries = [query["sql"] for query in captured.captured_queries if not query["sql"].startswith(FRAME)]
    probes = [sql for sql in queries if PROBE in sql]
    assert len(probes) <= 1, "reconcile looks once"
    return [sql for sql in queries if sql not in probes]


def checks_out(user: User, hero: Artifact):
    return lambda: check_out.check_out(actor=Actor(user), artifact_id=hero.pk, ttl=HOUR)


def checks_in(user: User, checkout, content: str, kind: type):
    upload = received(content)

    def verb() -> None:
        assert isinstance(check_in.check_in(actor=Actor(user), checkout_id=checkout.pk, upload=upload), kind)

    return verb


def test_a_check_out_costs_at_most_8(alice: User, hero: Artifact):
    first = statements(checks_out(alice, hero))
    assert len(first) <= 8, "\n".join(first)


def test_a_check_out_of_a_lapsed_file_costs_at_most_8(alice: User, bob: User, hero: Artifact, clock):
    out(bob, hero, ttl=60)
    clock.forward(seconds=61)
    queries = statements(checks_out(alice, hero))
    assert len(queries) <= 8, "\n".join(queries)


def test_a_check_in_costs_at_most_14(alice: User, hero: Artifact):
    queries = statements(checks_in(alice, out(alice, hero).checkout, "two", Committed))
    assert len(queries) <= 14, "\n".join(queries)


def test_a_check_in_on_a_lapsed_lease_costs_two_more(alice: User, hero: Artifact, clock):
    """It reads the reservations, and takes the lease again."""
    checkout = out(alice, hero, ttl=60).checkout
    clock.forward(seconds=61)
    queries = statements(checks_in(alice, checkout, "two", Committed))
    assert len(queries) <= 16, "\n".join(queries)


def test_a_proposal_costs_at_most_14(alice: User, bob: User, hero: Artifact, clock):
    checkout = out(alice, hero, ttl=60).checkout
    clock.forward(seconds=61)
    out(bob, hero)
    queries = statements(checks_in(alice, checkout, "two", Proposed))
    assert len(queries) <= 14, "\n".join(queries)


def test_a_busy_refusal_costs_at_most_2_and_writes_nothing(alice: User, bob: User, hero: Artifact):
    out(alice, hero)

    def verb() -> None:
        with pytest.raises(ArtifactBusy):
            checks_out(bob, hero)()

    queries = statements(verb)
    assert len(queries) <= 2, "\n".join(queries)
    assert all(sql.startswith("SELECT") for sql in queries)
    assert "FOR UPDATE" not in " ".join(queries)


def test_an_extension_and_a_discard_stay_small(alice: User, hero: Artifact):
    checkout = out(alice, hero).checkout
    assert len(statements(lambda: holds.extend(actor=Actor(alice), checkout_id=checkout.pk))) <= 10
    assert len(statements(lambda: holds.discard(actor=Actor(alice), checkout_id=checkout.pk))) <= 8


def test_a_list_costs_the_same_for_few_files_and_for_many(alice: User, bob: User):
    def page() -> None:
        rows = selectors.with_leases(selectors.artifacts_for(Actor(bob)))
        for row in rows:
            seen = selectors.ArtifactWithLease.from_row(row)
            assert (seen.artifact.head.number, seen.artifact.project.slug, seen.role) == (1, "art", "editor")

    for number in range(10):
        file = put(alice, f"few/{number}.psd")
        if number % 2:
            out(alice, file)
    few = len(statements(page))
    Artifact.objects.bulk_create(
        Artifact(
            project=file.project,
            path=f"many/{number}.psd",
            path_key=f"many/{number}.psd",
            folder_key="many",
            head=file.head,
            head_size=file.head_size,
            changed_at=file.changed_at,
            created_at=file.created_at,
            created_by=alice,
        )
        for number in range(300)
    )
    assert len(statements(page)) == few == 1
    Artifact.objects.filter(folder_key="many").delete()  # rows past the actions: not for the invariants
