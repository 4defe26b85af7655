"""Several files as one zip."""

from django.http import HttpResponseBase
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request

from checkouts.api.content import ContentEndpoint
from checkouts.http import zips
from leasehold.api.base import fields
from leasehold.api.base.schema import query
from leasehold.exceptions import Invalid
from leasehold.selectors import project_for

CHOICES = ("prefix", "artifacts", "checkouts")


class ProjectZip(ContentEndpoint):
    @extend_schema(
        parameters=[
            query("prefix", "All that lies in a folder: `heroes/`. Empty: the whole project."),
            query("artifacts", "Or these files: `1,2`; their newest versions."),
            query("checkouts", "Or these check-outs: `1,2`; the versions that were checked out."),
        ],
        responses={(200, "application/zip"): OpenApiTypes.BINARY},
    )
    def get(self, request: Request, slug: str) -> HttpResponseBase:
        """A zip of a folder, or of several files or check-outs, under the paths that they have in the project."""
        home = project_for(self.actor, slug)
        if len(given := [name for name in CHOICES if name in request.query_params]) != 1:
            raise Invalid.of("prefix", f"Name one of {', '.join(CHOICES)}.")
        name = slug
        match given[0]:
            case "artifacts":
                members = zips.members_of_artifacts(self.actor, home, fields.ids_of(request, "artifacts"))
            case "checkouts":
                members = zips.members_of_checkouts(self.actor, home, fields.ids_of(request, "checkouts"))
            case _:
                prefix = fields.text_of(request, "prefix").replace("\\", "/").strip("/")
                members = zips.members_in_folder(self.actor, home, prefix)
                name = prefix.rpartition("/")[2] or slug
        return zips.zip_response(members, name=f"{name}.zip", is_head=request.method == "HEAD")
