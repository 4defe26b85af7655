"""Verbs on several rows: the ticked ids of a form, and messages about the result of each."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from django.http import HttpRequest

from leasehold.database.ids import id_in
from leasehold.exceptions import Invalid, Refusal, ScopeReserved
from leasehold.web.forms import add_message

MAX_NAMES = 5  # names in a message; the others are counted


@dataclass
class BatchReport:
    """The results of a verb on several rows: the names that succeeded, and `name: reason` for each refusal."""

    done: list[str] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)

    def run(self, items: Iterable[tuple[str, Callable[[], object]]]) -> "BatchReport":
        """Call each (name, verb). A refusal does not stop the others."""
        for name, verb in items:
            try:
                verb()
                self.done.append(name)
            except Refusal as refusal:
                self.refused.append(f"{name}: {refusal_text(refusal)}")
        return self

    def add_messages(self, request: HttpRequest, done: str, role: str = "is-free", *, noun: str = "file") -> None:
        """Add a message for the successes and one for the refusals. `done`: the text for successes, with {them}."""
        if self.done:
            them = self.done[0] if len(self.done) == 1 else count_text(len(self.done), noun)
            add_message(request, done.format(them=them), role)
        if self.refused:
            more = len(self.refused) - MAX_NAMES
            rest = [f"And {more} more."] if more > 0 else []
            lines = [f"{len(self.refused)} left as before.", *self.refused[:MAX_NAMES], *rest]
            add_message(request, "\n".join(lines), "is-stale")


def refusal_text(refusal: Refusal) -> str:
    return refusal.words if isinstance(refusal, ScopeReserved) else str(refusal)


def ticked_ids(request: HttpRequest, name: str) -> list[int]:
    """Return the ids that are ticked in the form. Raises `Invalid` if there are none."""
    if not (ticked := request.POST.getlist(name)):
        raise Invalid.of(name, "Tick at least one first.")
    return parse_ids(ticked, name)


def parse_ids(texts: Iterable[str], name: str) -> list[int]:
    """Return the texts as ids. Raises `Invalid` if one is not an id."""
    ids = [id_in(text) for text in texts]
    if None in ids:
        raise Invalid.of(name, "Expected numbers.")
    return [number for number in ids if number]


def count_text(number: int, noun: str = "file") -> str:
    return f"1 {noun}" if number == 1 else f"{number} {noun}s"


def list_text(names: list[str]) -> str:
    """Return the first names, and the number of the others."""
    first = ", ".join(names[:MAX_NAMES])
    return f"{first} and {len(names) - MAX_NAMES} more" if len(names) > MAX_NAMES else first
