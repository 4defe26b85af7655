"""Every route of the URLconf, so that the tests cover a new one at once."""

import re
from collections.abc import Iterator
from typing import Any

from django.urls import URLPattern, get_resolver

PARAMETER = re.compile(r"<(?:[a-z_]+:)?([a-z_]+)>")


def routes(patterns: list[Any] | None = None, before: str = "/") -> Iterator[str]:
    """`/api/v1/artifacts/<id:pk>/`, …"""
    for pattern in get_resolver().url_patterns if patterns is None else patterns:
        route = before + str(pattern.pattern)
        if not isinstance(pattern, URLPattern):
            yield from routes(pattern.url_patterns, route)
        elif "^" in route:
            yield route.split("^")[0] + "leasehold/"  # the admin's page of one application
        elif "(?P" not in route:  # the admin's catch-all
            yield route


def filled(route: str, value: str) -> str:
    """The route with `value` for each of its parameters."""
    return PARAMETER.sub(value.replace("\\", r"\\"), route)


def parameters(route: str) -> list[str]:
    return PARAMETER.findall(route)


#: all of them, once
ROUTES = sorted(set(routes()))
