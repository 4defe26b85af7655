"""The places that keep bytes outside the database, as this floor sees them. The floor above registers its own."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol
from uuid import UUID

from leasehold.registry import Registry


@dataclass(frozen=True, slots=True)
class SiteMark:
    """To which site, and to which of its epochs, a database or a store belongs."""

    site: UUID
    epoch: int

    def __str__(self) -> str:
        return f"site {self.site}, epoch {self.epoch}"


class Store(Protocol):
    """One place that keeps bytes."""

    @property
    def location(self) -> str:
        """Where it is, as text for an administrator."""

    def read_mark(self) -> SiteMark | None:
        """Return the mark that the store carries, or None if it carries none. Raises OSError, ValueError."""

    def write_mark(self, mark: SiteMark) -> None:
        """Make the store carry this mark, durably. Raises OSError."""

    def is_new(self) -> bool:
        """Are there neither bytes in the store nor rows in the database that name bytes? Raises OSError."""

    def strangeness(self) -> str:
        """Return why the bytes and the rows do not seem to belong together, or an empty string. Raises OSError."""

    def probe(self) -> None:
        """Write, sync and remove a small file. Raises OSError."""


#: floor → the store of its bytes
STORES: Registry[str, Callable[[], Store]] = Registry()


def stores() -> list[Store]:
    return [make() for make in STORES.values()]
