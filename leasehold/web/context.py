"""What every page is given beside its own facts."""

from functools import cache
from typing import Any

from django.http import HttpRequest

from leasehold import clock
from leasehold.web.reader import theme_of


def page(request: HttpRequest) -> dict[str, Any]:
    """`at`: the database's time, read at most once for a page, and not where the view gives it; `theme`."""
    return {"at": cache(clock.now), "theme": theme_of(request)}
