"""Column headings that sort the list. They are links, so they need no script and their URLs can be shared."""

from collections.abc import Callable
from dataclasses import dataclass

#: heading → the order after the first click: newest and largest first
SORTED_BY = {"Name": "path", "Changed": "-changed", "Size": "-size", "Holder": "holder"}


@dataclass(frozen=True, slots=True)
class ColumnHeading:
    """A link that sorts by its column, or reverses the order if the page is sorted by it already."""

    name: str
    url: str
    is_sorted: str  # a value of `aria-sort`: ascending or descending; empty for the other columns


def column_headings(sort: str, url: Callable[[str], str]) -> list[ColumnHeading]:
    """`sort`: the page's order, one of ORDERINGS. `url`: returns the page's address in another order."""
    return [column_heading(name, first, sort, url) for name, first in SORTED_BY.items()]


def column_heading(name: str, first: str, sort: str, url: Callable[[str], str]) -> ColumnHeading:
    column, is_descending = sort.removeprefix("-"), sort.startswith("-")
    if column != first.removeprefix("-"):
        return ColumnHeading(name, url(first), "")
    reverse = column if is_descending else f"-{column}"
    return ColumnHeading(name, url(reverse), "descending" if is_descending else "ascending")
