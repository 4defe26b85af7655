"""The endpoint of a check-in."""

from django.conf import settings
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from checkouts.actions.check_in import check_in, expect_check_in
from checkouts.api.preconditions import IF_MATCH, fields_of, if_match_of, truth_of
from checkouts.api.representations import attempts as show
from checkouts.api.serializers import attempts as shapes
from checkouts.http.uploads import received_upload
from checkouts.outcomes import Committed, Outcome, Proposed
from leasehold.api.base.endpoint import Endpoint
from leasehold.api.base.schema import query


class CheckIn(Endpoint):
    keeps_answers = False

    @extend_schema(
        request={"multipart/form-data": shapes.CheckInForm, "application/octet-stream": OpenApiTypes.BINARY},
        parameters=[
            query("comment", "With a raw body."),
            query("digest", "With a raw body: sha256:<64 hex digits>, checked on arrival."),
            query("keep", "With a raw body.", enum=("true", "false")),
            IF_MATCH,
        ],
        responses={
            201: OpenApiResponse(shapes.WithVersionShape, "Committed."),
            200: OpenApiResponse(shapes.AnyOutcome, "Unchanged; or a replay of the first answer."),
            202: OpenApiResponse(shapes.WithProposalShape, "Kept as a proposal, since the file has moved on."),
        },
    )
    def post(self, request: Request, pk: int) -> Response:
        """Check in: a form with `file`, `comment` and `keep`, or the bytes themselves with `?comment=&keep=`. Never
        lost: what cannot become a version is kept as a proposal. The same bytes again give the first answer again. With
        `keep` the file stays checked out: the answer carries the `next_checkout`, on the resulting version."""
        if_match = if_match_of(request)
        checkout = expect_check_in(actor=self.actor, checkout_id=pk)
        limit, is_stored = settings.LEASEHOLD_UPLOAD_LIMIT, checkout.is_open
        with received_upload(request, limit=limit, is_stored=is_stored) as upload:
            fields = fields_of(request, upload, "comment", "digest", "keep")
            keep = truth_of(fields, "keep")
            outcome = upload.commit_with(
                lambda received: check_in(
                    actor=self.actor,
                    checkout_id=pk,
                    upload=received,
                    comment=fields.get("comment", ""),
                    keep=keep,
                    if_match=if_match,
                )
            )
        return Response(
            show.outcome(outcome) | {"next_checkout": show.successor(outcome)},
            status=status_of(outcome),
            headers=etag_of(outcome),
        )


def status_of(outcome: Outcome) -> int:
    if outcome.replayed:
        return 200
    return {Committed: 201, Proposed: 202}.get(type(outcome), 200)


def etag_of(outcome: Outcome) -> dict[str, str]:
    """The version's own, good for the next If-Match."""
    return {} if isinstance(outcome, Proposed) else {"ETag": f'"{outcome.version.digest}"'}
