"""The same case through every surface: all refuse the same, and none loses what another keeps."""

import hashlib
import re

import pytest
from django.db import connection

from checkouts.models import Blob, Checkout, Proposal, Version
from leasehold import leases
from leasehold.models import Entry, Lease
from tests.cases.conftest import a_file, content_of
from tests.cases.doors import DOORS, Door, browser, rest
from tests.invariants import assert_sound
from tests.scenes import out, put, stored_files
from tests.work import started

NEW = b"bytes \x00\xff\r\n that nobody may change"


@pytest.fixture(params=DOORS.values(), ids=DOORS.keys())
def door(request) -> Door:
    return request.param


@pytest.fixture(params=DOORS.values(), ids=[f"other-{name}" for name in DOORS])
def other(request) -> Door:
    return request.param


def holder(artifact) -> str:
    found = leases.read([artifact.resource])
    return found[0].participant if found else ""


def went_through(response) -> bool:
    return response.status_code in (200, 201, 302)


def stored(blobs) -> list[str]:
    return sorted(path.name for path in stored_files(blobs))


def test_only_the_holder_can_use_a_held_file(door, alice, bob, hero):
    checkout = out(alice, hero).checkout
    bobs = door(bob)
    for response in (
        bobs.check_out(hero),
        bobs.check_in(checkout, a_file(NEW)),
        bobs.discard(checkout),
        bobs.break_(checkout),
    ):
        assert 400 <= response.status_code < 500, response.content
    assert (holder(hero), Checkout.objects.count(), Version.objects.count()) == ("user:alice", 1, 1)
    assert went_through(door(alice).check_in(checkout, a_file(NEW)))
    assert (holder(hero), Version.objects.count()) == ("", 2)


def test_a_refusal_names_the_holder_and_the_purpose(door, alice, bob, hero):
    out(alice, hero, purpose="a new cape")
    words = door(bob).check_out(hero).content.decode()
    assert "alice" in words.lower()
    assert "a new cape" in words


def test_a_viewer_cannot_check_out(door, alice, vera, hero):
    """Nor does the attempt leave a lease that would keep others out."""
    response = door(vera).check_out(hero)
    assert response.status_code in (403, 409)
    assert (Checkout.objects.count(), Lease.objects.exclude(holder="").count()) == (0, 0)


def test_an_operators_break_frees_a_file_and_loses_nothing(door, alice, bob, olga, hero):
    checkout, alices = out(alice, hero).checkout, door(alice)
    assert went_through(door(olga).break_(checkout))
    assert holder(hero) == ""
    out(bob, hero)
    assert alices.check_in(checkout, a_file(NEW)).status_code in (202, 302)
    kept = Proposal.objects.get()
    assert (kept.author, kept.blob.digest, holder(hero)) == (alice, digest_of(NEW), "user:bob")
    events = Entry.objects.count()
    assert went_through(alices.discard(checkout))  # too late, and quiet
    assert Entry.objects.count() == events


def test_a_lapsed_check_out_can_still_be_checked_in(door, alice, hero, clock):
    """The lease ran out, and nobody took the file."""
    checkout = out(alice, hero, ttl=60).checkout
    clock.forward(hours=2)
    assert went_through(door(alice).check_in(checkout, a_file(NEW)))
    assert hero.versions.get(number=2).digest == digest_of(NEW)


def test_a_late_check_in_after_a_change_becomes_a_proposal(door, other, alice, bob, hero, clock):
    """Whichever surfaces the two use, nothing is overwritten and nothing is lost."""
    checkout = out(alice, hero, ttl=60).checkout
    clock.forward(hours=2)
    assert went_through(other(bob).check_out(hero))
    assert went_through(other(bob).check_in(Checkout.objects.latest("id"), a_file(b"bob's")))
    assert door(alice).check_in(checkout, a_file(NEW)).status_code in (202, 302)
    hero.refresh_from_db()
    assert (hero.head.number, hero.head.author) == (2, bob)
    assert Proposal.objects.get().blob.digest == digest_of(NEW)


def test_expired_rows_need_no_clean_up(door, alice, bob, hero):
    """The rows expired yesterday, and no command has cleaned them up."""
    out(alice, hero)
    started(alice, bob_as_operator(bob), "repo")
    yesterday = {"sqlite": "strftime('%%Y-%%m-%%d %%H:%%M:%%f', 'now', '-1 day')"}
    with connection.cursor() as cursor:
        at = yesterday.get(connection.vendor, "clock_timestamp() - interval '1 day'")
        cursor.execute(f"UPDATE leasehold_lease SET expires_at = {at} WHERE resource = %s", [hero.resource])
        cursor.execute(f"UPDATE checkouts_checkout SET expires_at = {at} WHERE artifact_id = %s", [hero.pk])
    assert went_through(door(bob).check_out(hero))
    assert holder(hero) == "user:bob"


def bob_as_operator(bob):
    bob.memberships.update(role="operator")
    return bob


def test_a_lapsed_lease_appears_as_held_nowhere(alice, bob, hero, clock):
    out(alice, hero, ttl=60)
    clock.forward(hours=1)
    bobs = rest(bob).client
    assert bobs.get(f"/api/v1/artifacts/{hero.pk}/").json()["lease"] is None
    assert [row["is_lapsed"] for row in bobs.get("/api/v1/leases/").json()["results"]] == [True]
    assert "Check out" in browser(bob).client.get("/projects/art/?folder=heroes").content.decode()


def test_a_repeated_verb_has_one_effect(door, alice, hero):
    """A second check-out shows the first, the same bytes again are the same version, a second discard does nothing."""
    person = door(alice)
    assert went_through(person.check_out(hero))
    person.check_out(hero)
    checkout = Checkout.objects.get()
    assert went_through(person.check_in(checkout, a_file(NEW)))
    events = Entry.objects.count()
    assert went_through(person.check_in(checkout, a_file(NEW)))
    assert (Version.objects.count(), Checkout.objects.count(), Entry.objects.count()) == (2, 1, events)
    checkout = out(alice, hero).checkout
    assert went_through(person.discard(checkout))
    events = Entry.objects.count()
    assert went_through(person.discard(checkout))
    assert Entry.objects.count() == events


def test_an_upload_needs_exactly_one_file(door, alice, hero, blobs):
    """Each is refused, and the check-out stays open."""
    checkout, before = out(alice, hero).checkout, stored(blobs)
    for file in ("", "text", [a_file(b"a"), a_file(b"b")]):
        response = door(alice).check_in(checkout, file)
        assert response.status_code == 400, response.content
    checkout.refresh_from_db()
    assert (checkout.is_open, holder(hero), stored(blobs)) == (True, "user:alice", before)


def test_an_empty_file_can_become_a_version(door, alice, hero):
    """The pages ask for confirmation first."""
    checkout = out(alice, hero).checkout
    assert went_through(door(alice).check_in(checkout, a_file(b""), **({"empty": "on"} if door is not rest else {})))
    hero.refresh_from_db()
    assert (hero.head.size, hero.head.digest) == (0, digest_of(b""))


def test_an_upload_that_differs_from_its_digest_or_length_is_refused(door, alice, hero, blobs):
    """The digest is wrong, or the form ends early."""
    checkout, before = out(alice, hero).checkout, stored(blobs)
    response = door(alice).check_in(checkout, a_file(NEW), digest=digest_of(b"other"))
    assert response.status_code == 422, response.content
    checkout.refresh_from_db()
    assert (checkout.is_open, holder(hero), stored(blobs), Blob.objects.count()) == (True, "user:alice", before, 1)


def test_a_file_over_the_limit_is_refused(door, alice, hero, blobs, settings):
    settings.LEASEHOLD_UPLOAD_LIMIT = len(NEW) - 1
    checkout, before = out(alice, hero).checkout, stored(blobs)
    assert door(alice).check_in(checkout, a_file(NEW)).status_code == 413
    assert (holder(hero), stored(blobs)) == ("user:alice", before)
    settings.LEASEHOLD_UPLOAD_LIMIT = len(NEW)
    assert went_through(door(alice).check_in(checkout, a_file(NEW)))


def test_the_bytes_come_back_as_they_went_in(door, other, alice, hero):
    assert went_through(door(alice).check_in(out(alice, hero).checkout, a_file(NEW)))
    response = other(alice).download(hero)
    assert content_of(response) == NEW
    assert response.headers["ETag"] == f'"{digest_of(NEW)}"'


def digest_of(content: bytes) -> str:
    return "sha256:" + hashlib.sha256(content).hexdigest()


def test_a_disabled_account_is_refused_and_its_file_can_be_freed(door, alice, olga, hero):
    """What it holds stays visible, and its lease is kept."""
    checkout = out(alice, hero).checkout
    alices = door(alice)
    alice.is_active = False
    alice.save(update_fields=["is_active"])
    for response in (alices.check_out(hero), alices.check_in(checkout, a_file(NEW)), alices.download(hero)):
        assert response.status_code in (401, 302), response.content
        assert re.search(r"^/(sign-in|admin/login)/", response.headers.get("Location", "/sign-in/"))
    assert (holder(hero), Version.objects.count()) == ("user:alice", 1)
    assert "alice" in browser(olga).client.get("/board/").content.decode()
    assert went_through(door(olga).break_(checkout))
    assert holder(hero) == ""
    assert_sound()


@pytest.fixture
def hero(alice):
    return put(alice)
