"""Leases, and breaking one."""

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from leasehold import leases, selectors
from leasehold.actions.leases import break_lease
from leasehold.api.base import fields
from leasehold.api.base.endpoint import Endpoint
from leasehold.api.base.pagination import cursor_page
from leasehold.api.base.schema import PAGING, page_of, query
from leasehold.api.representations import leases as show
from leasehold.api.serializers import leases as shapes
from leasehold.http.json_values import to_json

HOLDER_KINDS = ("checkout", "edit", "ticket", "pass", "op")


class Leases(Endpoint):
    @extend_schema(
        operation_id="leases_list",
        parameters=[
            query("kind", "What holds it.", enum=HOLDER_KINDS),
            query("holder", "An account (`alice`, `user:alice`) or one attempt (`checkout:17:user:alice`)."),
            query("resource", "`artifact:12`"),
            query("project", "The slug: leases on its files and scope keys."),
            *PAGING,
        ],
        responses=page_of(shapes.LeaseRowShape),
    )
    def get(self, request: Request) -> Response:
        """Who holds what; lapsed ones are marked."""
        rows = selectors.leases_for(self.actor)
        if kind := fields.choice_of(request, "kind", HOLDER_KINDS):
            rows = rows.filter(selectors.has_holder_kind(kind))
        if holder := fields.text_of(request, "holder"):
            rows = rows.filter(selectors.has_holder(holder))
        if resource := fields.text_of(request, "resource"):
            rows = rows.filter(resource=resource)
        if slug := fields.text_of(request, "project"):
            rows = rows.filter(selectors.is_in_project(slug))
        page = cursor_page(request, rows, order=("resource",), render=leases.as_held)
        results = [show.lease_row(lease) for lease in selectors.name_workers(self.actor, page["results"])]
        return Response(page | {"results": results})


class LeaseBreak(Endpoint):
    @extend_schema(request=shapes.LeaseBreakBody, responses=shapes.LeaseBrokenShape)
    def post(self, request: Request) -> Response:
        """End whatever holds a resource, with a reason: a file's lease (operators of its project) or a pass (staff). A
        reservation ends by a decision on its ticket. `lease` is what was ended; null: nobody held it."""
        ended = break_lease(actor=self.actor, **self.validated(shapes.LeaseBreakBody))
        return Response({"broken": ended is not None, "lease": to_json(ended)})
