"""The journal, in pages or as one export."""

import csv
import json
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any

from django.db.models import QuerySet
from django.http import StreamingHttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from leasehold import journal, selectors
from leasehold.actors import Actor
from leasehold.api.base import fields, filters
from leasehold.api.base.endpoint import Endpoint
from leasehold.api.base.pagination import cursor_page
from leasehold.api.base.schema import PAGING, page_of, query
from leasehold.api.representations import journal as show
from leasehold.api.serializers import journal as shapes
from leasehold.models import Entry

FILTERS = [
    query("subject", "What it is about: `artifact:12`. Several times: any of them."),
    query("kind", "What happened."),
    query("actor", "Who did it: `alice` or `user:alice`. Several times: any of them."),
    filters.PROJECT,
    query("since", "At this time or later, ISO 8601."),
]
COLUMNS = ("id", "at", "kind", "participant", "subject", "project", "request_id", "data")
CHUNK = 1_000


class Entries(Endpoint):
    @extend_schema(operation_id="entries_list", parameters=[*FILTERS, *PAGING], responses=page_of(shapes.EntryShape))
    def get(self, request: Request) -> Response:
        """The journal of my projects, the newest first."""
        return Response(cursor_page(request, filtered_entries(self.actor, request), order=("-id",), render=show.entry))


class EntriesExport(Endpoint):
    @extend_schema(
        operation_id="entries_export",
        parameters=[query("format", "`json` by default.", enum=("csv", "json")), *FILTERS],
        responses={(200, "application/json"): shapes.EntryShape(many=True), (200, "text/csv"): OpenApiTypes.STR},
    )
    def get(self, request: Request) -> StreamingHttpResponse:
        """The journal of my projects as one file, the oldest first, however long."""
        rows = map(show.entry, in_batches(filtered_entries(self.actor, request)))
        if fields.choice_of(request, "format", ("csv", "json")) == "csv":
            lines, kind = as_csv(rows), "text/csv; charset=utf-8"
        else:
            lines, kind = as_json(rows), "application/json"
        name = f"journal.{kind.partition(';')[0].rpartition('/')[2]}"
        disposition = f'attachment; filename="{name}"'
        return StreamingHttpResponse(lines, content_type=kind, headers={"Content-Disposition": disposition})


def filtered_entries(actor: Actor, request: Request) -> QuerySet[Entry]:
    """Return the entries that the actor may see and that match the query's filters."""
    rows = selectors.entries_for(actor)
    if subjects := fields.texts_of(request, "subject"):
        rows = rows.filter(subject__in=subjects)
    if kind := fields.choice_of(request, "kind", journal.KINDS):
        rows = rows.filter(kind=kind)
    if names := fields.texts_of(request, "actor"):
        participants = [text for name in names for text in (name, f"user:{name}", f"agent:{name}")]
        rows = rows.filter(participant__in=participants)
    rows = filters.by_project(request, rows)
    if since := fields.time_of(request, "since"):
        rows = rows.filter(at__gte=since)
    return rows


def in_batches(rows: QuerySet[Entry]) -> Iterator[Entry]:
    """Yield the rows in batches by keyset, so that no transaction stays open while a slow client reads."""
    last = 0
    while batch := list(rows.filter(id__gt=last).order_by("id")[:CHUNK]):
        yield from batch
        last = batch[-1].pk


def as_json(rows: Iterable[dict[str, Any]]) -> Iterator[str]:
    """Yield one JSON array, with an entry on each line."""
    separator = "[\n"
    for row in rows:
        yield separator + json.dumps(row, ensure_ascii=False)
        separator = ",\n"
    yield "[]\n" if separator == "[\n" else "\n]\n"


class Echo:
    """A file whose `write` returns the line, so that `writerow` returns it too."""

    def write(self, line: str) -> str:
        return line


def as_csv(rows: Iterable[dict[str, Any]]) -> Iterator[str]:
    """Yield a header, and a line for each entry; `data` is JSON."""
    writer = csv.writer(Echo())
    cells = ([*(row[column] for column in COLUMNS[:-1]), json.dumps(row["data"], ensure_ascii=False)] for row in rows)
    return (writer.writerow(line) for line in chain([COLUMNS], cells))
