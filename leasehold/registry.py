"""Registries: the tables of this floor that the floor above adds to when Django starts."""

from collections.abc import Iterator, Mapping
from typing import TypeVar

from django.apps import apps

K = TypeVar("K")
V = TypeVar("V")


class Registry(Mapping[K, V]):
    """A read-only mapping in the order of its entries, which `AppConfig.ready` may add to.

    `entries` are this floor's own. The floor above adds its entries in `checkouts/wiring.py`, and nowhere else: once
    Django has started, nothing can be added, so no table depends on which modules were imported.
    """

    def __init__(self, entries: Mapping[K, V] | None = None) -> None:
        self._entries: dict[K, V] = dict(entries or {})

    def add(self, name: K, value: V) -> None:
        """Raises `ValueError` if `name` has a value already, and `RuntimeError` once Django has started."""
        if apps.ready:
            raise RuntimeError(f"{name!r} comes too late: entries are added while Django starts")
        if name in self._entries:
            raise ValueError(f"{name!r} has a value already")
        self._entries[name] = value

    def add_all(self, entries: Mapping[K, V]) -> None:
        for name, value in entries.items():
            self.add(name, value)

    def __getitem__(self, name: K) -> V:
        return self._entries[name]

    def __iter__(self) -> Iterator[K]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)
