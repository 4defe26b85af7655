"""What the ground floor asks of the floor above, by name. `checkouts` answers when it starts.

Each question is a registry of answers, so that the ground floor works alone and a second upper floor could be added.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from leasehold.actors import Actor
from leasehold.models import Session, User
from leasehold.registry import Registry

if TYPE_CHECKING:
    from leasehold.leases import HeldLease


FILES_COUNTED = 100  # files at one place; a page then says 99+


@dataclass(frozen=True, slots=True)
class Holding:
    """Something that an account has on its hands: `what` it is, and where a page shows it (empty: nowhere)."""

    what: str
    url: str


@dataclass(frozen=True, slots=True)
class OpenCheckout:
    """A check-out of a session that has not ended."""

    checkout: int
    artifact: int
    path: str
    url: str

    def as_facts(self) -> dict[str, object]:
        return {"id": self.checkout, "artifact": self.artifact, "path": self.path}


@dataclass(frozen=True, slots=True)
class Commit:
    """Something that was really committed under a session; `place` is where it lies in the namespace of scope keys."""

    session: int | None
    artifact: int
    version: int
    path: str
    place: str
    url: str


# One answer for each floor above, by its name.

#: what does this account hold, in words for people?
HOLDINGS: Registry[str, Callable[[User], Iterable[Holding]]] = Registry()
#: which check-outs of these sessions are still open?
OPEN_CHECKOUTS: Registry[str, Callable[[Iterable[Session]], Iterable[OpenCheckout]]] = Registry()
#: what was committed under these sessions?
COMMITS: Registry[str, Callable[[Iterable[Session]], Iterable[Commit]]] = Registry()
#: how many files lie at or below each of these places, as far as the actor sees, counted to FILES_COUNTED?
FILES_BELOW: Registry[str, Callable[[Actor, Sequence[str]], dict[str, int]]] = Registry()

#: how an operator ends a lease on a resource of the floor above, by the kind with which the resource's name begins:
#: actor, resource and reason → the lease that was ended, or none
BREAKERS: Registry[str, "Callable[[Actor, str, str], HeldLease | None]"] = Registry()


def holdings_of(user: User) -> list[Holding]:
    return [holding for answer in HOLDINGS.values() for holding in answer(user)]


def open_checkouts_of(sessions: Iterable[Session]) -> list[OpenCheckout]:
    return [checkout for answer in OPEN_CHECKOUTS.values() for checkout in answer(sessions)]


def commits_of(sessions: Iterable[Session]) -> list[Commit]:
    return [commit for answer in COMMITS.values() for commit in answer(sessions)]


def files_at(actor: Actor, places: Iterable[str]) -> dict[str, int]:
    """Return place → the number of files at or below it. A place without files may be left out."""
    distinct = sorted(set(places))
    found: dict[str, int] = {}
    for answer in FILES_BELOW.values():
        for place, files in (answer(actor, distinct) if distinct else {}).items():
            found[place] = found.get(place, 0) + files
    return found
