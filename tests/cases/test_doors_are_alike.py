"""What one door refuses no other lets through, and what one keeps none loses: the same case at every door."""

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
from tests.scenes import out, put
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


def went_through(answer) -> bool:
    return answer.status_code in (200, 201, 302)


def stored(blobs) -> list[str]:
    return sorted(path.name for path in blobs.rglob("*") if path.is_file()) if blobs.exists() else []


def test_what_alice_holds_nobody_takes_brings_back_or_ends(door, alice, bob, hero):
    """H04, H22."""
    record = out(alice, hero).checkout
    bobs = door(bob)
    for answer in (
        bobs.check_out(hero),
        bobs.check_in(record, a_file(NEW)),
        bobs.discard(record),
        bobs.break_(record),
    ):
        assert 400 <= answer.status_code < 500, answer.content
    assert (holder(hero), Checkout.objects.count(), Version.objects.count()) == ("user:alice", 1, 1)
    assert went_through(door(alice).check_in(record, a_file(NEW)))
    assert (holder(hero), Version.objects.count()) == ("", 2)


def test_whoever_is_refused_is_told_by_whom_and_why(door, alice, bob, hero):
    """H22."""
    out(alice, hero, purpose="a new cape")
    words = door(bob).check_out(hero).content.decode()
    assert "alice" in words.lower()
    assert "a new cape" in words


def test_a_viewer_takes_nothing(door, alice, vera, hero):
    """H07: nor may a viewer keep the owner out by any other verb."""
    answer = door(vera).check_out(hero)
    assert answer.status_code in (403, 409)
    assert (Checkout.objects.count(), Lease.objects.exclude(holder="").count()) == (0, 0)


def test_an_operator_frees_what_anybody_holds_and_nothing_is_lost(door, alice, bob, olga, hero):
    """H07, H23."""
    record, alices = out(alice, hero).checkout, door(alice)
    assert went_through(door(olga).break_(record))
    assert holder(hero) == ""
    out(bob, hero)
    assert alices.check_in(record, a_file(NEW)).status_code in (202, 302)
    kept = Proposal.objects.get()
    assert (kept.author, kept.blob.digest, holder(hero)) == (alice, digest_of(NEW), "user:bob")
    events = Entry.objects.count()
    assert went_through(alices.discard(record))  # too late, and quiet
    assert Entry.objects.count() == events


def test_after_lunch_the_check_in_is_still_taken(door, alice, hero, clock):
    """H17: the lease ran out, and nobody wanted the file."""
    record = out(alice, hero, ttl=60).checkout
    clock.forward(hours=2)
    assert went_through(door(alice).check_in(record, a_file(NEW)))
    assert hero.versions.get(number=2).digest == digest_of(NEW)


def test_after_lunch_somebody_else_has_changed_it(door, other, alice, bob, hero, clock):
    """H17, H25: whichever doors the two use, nothing is written over and nothing is lost."""
    record = out(alice, hero, ttl=60).checkout
    clock.forward(hours=2)
    assert went_through(other(bob).check_out(hero))
    assert went_through(other(bob).check_in(Checkout.objects.latest("id"), a_file(b"bob's")))
    assert door(alice).check_in(record, a_file(NEW)).status_code in (202, 302)
    hero.refresh_from_db()
    assert (hero.head.number, hero.head.author) == (2, bob)
    assert Proposal.objects.get().blob.digest == digest_of(NEW)


def test_no_sweeper_is_needed(door, alice, bob, hero):
    """H30: rows whose time ran out yesterday, as after months without a clean-up; no command runs."""
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


def test_a_lapsed_lease_is_shown_as_held_nowhere(alice, bob, hero, clock):
    """H30."""
    out(alice, hero, ttl=60)
    clock.forward(hours=1)
    bobs = rest(bob).client
    assert bobs.get(f"/api/v1/artifacts/{hero.pk}/").json()["lease"] is None
    assert [row["is_lapsed"] for row in bobs.get("/api/v1/leases/").json()["results"]] == [True]
    assert "Check out" in browser(bob).client.get("/projects/art/?folder=heroes").content.decode()


def test_the_same_press_twice_is_one(door, alice, hero):
    """H35: a second check-out shows the first; the same bytes again are the same version; a second discard is quiet."""
    person = door(alice)
    assert went_through(person.check_out(hero))
    person.check_out(hero)
    record = Checkout.objects.get()
    assert went_through(person.check_in(record, a_file(NEW)))
    events = Entry.objects.count()
    assert went_through(person.check_in(record, a_file(NEW)))
    assert (Version.objects.count(), Checkout.objects.count(), Entry.objects.count()) == (2, 1, events)
    record = out(alice, hero).checkout
    assert went_through(person.discard(record))
    events = Entry.objects.count()
    assert went_through(person.discard(record))
    assert Entry.objects.count() == events


def test_no_file_no_text_and_no_second_file(door, alice, hero, blobs):
    """H36: each is told, and the check-out stays open."""
    record, before = out(alice, hero).checkout, stored(blobs)
    for file in ("", "text", [a_file(b"a"), a_file(b"b")]):
        answer = door(alice).check_in(record, file)
        assert answer.status_code == 400, answer.content
    record.refresh_from_db()
    assert (record.is_open, holder(hero), stored(blobs)) == (True, "user:alice", before)


def test_zero_bytes_are_a_version(door, alice, hero):
    """H36: where a person might have slipped, the page asks first."""
    record = out(alice, hero).checkout
    assert went_through(door(alice).check_in(record, a_file(b""), **({"empty": "on"} if door is not rest else {})))
    hero.refresh_from_db()
    assert (hero.head.size, hero.head.digest) == (0, digest_of(b""))


def test_what_arrives_otherwise_than_announced_is_refused(door, alice, hero, blobs):
    """H19: the digest is another's; the form breaks off."""
    record, before = out(alice, hero).checkout, stored(blobs)
    answer = door(alice).check_in(record, a_file(NEW), digest=digest_of(b"other"))
    assert answer.status_code == 422, answer.content
    record.refresh_from_db()
    assert (record.is_open, holder(hero), stored(blobs), Blob.objects.count()) == (True, "user:alice", before, 1)


def test_one_byte_over_the_limit(door, alice, hero, blobs, settings):
    """H43."""
    settings.LEASEHOLD_UPLOAD_LIMIT = len(NEW) - 1
    record, before = out(alice, hero).checkout, stored(blobs)
    assert door(alice).check_in(record, a_file(NEW)).status_code == 413
    assert (holder(hero), stored(blobs)) == ("user:alice", before)
    settings.LEASEHOLD_UPLOAD_LIMIT = len(NEW)
    assert went_through(door(alice).check_in(record, a_file(NEW)))


def test_the_bytes_come_back_as_they_went_in(door, other, alice, hero):
    assert went_through(door(alice).check_in(out(alice, hero).checkout, a_file(NEW)))
    answer = other(alice).download(hero)
    assert content_of(answer) == NEW
    assert answer.headers["ETag"] == f'"{digest_of(NEW)}"'


def digest_of(content: bytes) -> str:
    return "sha256:" + hashlib.sha256(content).hexdigest()


def test_a_disabled_account_is_out_at_every_door_and_its_file_can_be_freed(door, alice, olga, hero):
    """H09: what it holds stays visible, and is not dropped."""
    record = out(alice, hero).checkout
    alices = door(alice)
    alice.is_active = False
    alice.save(update_fields=["is_active"])
    for answer in (alices.check_out(hero), alices.check_in(record, a_file(NEW)), alices.download(hero)):
        assert answer.status_code in (401, 302), answer.content
        assert re.search(r"^/(sign-in|admin/login)/", answer.headers.get("Location", "/sign-in/"))
    assert (holder(hero), Version.objects.count()) == ("user:alice", 1)
    assert "alice" in browser(olga).client.get("/board/").content.decode()
    assert went_through(door(olga).break_(record))
    assert holder(hero) == ""
    assert_sound()


@pytest.fixture
def hero(alice):
    return put(alice)
