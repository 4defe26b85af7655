"""What the ground floor asks of the floor above, by name. `checkouts` answers when it starts.

Each question is a list of answers, so that the ground floor works alone and a second upper floor could be added.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from leasehold.models import User


@dataclass(frozen=True, slots=True)
class Holding:
    """Something that an account has on its hands: `what` it is, and where a page shows it."""

    what: str
    url: str


#: what does this account hold, in words for people?
holdings: list[Callable[[User], Iterable[Holding]]] = []


def holdings_of(user: User) -> list[Holding]:
    return [holding for ask in holdings for holding in ask(user)]
