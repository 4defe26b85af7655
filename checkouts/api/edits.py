"""An agent's short lease on a file, in three calls: open, put the new bytes, or give up."""

import uuid

from django.conf import settings
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from checkouts import selectors
from checkouts.actions.edits import discard_edit, expect_put, open_edit, put_edit
from checkouts.api.check_ins import etag_of, status_of
from checkouts.api.preconditions import fields_of
from checkouts.api.representations import attempts as show
from checkouts.api.serializers import attempts as shapes
from checkouts.api.serializers.files import BytesForm
from checkouts.http.uploads import received_upload
from leasehold.api.base.endpoint import Endpoint
from leasehold.api.base.schema import query


class ArtifactEdits(Endpoint):
    @extend_schema(request=shapes.EditBody, responses={201: shapes.EditShape})
    def post(self, request: Request, pk: int) -> Response:
        """Take a file for at most 45 seconds. 409 `artifact_busy` says who has it; with `lease` null it has just become
        free, and one may try again at once. There is no queue."""
        granted = open_edit(actor=self.actor, artifact_id=pk, **self.validated(shapes.EditBody))
        return Response(show.edit(granted.edit, granted.lease), status=201)


class EditDetail(Endpoint):
    @extend_schema(responses=shapes.EditShape)
    def get(self, request: Request, pk: uuid.UUID) -> Response:
        """One edit: its base, its lease while that is live, and how it ended."""
        return Response(show.edit(*selectors.edit_with_lease(self.actor, pk)))

    @extend_schema(responses={204: None})
    def delete(self, request: Request, pk: uuid.UUID) -> Response:
        """Give up and commit nothing; on one that has ended, it changes nothing."""
        discard_edit(actor=self.actor, edit_id=pk)
        return Response(status=204)


class EditContent(Endpoint):
    @extend_schema(
        request={"multipart/form-data": BytesForm, "application/octet-stream": OpenApiTypes.BINARY},
        parameters=[
            query("comment", "With a raw body."),
            query("digest", "With a raw body: sha256:<64 hex digits>, checked on arrival."),
        ],
        responses={
            201: OpenApiResponse(shapes.EditWithVersionShape, "Committed; the edit has ended, the file is free."),
            200: OpenApiResponse(shapes.AnyEditOutcome, "Unchanged; or a replay of the first answer."),
            202: OpenApiResponse(shapes.EditWithProposalShape, "Kept as a proposal, as the write policy says."),
        },
    )
    def put(self, request: Request, pk: uuid.UUID) -> Response:
        """Bring the new bytes, as a form or as they are. After the lease has run out they are still taken, if nobody
        else has the file (409 `artifact_busy`) and it has not moved on (409 `stale_base`)."""
        edit = expect_put(actor=self.actor, edit_id=pk)
        limit, is_stored = settings.LEASEHOLD_UPLOAD_LIMIT, edit.is_open
        with received_upload(request, limit=limit, is_stored=is_stored) as upload:
            comment = fields_of(request, upload, "comment", "digest").get("comment", "")
            outcome = upload.commit_with(
                lambda received: put_edit(actor=self.actor, edit_id=pk, upload=received, comment=comment)
            )
        return Response(show.outcome(outcome), status=status_of(outcome), headers=etag_of(outcome))
