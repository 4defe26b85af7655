"""Pages by key: what comes after a row is asked for by that row's values, never by a number of rows to leave out."""

from collections.abc import Sequence
from typing import Any

from django.db.models import Q


def beyond(order: Sequence[str], values: Sequence[Any]) -> Q:
    """Rows after these values: `a >= x AND (a > x OR b > y)`, of which an index can use the first part.

    `order`: columns that are unique together, not null, and all in one direction, as `order_by` takes them.
    """
    column, further = order[0].removeprefix("-"), "lt" if order[0].startswith("-") else "gt"
    past = Q(**{f"{column}__{further}": values[0]})
    if len(order) == 1:
        return past
    return Q(**{f"{column}__{further}e": values[0]}) & (past | beyond(order[1:], values[1:]))
