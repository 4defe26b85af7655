"""Filters of the admin's lists: one query parameter each, with a closed set of values. No other parameter filters."""

from collections.abc import Callable
from typing import Any

from django.contrib.admin import ModelAdmin, SimpleListFilter
from django.db.models import QuerySet
from django.http import HttpRequest

from leasehold.admin.actions import actor_of
from leasehold.selectors import projects_for

Narrow = Callable[[QuerySet[Any], str], QuerySet[Any]]
MOST_PROJECTS = 200  # in a filter; the search finds the others


def choices(title: str, parameter: str, values: dict[str, str], narrow: Narrow) -> type[SimpleListFilter]:
    """Return a filter by one of `values` (value → label). `narrow` returns the rows for a value."""

    def lookups(self: SimpleListFilter, request: HttpRequest, model_admin: ModelAdmin) -> list[tuple[str, str]]:
        return list(values.items())

    def queryset(self: SimpleListFilter, request: HttpRequest, rows: QuerySet[Any]) -> QuerySet[Any]:
        value = self.value()
        return narrow(rows, str(value)) if value in values else rows

    parts = {"title": title, "parameter_name": parameter, "lookups": lookups, "queryset": queryset}
    return type("Choices", (SimpleListFilter,), parts)


def project(path: str = "project") -> type[SimpleListFilter]:
    """Return a filter by the projects that the reader may see. `path`: the lookup from the row to its project."""

    def lookups(self: SimpleListFilter, request: HttpRequest, model_admin: ModelAdmin) -> list[tuple[str, str]]:
        return list(projects_for(actor_of(request)).order_by("slug").values_list("slug", "name")[:MOST_PROJECTS])

    def queryset(self: SimpleListFilter, request: HttpRequest, rows: QuerySet[Any]) -> QuerySet[Any]:
        slug = str(self.value() or "")
        if "\0" in slug:  # PostgreSQL refuses to compare it
            return rows.none()
        return rows.filter(**{f"{path}__slug": slug}) if slug else rows

    parts = {"title": "project", "parameter_name": "project", "lookups": lookups, "queryset": queryset}
    return type("Project", (SimpleListFilter,), parts)
