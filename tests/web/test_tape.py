"""The tape of who held something: from tenures to bars, and from the journal to tenures."""

from datetime import UTC, datetime, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest
from django.utils import timezone

from checkouts.actions.breaks import break_checkout, take_over
from checkouts.actions.edits import discard_edit, open_edit
from checkouts.actions.holds import discard, extend, hand_over
from checkouts.web.files.tenures import tenures_in
from leasehold.actions.reconcile import reconcile
from leasehold.actors import Actor
from leasehold.models import Entry
from leasehold.web.tape import FEW, LEAST, MOST, Tape, Tenure, TenureEnd, tape_of
from tests import work
from tests.scenes import HOUR, back, out
from tests.web.conftest import check_out, text_of

NOW = datetime(2026, 11, 30, 16, 20, tzinfo=UTC)


def ago(**by: float) -> datetime:
    return NOW - timedelta(**by)


def drawn(*held: Tenure, ends: datetime = NOW) -> Tape:
    tape = tape_of("user:alice", held, ends=ends, now=NOW)
    assert tape
    return tape


def test_without_tenures_there_is_no_tape():
    assert tape_of("user:alice", [], ends=NOW, now=NOW) is None


def test_a_bar_has_the_place_and_width_of_its_time():
    [first, second] = drawn(
        Tenure("user:bob", ago(hours=24), ago(hours=18), TenureEnd.GIVEN),
        Tenure("user:alice", ago(hours=6), None, renewals=[ago(hours=3)]),
    ).bars
    assert (first.x, first.width, first.end) == (0, 25, 25)
    assert (second.x, second.width, second.ticks) == (75, 25, [87.5])


@pytest.mark.parametrize(
    ("participant", "who", "role"),
    [("user:alice", "you", "is-mine"), ("user:bob", "bob", "is-person"), ("agent:planner", "planner", "is-agent")],
)
def test_the_holder_has_the_readers_name_for_them(participant, who, role):
    [bar] = drawn(Tenure(participant, ago(minutes=30), None)).bars
    assert (bar.who, bar.role, bar.label) == (who, role, who)


@pytest.mark.parametrize(
    ("name", "minutes", "label"),
    [
        ("planner", 24 * 60, "planner"),
        ("planner", 3 * 60, "planner"),
        ("planner", 2 * 60, "Pl"),
        ("planner", 60, ""),
        ("bob", 2 * 60, "bob"),
        ("bob", 80, "Bo"),
        ("alice", 80, "Al"),
        ("bob", 0, ""),
    ],
)
def test_a_bar_has_the_label_that_fits(name, minutes, label):
    first = Tenure("user:alice", ago(hours=23), ago(hours=23))
    *_, bar = drawn(first, Tenure(f"user:{name}", ago(minutes=minutes), None)).bars
    assert bar.label == label


@pytest.mark.parametrize(
    ("hours", "words"),
    [(0.5, "hour"), (1, "hour"), (1.1, "6 hours"), (24, "24 hours"), (25, "3 days"), (24 * 360, "year")],
)
def test_the_span_is_the_shortest_that_reaches_back(hours, words):
    assert drawn(Tenure("user:bob", ago(hours=hours), None)).span.words == words


def test_the_tape_shows_all_tenures_of_its_span():
    old = [Tenure("user:bob", ago(days=300 + number), ago(days=300 + number)) for number in range(MOST)][::-1]
    new = [Tenure("user:bob", ago(hours=20 - number), ago(hours=20 - number)) for number in range(FEW)]
    tape = drawn(*old, *new)
    assert (tape.span.words, len(tape.bars)) == ("24 hours", FEW)
    assert len(drawn(*[new[0]] * MOST, *new).bars) == MOST


def test_a_tenure_from_before_the_span_begins_at_the_edge():
    long = Tenure("user:bob", ago(days=400), ago(hours=12), TenureEnd.LAPSED)
    new = [Tenure("user:alice", ago(hours=11), ago(hours=10))] * FEW
    bar = drawn(long, *new).bars[0]
    assert (bar.x, bar.end, bar.ending) == (0, 50, TenureEnd.LAPSED)


def test_a_short_tenure_is_visible_within_the_strip():
    [bar] = drawn(Tenure("user:bob", NOW, None)).bars
    assert (bar.width, bar.end) == (LEAST, 100)
    short, long = Tenure("agent:planner", ago(hours=2), ago(hours=2)), Tenure("user:bob", ago(hours=2), None)
    assert [bar.who for bar in drawn(short, long).painted] == ["bob", "planner"]


def test_a_clock_that_went_back_draws_no_bar_outside():
    [bar] = drawn(Tenure("user:bob", NOW + timedelta(hours=1), None)).bars
    assert 0 <= bar.x <= bar.end <= 100


def test_the_rules_follow_the_readers_clock():
    berlin = NOW.astimezone(ZoneInfo("Europe/Berlin"))  # 17:20
    day = drawn(Tenure("user:bob", ago(hours=23), None), ends=berlin)
    assert [words for _, words in day.rules] == ["12:00", "06:00", "00:00"]
    assert [x for x, _ in day.rules] == [77.78, 52.78, 27.78]
    hour = drawn(Tenure("user:bob", ago(minutes=50), None), ends=berlin)
    assert [words for _, words in hour.rules] == ["17:00", "16:45", "16:30"]


def test_midnights_follow_a_change_of_summer_time():
    ends = datetime(2026, 10, 27, 12, tzinfo=ZoneInfo("Europe/Berlin"))  # back to winter time on the 25th
    held = [Tenure("user:bob", ends.astimezone(UTC) - timedelta(days=6), None)]
    tape = tape_of("user:alice", held, ends=ends, now=ends)
    assert tape
    assert [words for _, words in tape.rules] == ["26 Oct", "25 Oct", "24 Oct", "23 Oct", "22 Oct", "21 Oct"]
    xs = [x for x, _ in tape.rules]
    gaps = [round((left - right) * 7 * 24 / 100) for left, right in pairwise(xs)]
    assert gaps == [25, 24, 24, 24, 24]


def test_the_tape_has_a_sentence():
    held = [Tenure("user:bob", ago(hours=5), ago(hours=4))] * 3 + [Tenure("user:alice", ago(hours=1), None)]
    assert drawn(*held).words == "bob 3 times, you once"


@pytest.fixture
def read(hero):
    """Return the tenures of the hero in short: holder, end, and number of renewals."""

    def read(at: datetime) -> list[tuple[str, str, int]]:
        found = tenures_in(Entry.objects.filter(subject=hero.resource).order_by("id"), at)
        assert all(one.until is None or one.since <= one.until for one in found)
        return [(one.participant.partition(":")[2], one.ending.value, len(one.renewals)) for one in found]

    return read


def test_a_files_tenures_are_read_from_its_journal(alice, bob, olga, planner, hero, clock, read):
    first = out(bob, hero).checkout
    extend(actor=Actor(bob), checkout_id=first.pk, ttl=HOUR)
    back(bob, first, "two")
    out(alice, hero, ttl=60)
    clock.forward(minutes=5)
    edit = open_edit(actor=Actor(planner), artifact_id=hero.pk).edit
    discard_edit(actor=Actor(planner), edit_id=edit.uuid)
    broken = out(bob, hero).checkout
    break_checkout(actor=Actor(olga), checkout_id=broken.pk, reason="away")
    out(alice, hero)
    mine = take_over(actor=Actor(olga), artifact_id=hero.pk, reason="urgent").checkout
    hand_over(actor=Actor(olga), checkout_id=mine.pk, to="alice")
    assert read(clock.now()) == [
        ("bob", "given", 1),
        ("alice", "lapsed", 0),
        ("planner", "given", 0),
        ("bob", "broken", 0),
        ("alice", "broken", 0),
        ("olga", "given", 0),
        ("alice", "", 0),
    ]


def test_a_lapsed_tenure_ends_at_its_expiry(bob, hero, clock, read):
    checkout = out(bob, hero, ttl=60).checkout
    clock.forward(minutes=5)
    assert read(clock.now()) == [("bob", "lapsed", 0)]
    reconcile()
    [lapsed] = tenures_in(Entry.objects.filter(subject=hero.resource).order_by("id"), clock.now())
    assert (lapsed.ending, lapsed.until) == (TenureEnd.LAPSED, checkout.expires_at)


def test_a_lapsed_lease_that_is_extended_begins_a_new_tenure(bob, hero, clock, read):
    checkout = out(bob, hero, ttl=60).checkout
    clock.forward(minutes=5)
    extend(actor=Actor(bob), checkout_id=checkout.pk, ttl=HOUR)
    assert read(clock.now()) == [("bob", "lapsed", 0), ("bob", "", 0)]


def test_a_late_check_in_ends_nobody_elses_tenure(alice, bob, hero, clock, read):
    late = out(bob, hero, ttl=60).checkout
    clock.forward(minutes=5)
    out(alice, hero)
    back(bob, late, "late")
    assert read(clock.now()) == [("bob", "lapsed", 0), ("alice", "", 0)]


def test_a_tenure_without_a_beginning_is_left_out(bob, hero, clock):
    discard(actor=Actor(bob), checkout_id=out(bob, hero).checkout.pk)
    end = Entry.objects.filter(kind="checkout_discarded")
    assert tenures_in(end, clock.now()) == []


def test_a_files_page_shows_the_tape_and_its_sentence(as_, bob, hero):
    page = as_(bob)
    check_out(page, hero)
    response = page.get(f"/artifacts/{hero.pk}/")
    picture = response.context["tape"]
    assert [(bar.who, bar.end) for bar in picture.bars] == [("you", 100)]
    assert 'role="img" aria-label="The last hour as a picture: held by you once.' in response.content.decode()
    assert "You checked out version 1" in text_of(response)
    assert "style=" not in response.content.decode()


def test_a_file_that_nobody_had_has_no_tape(as_, bob, hero):
    response = as_(bob).get(f"/artifacts/{hero.pk}/")
    assert response.context["tape"] is None
    assert 'class="tape"' not in response.content.decode()


def test_a_tickets_page_shows_its_sessions_on_a_tape(as_, alice, olga, clock):
    session = work.started(alice, olga, "terminal-1", ttl=600)
    clock.forward(minutes=5)
    work.checkpoint(session, ttl=600)
    clock.forward(minutes=20)
    reconcile()
    again = work.resume(olga, session.ticket, ttl=600)
    page = f"/tickets/{session.ticket_id}/"
    [first, second] = as_(olga).get(page).context["tape"].bars
    assert (first.ending, len(first.ticks), second.ending, second.end) == (TenureEnd.LAPSED, 1, TenureEnd.NONE, 100)
    assert first.words.endswith("renewed once, lapsed")
    work.cancel(olga, again.ticket)
    response = as_(olga).get(page)
    assert [bar.ending for bar in response.context["tape"].bars] == [TenureEnd.LAPSED, TenureEnd.BROKEN]
    assert "Cancelled" in text_of(response)


def test_the_tape_of_an_ended_ticket_ends_with_it(as_, alice, olga, clock):
    session = work.started(alice, olga, "terminal-1")
    clock.forward(minutes=10)
    work.submit(session)
    clock.forward(days=2)
    tape = as_(olga).get(f"/tickets/{session.ticket_id}/").context["tape"]
    session.refresh_from_db()
    assert (tape.span.words, tape.is_now, tape.bars[-1].end) == ("hour", False, 100)
    assert all(x <= 70 for x, _ in tape.rules), "the date at the right needs room"
    assert tape.ends_words == f"{timezone.localtime(session.ended_at):%-d %b %H:%M}"
