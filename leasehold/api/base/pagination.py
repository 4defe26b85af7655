"""Cursor pages: `{next, previous, results}`, by keyset.

A cursor names the row after (or before) which a page begins. Rows that are added or removed while a client pages
through the list make no other row appear twice or not at all; the id breaks ties between equal timestamps. Each page
takes one statement, however far. A cursor is signed, and valid only for the list that issued it.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.core import signing
from django.db.models import Model, QuerySet
from rest_framework.request import Request
from rest_framework.utils.urls import replace_query_param

from leasehold.database.keyset import rows_after
from leasehold.exceptions import Invalid

DEFAULT, MOST = 50, 200


@dataclass(frozen=True, slots=True)
class Cursor:
    """Where a page begins: beside the row with these values, or without them at the start (or end) of the list."""

    values: Sequence[Any] | None = None
    is_backward: bool = False


def cursor_page(
    request: Request, rows: QuerySet[Any], *, order: Sequence[str], render: Callable[[Any], Any]
) -> dict[str, Any]:
    """Return one page of `rows` as `{next, previous, results}`.

    order: the columns, `-` for descending, as in `("-opened_at", "-id")`. Together they are unique, none is null, and
    all have one direction.
    The request supplies `?limit=` (1…200) and `?cursor=`. Raises `Invalid` for a wrong limit or a foreign cursor.
    """
    limit, cursor = _limit(request), _read(request, order)
    walk = _reversed(order) if cursor.is_backward else order
    rows = rows.order_by(*walk)
    if cursor.values is not None:
        rows = rows.filter(rows_after(walk, cursor.values))
    found = list(rows[: limit + 1])
    has_more, found = len(found) > limit, found[:limit]
    if cursor.is_backward:
        found.reverse()
    first, last = (_values(found[0], order), _values(found[-1], order)) if found else (None, None)
    # Behind the page lies at least the cursor's row. The one row too many shows whether there are more ahead.
    has_row_behind = cursor.values is not None or not found
    has_next = has_row_behind if cursor.is_backward else has_more
    has_previous = has_more if cursor.is_backward else cursor.values is not None
    return {
        "next": _link(request, order, Cursor(last)) if has_next else None,
        "previous": _link(request, order, Cursor(first, is_backward=True)) if has_previous else None,
        "results": [render(row) for row in found],
    }


def _limit(request: Request) -> int:
    text = request.query_params.get("limit", str(DEFAULT))
    if not (text.isascii() and text.isdigit() and len(text) <= 3 and 1 <= int(text) <= MOST):
        raise Invalid.of("limit", f"Expected 1 to {MOST}.")
    return int(text)


def _read(request: Request, order: Sequence[str]) -> Cursor:
    if not (text := request.query_params.get("cursor", "")):
        return Cursor()
    try:
        direction, values = signing.loads(text, salt=_salt(request, order))
    except signing.BadSignature as error:
        raise Invalid.of("cursor", "This is no cursor of this list.") from error
    return Cursor(values and [_from_json(value) for value in values], is_backward=direction == "b")


def _link(request: Request, order: Sequence[str], cursor: Cursor) -> str:
    values = cursor.values and [_to_json(value) for value in cursor.values]
    text = signing.dumps(["b" if cursor.is_backward else "f", values], salt=_salt(request, order))
    return replace_query_param(request.build_absolute_uri(), "cursor", text)


def _salt(request: Request, order: Sequence[str]) -> str:
    return f"page {request.path} {' '.join(order)}"


def _to_json(value: Any) -> Any:
    return {"at": value.isoformat()} if isinstance(value, datetime) else value


def _from_json(value: Any) -> Any:
    return datetime.fromisoformat(value["at"]) if isinstance(value, dict) else value


def _values(row: Model | dict[str, Any], order: Sequence[str]) -> list[Any]:
    columns = [column.removeprefix("-") for column in order]
    return [row[column] if isinstance(row, dict) else getattr(row, column) for column in columns]


def _reversed(order: Sequence[str]) -> list[str]:
    return [column[1:] if column.startswith("-") else f"-{column}" for column in order]
