"""Keyset pagination: the next page begins after the values of the last row, not after a number of rows (OFFSET)."""

from collections.abc import Sequence
from typing import Any

from django.db.models import Q


def rows_after(order: Sequence[str], values: Sequence[Any]) -> Q:
    """Return the condition for rows after `values`: `a >= x AND (a > x OR b > y)`. An index can use the first part.

    `order`: columns as `order_by` takes them, unique together, not null, and all in the same direction.
    """
    column, further = order[0].removeprefix("-"), "lt" if order[0].startswith("-") else "gt"
    past = Q(**{f"{column}__{further}": values[0]})
    if len(order) == 1:
        return past
    return Q(**{f"{column}__{further}e": values[0]}) & (past | rows_after(order[1:], values[1:]))
