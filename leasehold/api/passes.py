"""Role passes: list, acquire, renew, release, expire."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from leasehold import leases, selectors
from leasehold.actions import passes as actions
from leasehold.api.base import fields
from leasehold.api.base.endpoint import Endpoint
from leasehold.api.base.pagination import cursor_page
from leasehold.api.base.schema import PAGING, page_of, query
from leasehold.api.serializers import passes as shapes
from leasehold.models import Lease


class Passes(Endpoint):
    @extend_schema(
        operation_id="passes_list",
        parameters=[query("role", "Of this role."), query("context", "On this context."), *PAGING],
        responses=page_of(shapes.PassShape),
    )
    def get(self, request: Request) -> Response:
        """Which passes run, of all accounts; lapsed ones are marked. For monitoring: do not decide by it."""
        rows = selectors.held_passes(fields.text_of(request, "role"), fields.text_of(request, "context"))
        return Response(cursor_page(request, rows, order=("resource",), render=pass_row))

    @extend_schema(request=shapes.NewPass, responses={201: shapes.GrantedPassShape})
    def post(self, request: Request) -> Response:
        """Take the lock of a role on a context, for one whole pass. 409 `role_context_busy` names the pass that runs,
        one's own included. Keep the token: whoever has it may renew and release."""
        granted = actions.acquire_pass(actor=self.actor, **self.validated(shapes.NewPass))
        return Response(granted_pass_row(granted), status=201)


class PassRenew(Endpoint):
    @extend_schema(request=shapes.PassRenewal, responses=shapes.GrantedPassShape)
    def post(self, request: Request) -> Response:
        """Go on for `ttl` seconds from now. 409 `lease_lost`, and nothing changed, if the lock is not this pass's any
        more."""
        return Response(granted_pass_row(actions.renew_pass(actor=self.actor, **self.validated(shapes.PassRenewal))))


class PassRelease(Endpoint):
    @extend_schema(request=shapes.PassToken, responses={204: None})
    def post(self, request: Request) -> Response:
        """Give the lock back. Again, or with a stale token, it changes nothing: the answer is the same."""
        actions.release_pass(actor=self.actor, **self.validated(shapes.PassToken))
        return Response(status=204)


class PassExpire(Endpoint):
    @extend_schema(request=shapes.Nothing, responses=shapes.ExpiredShape)
    def post(self, request: Request) -> Response:
        """Write down the passes whose time has run out; staff. Those without an expiry are left alone."""
        self.validated(shapes.Nothing)
        return Response({"expired": actions.expire_passes(actor=self.actor)})


def pass_row(row: Lease) -> dict[str, Any]:
    return actions.Pass(leases.as_held(row)).as_facts()


def granted_pass_row(granted: actions.Pass) -> dict[str, Any]:
    row = granted.as_facts()
    del row["is_lapsed"]
    return {"token": granted.token, **row}
