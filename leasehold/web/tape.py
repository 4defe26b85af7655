"""Who held something over time, as a strip: tenures and a moment go in, bars in percent of the strip's width come out.

Nothing is read here. `leasehold/parts/tape.html` draws what comes out; the journal beside it says the same in words.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum

from leasehold.templatetags.parts import clock_words

FEW = 6  # the strip goes back as far as these, and shows what else is in that time
MOST = 30
FIRST, LAST, LAST_BEFORE_A_DATE = 5, 86, 70  # percent: the strip is ruled where the words beside it leave room
LEAST = 0.8  # percent: what lasted a second is still seen
NAMED, CALLED, LETTERED = 12, 7, 5  # percent: from here on a bar has room for a name, for one of three letters, for two


class Ending(StrEnum):
    """How a tenure ended: not at all, by its holder, by the clock, or against its holder."""

    NONE = ""
    GIVEN = "given"
    LAPSED = "lapsed"
    BROKEN = "broken"


@dataclass(frozen=True, slots=True)
class Tenure:
    """One holding, from its taking to its end; `until` is none while it lasts. `renewals`: when, within it."""

    participant: str
    since: datetime
    until: datetime | None
    ending: Ending = Ending.NONE
    renewals: Sequence[datetime] = ()


@dataclass(frozen=True, slots=True)
class Span:
    """How far back a strip goes, and where it is ruled: each `step` of the reader's clock or calendar."""

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
    """`x`, `width`, `ticks`: percent of the strip. `who`, `role`: the holder as the reader sees them; `letters`: as the
    ring has them. `words`: when, and how it ended."""

    x: float
    width: float
    ticks: list[float]
    ending: Ending
    who: str
    letters: str
    role: str
    words: str

    @property
    def end(self) -> float:
        return round(self.x + self.width, 2)

    @property
    def label(self) -> str:
        """What it has room for: the name, two letters, or nothing."""
        if self.width >= (CALLED if len(self.who) <= 3 else NAMED):
            return self.who
        return self.letters if self.width >= LETTERED else ""


@dataclass(frozen=True, slots=True)
class Tape:
    """The strip. `rules`: where a new hour or day begins, and what it is called. `is_now`: it ends at this moment."""

    span: Span
    bars: list[Bar]
    rules: list[tuple[float, str]]
    ends_words: str
    is_now: bool

    @property
    def words(self) -> str:
        """The picture in one sentence: `bob 4 times, you twice, planner once`."""
        held = Counter(bar.who for bar in self.bars).most_common()
        return ", ".join(f"{who} {times(count)}" for who, count in held)

    @property
    def painted(self) -> list[Bar]:
        """The longest first, so that a short one is not hidden under its neighbour."""
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
    """`tenures`, the oldest first, as the participant `reader` sees them; none where nobody ever held it.

    `ends`: what stands at the right, in the reader's zone.
    """
    newest = tenures[-MOST:]
    if not newest:
        return None
    span = span_of(newest[-FEW:][0].since, ends)
    begins = ends.astimezone(UTC) - span.length
    shown = [one for one in newest if one.until is None or one.until > begins]
    bars = [bar(reader, one, begins, span, now) for one in shown]
    is_now = ends >= now
    last = LAST if is_now else LAST_BEFORE_A_DATE
    ruled = [(x, words) for x, words in rules(span, begins, ends) if FIRST <= x <= last]
    return Tape(span, bars, ruled, clock_words(ends, now, whole=True), is_now)


def span_of(since: datetime, ends: datetime) -> Span:
    """The shortest that reaches back to `since`, else the longest there is."""
    return next((span for span in SPANS if since >= ends.astimezone(UTC) - span.length), SPANS[-1])


def bar(reader: str, one: Tenure, begins: datetime, span: Span, now: datetime) -> Bar:
    def place(at: datetime) -> float:
        return max(0.0, min(100.0, 100 * ((at - begins) / span.length)))

    x = min(place(one.since), 100 - LEAST)
    width = max(LEAST, (100 if one.until is None else place(one.until)) - x)
    is_mine, name = one.participant == reader, one.participant.partition(":")[2]
    return Bar(
        x=round(x, 2),
        width=round(width, 2),
        ticks=[round(place(at), 2) for at in one.renewals if at > begins],
        ending=one.ending,
        who="you" if is_mine else name,
        letters=name[:2].capitalize(),
        role="is-mine" if is_mine else "is-agent" if one.participant.startswith("agent:") else "is-person",
        words=words_of(one, now),
    )


def words_of(one: Tenure, now: datetime) -> str:
    """`24 Nov 20:27 to 25 Nov 03:27, renewed once, lapsed`."""
    said = [f"since {clock_words(one.since, now, whole=True)}"]
    if one.until is not None:
        said = [f"{clock_words(one.since, now, whole=True)} to {clock_words(one.until, now, whole=True)}"]
    if one.renewals:
        said.append(f"renewed {times(len(one.renewals))}")
    if one.ending in (Ending.LAPSED, Ending.BROKEN):
        said.append({Ending.LAPSED: "lapsed", Ending.BROKEN: "ended by somebody else"}[one.ending])
    return ", ".join(said)


def rules(span: Span, begins: datetime, ends: datetime) -> Iterator[tuple[float, str]]:
    """Round hours, or midnights, of the zone that `ends` is in, and where they lie."""
    is_clock = span.step < timedelta(days=1)
    at = ends.replace(hour=0 if not is_clock or span.step >= timedelta(hours=6) else ends.hour, minute=0, second=0)
    at = at.replace(microsecond=0) + (timedelta(days=1) if is_clock else timedelta())
    while at.astimezone(UTC) > begins:  # the reader's calendar goes by the wall, the strip by the time that passed
        x = 100 * ((at.astimezone(UTC) - begins) / span.length)
        yield round(x, 2), f"{at:%H:%M}" if is_clock else f"{at:%-d %b}"
        at -= span.step


def times(count: int) -> str:
    return {1: "once", 2: "twice"}.get(count, f"{count} times")
