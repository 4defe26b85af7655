"""Filters that several lists share, each with its parameter in the OpenAPI document."""

from typing import Any

from django.db.models import QuerySet
from rest_framework.request import Request

from leasehold.api.base.fields import flag_of, text_of
from leasehold.api.base.schema import query
from leasehold.models import User

PROJECT = query("project", "The slug.")
TRUE_OR_FALSE = ("true", "false")


def by_project(request: Request, rows: QuerySet[Any], lookup: str = "project") -> QuerySet[Any]:
    """Return the rows of the project that `?project=` names; without it, all. lookup: from a row to its project."""
    slug = text_of(request, "project")
    return rows.filter(**{f"{lookup}__slug": slug}) if slug else rows


def if_mine(request: Request, rows: QuerySet[Any], **whose: User) -> QuerySet[Any]:
    """Return the rows with `whose`, as in `worker=alice`, if `?mine=true`; otherwise all."""
    return rows.filter(**whose) if flag_of(request, "mine") else rows
