"""The heads of a list's columns: links that sort, which work without a script and can be sent to a colleague."""

from collections.abc import Callable
from dataclasses import dataclass

#: each with the order that a first click gives: the newest and the largest first
SORTED_BY = {"Name": "path", "Changed": "-changed", "Size": "-size", "Holder": "holder"}


@dataclass(frozen=True, slots=True)
class Head:
    """A link that sorts by its column, or, where the page is sorted by it, turns the order round."""

    name: str
    url: str
    is_sorted: str  # as `aria-sort` says it: ascending, descending; empty for another column


def heads(sort: str, url: Callable[[str], str]) -> list[Head]:
    """`sort`: the order that the page is in, one of ORDERINGS; `url`: the page's address in another."""
    return [head(name, first, sort, url) for name, first in SORTED_BY.items()]


def head(name: str, first: str, sort: str, url: Callable[[str], str]) -> Head:
    column, is_descending = sort.removeprefix("-"), sort.startswith("-")
    if column != first.removeprefix("-"):
        return Head(name, url(first), "")
    return Head(name, url(column if is_descending else f"-{column}"), "descending" if is_descending else "ascending")
