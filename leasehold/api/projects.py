"""Projects and their members."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from leasehold import selectors
from leasehold.actions import projects as actions
from leasehold.api.base.endpoint import Endpoint
from leasehold.api.base.pagination import cursor_page
from leasehold.api.base.schema import PAGING, page_of
from leasehold.api.representations import projects as show
from leasehold.api.serializers import projects as shapes
from leasehold.exceptions import Invalid
from leasehold.models import User


class Projects(Endpoint):
    @extend_schema(operation_id="projects_list", parameters=PAGING, responses=page_of(shapes.ProjectShape))
    def get(self, request: Request) -> Response:
        """My projects."""
        rows = selectors.projects_for(self.actor)
        return Response(cursor_page(request, rows, order=("slug",), render=lambda row: show.project(row, row.role)))

    @extend_schema(request=shapes.NewProject, responses={201: shapes.ProjectShape})
    def post(self, request: Request) -> Response:
        """Make a project; superusers."""
        project = actions.create_project(actor=self.actor, **self.validated(shapes.NewProject))
        return Response(show.project(project, None), status=201)


class ProjectDetail(Endpoint):
    @extend_schema(responses=shapes.ProjectShape)
    def get(self, request: Request, slug: str) -> Response:
        """One project."""
        project: Any = selectors.project_for(self.actor, slug)
        return Response(show.project(project, project.role))

    @extend_schema(request=shapes.ProjectChange, responses=shapes.ProjectShape)
    def patch(self, request: Request, slug: str) -> Response:
        """Give it another name or other rules; its operators. The slug never changes."""
        seen: Any = selectors.project_for(self.actor, slug)
        project = actions.set_project(actor=self.actor, project=seen, **self.validated(shapes.ProjectChange))
        return Response(show.project(project, seen.role))


class Members(Endpoint):
    @extend_schema(operation_id="members_list", parameters=PAGING, responses=page_of(shapes.MemberShape))
    def get(self, request: Request, slug: str) -> Response:
        """Who is a member."""
        rows = selectors.members_of(selectors.project_for(self.actor, slug))
        return Response(cursor_page(request, rows, order=("id",), render=show.member))

    @extend_schema(request=shapes.NewMember, responses={201: shapes.MemberShape})
    def post(self, request: Request, slug: str) -> Response:
        """Make an account a member, or give a member another role; operators."""
        project, values = selectors.project_for(self.actor, slug), self.validated(shapes.NewMember)
        member = actions.set_member(
            actor=self.actor, project=project, user=_account(values["user"]), role=values["role"]
        )
        return Response(show.member(member), status=201)


class MemberDetail(Endpoint):
    @extend_schema(responses={204: None})
    def delete(self, request: Request, slug: str, name: str) -> Response:
        """End a membership; operators."""
        project = selectors.project_for(self.actor, slug)
        actions.remove_member(actor=self.actor, project=project, user=selectors.member_of(project, name))
        return Response(status=204)


def _account(name: str) -> User:
    try:
        return User.objects.get_by_natural_key(name)
    except User.DoesNotExist as error:
        raise Invalid.of("user", "There is no account of this name.") from error
