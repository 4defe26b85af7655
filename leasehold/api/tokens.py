"""The caller's own tokens."""

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from leasehold import selectors
from leasehold.actions.tokens import create_token, revoke_token
from leasehold.api.base.endpoint import Endpoint
from leasehold.api.base.pagination import cursor_page
from leasehold.api.base.schema import PAGING, page_of
from leasehold.api.representations import accounts as show
from leasehold.api.serializers import accounts as shapes


class Tokens(Endpoint):
    keeps_answers = False  # the response contains the token's text, which is stored nowhere

    @extend_schema(operation_id="tokens_list", parameters=PAGING, responses=page_of(shapes.TokenShape))
    def get(self, request: Request) -> Response:
        """My tokens, the newest first."""
        return Response(cursor_page(request, selectors.tokens_of(self.actor.user), order=("-id",), render=show.token))

    @extend_schema(request=shapes.NewToken, responses={201: shapes.ShownToken})
    def post(self, request: Request) -> Response:
        """Make a token for myself. Its text is in this answer and nowhere else."""
        token, text = create_token(actor=self.actor, user=self.actor.user, **self.validated(shapes.NewToken))
        return Response(show.token(token) | {"token": text}, status=201, headers={"Cache-Control": "no-store"})


class TokenDetail(Endpoint):
    @extend_schema(responses={204: None})
    def delete(self, request: Request, pk: int) -> Response:
        """End one of my tokens at once."""
        revoke_token(actor=self.actor, token=selectors.token_of(self.actor.user, pk))
        return Response(status=204)
