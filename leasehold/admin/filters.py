"""Filters of lists. Each is one parameter with a closed set of values; nothing else in the address filters."""

from collections.abc import Callable
from typing import Any

from django.contrib.admin import ModelAdmin, SimpleListFilter
from django.db.models import QuerySet
from django.http import HttpRequest

from leasehold.admin.actions import actor_of
from leasehold.selectors import projects_for

Narrow = Callable[[QuerySet[Any], str], QuerySet[Any]]
MOST_PROJECTS = 200  # in a filter; more are found by searching


def choices(title: str, parameter: str, values: dict[str, str], narrow: Narrow) -> type[SimpleListFilter]:
    """A filter by one of `values` (value → label); `narrow` takes the rows and the value."""

    def lookups(self: SimpleListFilter, request: HttpRequest, model_admin: ModelAdmin) -> list[tuple[str, str]]:
        return list(values.items())

    def queryset(self: SimpleListFilter, request: HttpRequest, rows: QuerySet[Any]) -> QuerySet[Any]:
        chosen = self.value()
        return narrow(rows, str(chosen)) if chosen in values else rows

    parts = {"title": title, "parameter_name": parameter, "lookups": lookups, "queryset": queryset}
    return type("Choices", (SimpleListFilter,), parts)


def project(path: str = "project") -> type[SimpleListFilter]:
    """A filter by the projects that the reader may see; `path` leads from the row to its project."""

    def lookups(self: SimpleListFilter, request: HttpRequest, model_admin: ModelAdmin) -> list[tuple[str, str]]:
        return list(projects_for(actor_of(request)).order_by("slug").values_list("slug", "name")[:MOST_PROJECTS])

    def queryset(self: SimpleListFilter, request: HttpRequest, rows: QuerySet[Any]) -> QuerySet[Any]:
        slug = str(self.value() or "")
        if "\0" in slug:  # PostgreSQL refuses to compare it
            return rows.none()
        return rows.filter(**{f"{path}__slug": slug}) if slug else rows

    parts = {"title": "project", "parameter_name": "project", "lookups": lookups, "queryset": queryset}
    return type("Project", (SimpleListFilter,), parts)
