"""The tape: a strip that shows who held something over time. Tenures become bars, in percent of the strip's width.

No statement runs here. `parts/tape.html` draws the tape; the journal beside it says the same in words.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum

from leasehold.templatetags.parts import clock_words

FEW = 6  # tenures: the strip goes back to the start of these, and shows all others of that time
MOST = 30  # tenures on a strip
FIRST, LAST, LAST_BEFORE_A_DATE = 5, 86, 70  # percent: rules stand between these, beside the words at both ends
LEAST = 0.8  # percent: the narrowest bar, so that one second is still visible
ROOM_FOR_NAME, ROOM_FOR_SHORT_NAME, ROOM_FOR_LETTERS = 12, 7, 5  # percent: the narrowest bar with such a label


class TenureEnd(StrEnum):
    """How a tenure ended: not yet, by its holder, by its expiry, or by somebody else."""

    NONE = ""
    GIVEN = "given"
    LAPSED = "lapsed"
    BROKEN = "broken"


@dataclass(frozen=True, slots=True)
class Tenure:
    """The time for which one participant held it. `until` is None while it lasts; `renewals`: their times."""

    participant: str
    since: datetime
    until: datetime | None
    ending: TenureEnd = TenureEnd.NONE
    renewals: Sequence[datetime] = ()


@dataclass(frozen=True, slots=True)
class Span:
    """How far back a strip goes. It has a rule at each `step` of the reader's clock or calendar."""

    length: timedelta
    step: timedelta
    words: str


SPANS = [
    Span(timedelta(hours=1), timedelta(minutes=15), "hour"),
    Span(timedelta(hours=6), timedelta(hours=1), "6 hours"),
    Span(timedelta(hours=24), timedelta(hours=6), "24 hours"),
    Span(timedelta(days=3), timedelta(days=1), "3 days"),
    Span(timedelta(days=7), timedelta(days=1), "7 days"),
    Span(timedelta(days=30), timedelta(days=7), "30 days"),
    Span(timedelta(days=90), timedelta(days=30), "90 days"),
    Span(timedelta(days=365), timedelta(days=91), "year"),
]


@dataclass(frozen=True, slots=True)
class Bar:
    """One tenure as the template draws it.

    x, width, ticks: percent of the strip. who, role: the holder as the reader sees them. letters: as in the ring.
    words: from when to when, and how it ended.
    """

    x: float
    width: float
    ticks: list[float]
    ending: TenureEnd
    who: str
    letters: str
    role: str
    words: str

    @property
    def end(self) -> float:
        return round(self.x + self.width, 2)

    @property
    def label(self) -> str:
        """The name, two letters or nothing, as the bar has room."""
        if self.width >= (ROOM_FOR_SHORT_NAME if len(self.who) <= 3 else ROOM_FOR_NAME):
            return self.who
        return self.letters if self.width >= ROOM_FOR_LETTERS else ""


@dataclass(frozen=True, slots=True)
class Tape:
    """The strip. `rules`: where a new hour or day begins, and its label. `is_now`: its right end is the present."""

    span: Span
    bars: list[Bar]
    rules: list[tuple[float, str]]
    ends_words: str
    is_now: bool

    @property
    def words(self) -> str:
        """The picture in one sentence: `bob 4 times, you twice, planner once`."""
        counts = Counter(bar.who for bar in self.bars).most_common()
        return ", ".join(f"{who} {times(count)}" for who, count in counts)

    @property
    def painted(self) -> list[Bar]:
        """The bars in the order of drawing: the longest first, so that a short one is not hidden."""
        return sorted(self.bars, key=lambda bar: -bar.width)

    @property
    def roles(self) -> set[str]:
        return {bar.role for bar in self.bars}

    @property
    def endings(self) -> set[str]:
        return {bar.ending for bar in self.bars}

    @property
    def is_renewed(self) -> bool:
        return any(bar.ticks for bar in self.bars)


def tape_of(reader: str, tenures: Sequence[Tenure], *, ends: datetime, now: datetime) -> Tape | None:
    """Return the tape of `tenures`, the oldest first, as the participant `reader` sees it; None without tenures.

    `ends`: the time at the strip's right end, in the reader's zone.
    """
    newest = tenures[-MOST:]
    if not newest:
        return None
    span = span_of(newest[-FEW:][0].since, ends)
    begins = ends.astimezone(UTC) - span.length
    visible = [tenure for tenure in newest if tenure.until is None or tenure.until > begins]
    bars = [bar_of(tenure, reader, begins, span, now) for tenure in visible]
    is_now = ends >= now
    last = LAST if is_now else LAST_BEFORE_A_DATE
    visible_rules = [(x, label) for x, label in rules_of(span, begins, ends) if FIRST <= x <= last]
    return Tape(span, bars, visible_rules, clock_words(ends, now, whole=True), is_now)


def span_of(since: datetime, ends: datetime) -> Span:
    """Return the shortest span that reaches back to `since`, else the longest."""
    return next((span for span in SPANS if since >= ends.astimezone(UTC) - span.length), SPANS[-1])


def bar_of(tenure: Tenure, reader: str, begins: datetime, span: Span, now: datetime) -> Bar:
    def place(at: datetime) -> float:
        return max(0.0, min(100.0, 100 * ((at - begins) / span.length)))

    x = min(place(tenure.since), 100 - LEAST)
    width = max(LEAST, (100 if tenure.until is None else place(tenure.until)) - x)
    is_mine, name = tenure.participant == reader, tenure.participant.partition(":")[2]
    return Bar(
        x=round(x, 2),
        width=round(width, 2),
        ticks=[round(place(at), 2) for at in tenure.renewals if at > begins],
        ending=tenure.ending,
        who="you" if is_mine else name,
        letters=name[:2].capitalize(),
        role="is-mine" if is_mine else "is-agent" if tenure.participant.startswith("agent:") else "is-person",
        words=words_of(tenure, now),
    )


def words_of(tenure: Tenure, now: datetime) -> str:
    """Return `24 Nov 20:27 to 25 Nov 03:27, renewed once, lapsed`."""
    since = clock_words(tenure.since, now, whole=True)
    words = [f"since {since}"]
    if tenure.until is not None:
        words = [f"{since} to {clock_words(tenure.until, now, whole=True)}"]
    if tenure.renewals:
        words.append(f"renewed {times(len(tenure.renewals))}")
    if tenure.ending in (TenureEnd.LAPSED, TenureEnd.BROKEN):
        words.append({TenureEnd.LAPSED: "lapsed", TenureEnd.BROKEN: "ended by somebody else"}[tenure.ending])
    return ", ".join(words)


def rules_of(span: Span, begins: datetime, ends: datetime) -> Iterator[tuple[float, str]]:
    """Yield place and label of the round hours, or midnights, in the zone of `ends`; the latest first."""
    is_clock = span.step < timedelta(days=1)
    at = ends.replace(hour=0 if not is_clock or span.step >= timedelta(hours=6) else ends.hour, minute=0, second=0)
    at = at.replace(microsecond=0) + (timedelta(days=1) if is_clock else timedelta())
    while at.astimezone(UTC) > begins:  # steps follow the wall clock, places the time that has passed
        x = 100 * ((at.astimezone(UTC) - begins) / span.length)
        yield round(x, 2), f"{at:%H:%M}" if is_clock else f"{at:%-d %b}"
        at -= span.step


def times(count: int) -> str:
    return {1: "once", 2: "twice"}.get(count, f"{count} times")
