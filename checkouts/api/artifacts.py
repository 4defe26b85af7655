"""Endpoints of files: list, add, read, rename, archive."""

from typing import Any

from django.conf import settings
from django.http import HttpResponseBase
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from checkouts import selectors
from checkouts.actions.artifacts import add_artifact, expect_artifact
from checkouts.actions.moves import archive, rename, unarchive
from checkouts.actions.policies import set_write_policy
from checkouts.api.content import CONTENT, ContentEndpoint, version_response
from checkouts.api.preconditions import IF_MATCH, fields_of, if_match_of
from checkouts.api.representations import files as show
from checkouts.api.serializers import files as shapes
from checkouts.http.uploads import received_upload
from checkouts.selectors.ordering import ORDERINGS, Ordering
from leasehold.actors import Actor
from leasehold.api.base import fields
from leasehold.api.base.endpoint import Endpoint
from leasehold.api.base.pagination import cursor_page
from leasehold.api.base.schema import PAGING, page_of, query
from leasehold.selectors import project_for

HELD = ("free", "me", "others", "expiring")


class ProjectArtifacts(Endpoint):
    keeps_answers = False

    @extend_schema(
        operation_id="artifacts_list",
        parameters=[
            query("prefix", "The beginning of the path: `heroes/` is what lies in that folder."),
            query("q", "A part of the path; case does not matter."),
            query("held", "Free, or held by me, by others, or by anybody for less than 30 minutes more.", enum=HELD),
            query("archived", "`true`: the archived ones in place of the others.", enum=("true", "false")),
            query(
                "ordering",
                "By `path`, the default; by when the head was made (`changed`), by its `size`, or by `holder`: the "
                "held ones by who has them, then what others' tickets reserve, then the free. `-` turns it round.",
                enum=ORDERINGS,
            ),
            *PAGING,
        ],
        responses=page_of(shapes.ArtifactShape),
    )
    def get(self, request: Request, slug: str) -> Response:
        """A project's files, each with its head and who has it checked out."""
        home = project_for(self.actor, slug)
        rows = selectors.artifacts_for(self.actor).filter(project=home)
        rows = rows.filter(archived_at__isnull=not fields.flag_of(request, "archived"))
        if prefix := fields.text_of(request, "prefix"):
            rows = selectors.beginning_with(rows, prefix)
        if part := fields.text_of(request, "q"):
            rows = selectors.containing(rows, part)
        if which := fields.choice_of(request, "held", HELD):
            rows = selectors.filter_by_holder(rows, which, self.actor, project=home)
        order = Ordering(fields.choice_of(request, "ordering", ORDERINGS) or "path")
        rows = selectors.with_leases(order.prepared(rows, self.actor, home)).select_related("head__author")
        return Response(cursor_page(request, rows, order=order.columns, render=artifact_row))

    @extend_schema(
        request={"multipart/form-data": shapes.NewFileForm, "application/octet-stream": OpenApiTypes.BINARY},
        parameters=[
            query("path", "With a raw body: where it shall lie."),
            query("comment", "With a raw body."),
            query("digest", "With a raw body: sha256:<64 hex digits>, checked on arrival."),
        ],
        responses={201: shapes.ArtifactShape},
    )
    def post(self, request: Request, slug: str) -> Response:
        """Add a file: a form with `path`, `file` and `comment`, or the bytes themselves with `?path=&comment=`."""
        expect_artifact(actor=self.actor, project=slug, path=request.query_params.get("path"))
        with received_upload(request, limit=settings.LEASEHOLD_UPLOAD_LIMIT) as upload:
            values = fields_of(request, upload, "path", "comment", "digest")
            artifact = upload.commit_with(
                lambda received: add_artifact(
                    actor=self.actor,
                    project=slug,
                    path=values.get("path", ""),
                    upload=received,
                    comment=values.get("comment", ""),
                )
            )
        return Response(show.artifact(artifact, None), status=201, headers={"ETag": f'"{artifact.head.digest}"'})


class ArtifactDetail(Endpoint):
    @extend_schema(responses=shapes.ArtifactShape)
    def get(self, request: Request, pk: int) -> Response:
        """One file with its head and its lease."""
        return artifact_response(self.actor, pk)

    @extend_schema(request=shapes.ArtifactChange, parameters=[IF_MATCH], responses=shapes.ArtifactShape)
    def patch(self, request: Request, pk: int) -> Response:
        """Rename or move a file within its project (409 `artifact_busy` while somebody else has it checked out), or, as
        an operator, set what an agent's change to it becomes. One of the two at a time."""
        if_match, change = if_match_of(request), self.validated(shapes.ArtifactChange)
        if "path" in change:
            rename(actor=self.actor, artifact_id=pk, path=change["path"], if_match=if_match)
        else:
            policy = change["write_policy"] or ""
            set_write_policy(actor=self.actor, artifact_id=pk, policy=policy, if_match=if_match)
        return artifact_response(self.actor, pk)

    @extend_schema(parameters=[IF_MATCH], responses={204: None})
    def delete(self, request: Request, pk: int) -> Response:
        """Archive a file: its path is free again, its versions stay. 409 `artifact_busy` as above."""
        archive(actor=self.actor, artifact_id=pk, if_match=if_match_of(request))
        return Response(status=204)


class ArtifactContent(ContentEndpoint):
    @extend_schema(responses=CONTENT)
    def get(self, request: Request, pk: int) -> HttpResponseBase:
        """The head's bytes. `If-None-Match`, `Range` and HEAD are answered; the ETag is the digest."""
        artifact = selectors.artifact_for(self.actor, pk).artifact
        return version_response(request, selectors.version_of(artifact, artifact.head.number), artifact.name)


class ArtifactUnarchive(Endpoint):
    @extend_schema(request=shapes.NothingBody, responses=shapes.ArtifactShape)
    def post(self, request: Request, pk: int) -> Response:
        """Bring a file back from the archive, to its old path; 409 `path_taken` if another lies there now."""
        self.validated(shapes.NothingBody)
        unarchive(actor=self.actor, artifact_id=pk)
        return artifact_response(self.actor, pk)


def artifact_response(actor: Actor, pk: int) -> Response:
    """Return the artifact as it is now, with its ETag."""
    file = selectors.artifact_for(actor, pk)
    return Response(show.artifact(file.artifact, file.live_lease), headers={"ETag": f'"{file.artifact.head.digest}"'})


def artifact_row(row: Any) -> dict[str, Any]:
    """`row`: one row of `selectors.with_leases`."""
    file = selectors.ArtifactWithLease.from_row(row)
    return show.artifact(file.artifact, file.live_lease)
