"""The caller's own account."""

from dataclasses import replace

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from leasehold import selectors
from leasehold.actions.profile import set_profile
from leasehold.api.base.endpoint import Endpoint
from leasehold.api.representations import accounts as show
from leasehold.api.serializers import accounts as shapes


class Me(Endpoint):
    @extend_schema(responses=shapes.MeShape)
    def get(self, request: Request) -> Response:
        """Who I am, and where I am a member."""
        return Response(show.me(self.actor, list(selectors.memberships_of(self.actor))))

    @extend_schema(request=shapes.ProfileChange, responses=shapes.MeShape)
    def patch(self, request: Request) -> Response:
        """Change my full name or time zone."""
        user = set_profile(actor=self.actor, **self.validated(shapes.ProfileChange))
        return Response(show.me(replace(self.actor, user=user), list(selectors.memberships_of(self.actor))))
