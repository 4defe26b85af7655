"""Several at once, each on its own: which were ticked, and what became of each."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from django.http import HttpRequest

from leasehold.database.ids import id_in
from leasehold.exceptions import Invalid, Refusal, ScopeReserved
from leasehold.web.forms import say

NAMED = 5  # refused ones that a message names; it counts the others


@dataclass
class Report:
    """What became of each of several: the names of those that went well, and of every other one why not."""

    done: list[str] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)

    def each(self, items: Iterable[tuple[str, Callable[[], object]]]) -> "Report":
        """Each (name, act) on its own: a refusal of one stops none of the others."""
        for name, act in items:
            try:
                act()
                self.done.append(name)
            except Refusal as refusal:
                self.refused.append(f"{name}: {in_words(refusal)}")
        return self

    def tell(self, request: HttpRequest, done: str, role: str = "is-free", *, noun: str = "file") -> None:
        """`done` is the sentence for what went well, with {them}; each refusal is named, up to some."""
        if self.done:
            them = self.done[0] if len(self.done) == 1 else counted(len(self.done), noun)
            say(request, done.format(them=them), role)
        if self.refused:
            more = len(self.refused) - NAMED
            rest = [f"And {more} more."] if more > 0 else []
            say(request, "\n".join([f"{len(self.refused)} left as before.", *self.refused[:NAMED], *rest]), "is-stale")


def in_words(refusal: Refusal) -> str:
    return refusal.words if isinstance(refusal, ScopeReserved) else str(refusal)


def ids_in(request: HttpRequest, name: str) -> list[int]:
    """The ticked ones of a form; `Invalid` where none is."""
    if not (ticked := request.POST.getlist(name)):
        raise Invalid.of(name, "Tick at least one first.")
    return numbers(ticked, name)


def numbers(texts: Iterable[str], name: str) -> list[int]:
    """Ids from text; `Invalid` where one is none."""
    ids = [id_in(text) for text in texts]
    if None in ids:
        raise Invalid.of(name, "Expected numbers.")
    return [number for number in ids if number]


def counted(number: int, noun: str = "file") -> str:
    return f"1 {noun}" if number == 1 else f"{number} {noun}s"


def listed(some: list[str]) -> str:
    """The first of them by name, the others counted."""
    shown = ", ".join(some[:NAMED])
    return f"{shown} and {len(some) - NAMED} more" if len(some) > NAMED else shown
