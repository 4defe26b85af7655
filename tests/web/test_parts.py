"""Sizes, times and holders as text."""

from datetime import UTC, datetime, timedelta

import pytest
from django.utils import timezone

from leasehold.leases import HeldLease
from leasehold.templatetags import parts
from leasehold.web.holds import Hold

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("size", "expected"),
    [
        (0, "0 B"),
        (999, "999 B"),
        (1_000, "1 kB"),
        (84_400, "84 kB"),
        (999_600, "1.0 MB"),
        (48_200_000, "48.2 MB"),
        (148_000_000, "148 MB"),
        (1_200_000_000, "1.2 GB"),
        (5_500_000_000_000, "5.5 TB"),
    ],
)
def test_sizes(size, expected):
    assert parts.filesize(size) == expected


@pytest.mark.parametrize(
    ("seconds", "expected"),
    [
        (-5, "0 s"),
        (0.2, "1 s"),
        (31, "31 s"),
        (400, "6 m 40 s"),
        (1_080, "18 m"),
        (14_400, "4 h 00 m"),
        (3_840, "1 h 04 m"),
        (147_600, "1 d 17 h"),
    ],
)
def test_remaining_times(seconds, expected):
    assert parts.left(seconds) == expected


@pytest.mark.parametrize(("seconds", "expected"), [(28_800, "8 h"), (5_400, "1 h 30 m"), (259_200, "3 d"), (60, "1 m")])
def test_lengths_of_time(seconds, expected):
    assert parts.span(seconds) == expected


@pytest.mark.parametrize(
    ("time", "expected"),
    [
        (NOON + timedelta(hours=5, minutes=20), "17:20"),
        (NOON + timedelta(hours=13), "tomorrow 01:00"),
        (NOON - timedelta(hours=24), "yesterday 12:00"),
        (NOON + timedelta(days=2), "2 Dec"),
        (NOON + timedelta(days=40), "9 Jan 2027"),
    ],
)
def test_clock_times_are_as_short_as_the_day_allows(time, expected):
    assert parts.clock_words(time, NOON) == expected


def test_the_day_is_the_readers_own():
    with timezone.override("Asia/Tokyo"):
        assert parts.clock_words(NOON + timedelta(hours=5, minutes=20), NOON) == "tomorrow 02:20"


@pytest.mark.parametrize(
    ("name", "icon"),
    [("hero.psd", "file-psd"), ("HERO.PNG", "file-image"), ("a.b.blend", "file-3d"), ("Makefile", "file-other")],
)
def test_file_icons(name, icon):
    assert parts.file_icon(name) == icon


def lease(**changes) -> HeldLease:
    facts = {
        "resource": "artifact:1",
        "place": "art/hero.psd",
        "holder": "checkout:7:user:bob",
        "participant": "user:bob",
        "fence": 3,
        "acquired_at": NOON,
        "expires_at": NOON + timedelta(hours=8),
        "purpose": "",
        "at": NOON + timedelta(hours=6),
    }
    return HeldLease(**(facts | changes))


@pytest.mark.parametrize(
    ("hold", "role", "percent"),
    [
        (Hold(lease(), is_mine=False), "is-person", 25),
        (Hold(lease(), is_mine=True), "is-mine", 25),
        (Hold(lease(participant="agent:planner"), is_mine=False), "is-agent", 25),
        (Hold(lease(at=NOON + timedelta(hours=9)), is_mine=True), "is-lapsed", 0),
        (Hold(lease(expires_at=None), is_mine=False), "is-person", 100),
    ],
)
def test_a_ring_shows_the_holder_and_what_is_left(hold, role, percent):
    assert (hold.role, hold.percent_left) == (role, percent)
