"""What the ground floor needs to know from the floor above, which it may not import.

Each need is a registry of functions. The floor above adds its functions when Django starts, so the ground floor also
works alone, and a second upper floor could be added.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from leasehold.actors import Actor
from leasehold.models import Session, User
from leasehold.registry import Registry

if TYPE_CHECKING:
    from leasehold.leases import HeldLease


FILES_COUNTED = 100  # files at one place; a page shows this many as 99+


@dataclass(frozen=True, slots=True)
class Holding:
    """Something that an account holds: what it is, in words, and the URL of its page (empty: none)."""

    what: str
    url: str


@dataclass(frozen=True, slots=True)
class OpenCheckout:
    """A session's check-out that is still open."""

    checkout: int
    artifact: int
    path: str
    url: str

    def as_facts(self) -> dict[str, object]:
        """The check-out as a refusal and the API show it."""
        return {"id": self.checkout, "artifact": self.artifact, "path": self.path}


@dataclass(frozen=True, slots=True)
class Commit:
    """A version that was committed under a session; `place`: the file's place in the namespace of scope keys."""

    session: int | None
    artifact: int
    version: int
    path: str
    place: str
    url: str


# Each registry has one function for each floor above, by the floor's name.

#: account → what it holds
HOLDINGS: Registry[str, Callable[[User], Iterable[Holding]]] = Registry()
#: sessions → their check-outs that are still open
OPEN_CHECKOUTS: Registry[str, Callable[[Iterable[Session]], Iterable[OpenCheckout]]] = Registry()
#: sessions → what was committed under them
COMMITS: Registry[str, Callable[[Iterable[Session]], Iterable[Commit]]] = Registry()
#: actor and places → the number of files at or below each place that the actor may see, at most FILES_COUNTED
FILES_BELOW: Registry[str, Callable[[Actor, Sequence[str]], dict[str, int]]] = Registry()

#: kind of resource → the function by which an operator breaks a lease on it:
#: actor, resource and reason → the lease that was broken, or None
BREAKERS: Registry[str, "Callable[[Actor, str, str], HeldLease | None]"] = Registry()


def holdings_of(user: User) -> list[Holding]:
    """Return what an account holds on the floors above."""
    return [holding for find in HOLDINGS.values() for holding in find(user)]


def open_checkouts_of(sessions: Iterable[Session]) -> list[OpenCheckout]:
    """Return the check-outs of these sessions that are still open."""
    return [checkout for find in OPEN_CHECKOUTS.values() for checkout in find(sessions)]


def commits_of(sessions: Iterable[Session]) -> list[Commit]:
    """Return what was committed under these sessions."""
    return [commit for find in COMMITS.values() for commit in find(sessions)]


def files_at(actor: Actor, places: Iterable[str]) -> dict[str, int]:
    """Return place → the number of files at or below it that the actor may see. Places without files may be missing."""
    wanted = sorted(set(places))
    found: dict[str, int] = {}
    for count in FILES_BELOW.values():
        for place, files in (count(actor, wanted) if wanted else {}).items():
            found[place] = found.get(place, 0) + files
    return found
