"""A file comes back."""

from django.conf import settings
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from checkouts.actions.check_in import check_in, expect_check_in
from checkouts.api import representations as show
from checkouts.api import shapes
from checkouts.api.preconditions import fields_of, if_match_of
from checkouts.outcomes import Committed, Outcome, Proposed, keeps_upload
from checkouts.uploads import received_upload
from leasehold.api.doors import Door
from leasehold.api.schema import query


class CheckIn(Door):
    @extend_schema(
        request={"multipart/form-data": shapes.CheckInForm, "application/octet-stream": OpenApiTypes.BINARY},
        parameters=[
            query("comment", "With a raw body."),
            query("digest", "With a raw body: sha256:<64 hex digits>, checked on arrival."),
            OpenApiParameter("If-Match", str, OpenApiParameter.HEADER, description="The digest the head must have."),
        ],
        responses={
            201: OpenApiResponse(shapes.WithVersionShape, "Committed."),
            200: OpenApiResponse(shapes.AnyOutcome, "Unchanged; or a replay of the first answer."),
            202: OpenApiResponse(shapes.WithProposalShape, "Kept as a proposal, since the file has moved on."),
        },
    )
    def post(self, request: Request, pk: int) -> Response:
        """Check in: a form with `file` and `comment`, or the bytes themselves with `?comment=`. Never lost: what cannot
        become a version is kept as a proposal. The same bytes again give the first answer again."""
        if_match = if_match_of(request)
        record = expect_check_in(actor=self.actor, checkout_id=pk)
        limit, is_stored = settings.LEASEHOLD_UPLOAD_LIMIT, record.is_open
        with received_upload(request, limit=limit, is_stored=is_stored) as upload:
            fields = fields_of(request, upload, "comment", "digest")
            outcome = check_in(
                actor=self.actor,
                checkout_id=pk,
                upload=upload.received,
                comment=fields.get("comment", ""),
                if_match=if_match,
            )
            if not keeps_upload(outcome):
                upload.unused()
        return Response(show.outcome(outcome), status=status_of(outcome), headers=etag_of(outcome))


def status_of(outcome: Outcome) -> int:
    if outcome.replayed:
        return 200
    return {Committed: 201, Proposed: 202}.get(type(outcome), 200)


def etag_of(outcome: Outcome) -> dict[str, str]:
    """The version's own, good for the next If-Match."""
    return {} if isinstance(outcome, Proposed) else {"ETag": f'"{outcome.version.digest}"'}
