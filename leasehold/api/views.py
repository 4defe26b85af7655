"""The ground floor's endpoints: who am I, projects and members, who holds what."""

from dataclasses import replace
from typing import Any

from django.db import DatabaseError
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.urls import is_valid_path
from django.views.decorators.csrf import csrf_exempt
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from leasehold import clock, leases, selectors
from leasehold.actions import projects as actions
from leasehold.actions.profile import set_profile
from leasehold.api import fields, shapes
from leasehold.api import representations as show
from leasehold.api.doors import Door
from leasehold.api.pages import page
from leasehold.api.refusals import DETAILS, problem_response
from leasehold.api.schema import PAGING, page_of, query
from leasehold.exceptions import Invalid
from leasehold.models import User

HOLDER_KINDS = ("checkout", "edit", "ticket", "pass", "op")


class Me(Door):
    @extend_schema(responses=shapes.MeShape)
    def get(self, request: Request) -> Response:
        """Who I am, and where I am a member."""
        return Response(show.me(self.actor, list(selectors.memberships_of(self.actor))))

    @extend_schema(request=shapes.ProfileChange, responses=shapes.MeShape)
    def patch(self, request: Request) -> Response:
        """Change my full name or time zone."""
        user = set_profile(actor=self.actor, **self.asked(shapes.ProfileChange))
        return Response(show.me(replace(self.actor, user=user), list(selectors.memberships_of(self.actor))))


class Projects(Door):
    @extend_schema(operation_id="projects_list", parameters=PAGING, responses=page_of(shapes.ProjectShape))
    def get(self, request: Request) -> Response:
        """My projects."""
        rows = selectors.projects_for(self.actor)
        return Response(page(request, rows, order=("slug",), render=lambda row: show.project(row, row.role)))

    @extend_schema(request=shapes.NewProject, responses={201: shapes.ProjectShape})
    def post(self, request: Request) -> Response:
        """Make a project; superusers."""
        project = actions.create_project(actor=self.actor, **self.asked(shapes.NewProject))
        return Response(show.project(project, None), status=201)


class ProjectDetail(Door):
    @extend_schema(responses=shapes.ProjectShape)
    def get(self, request: Request, slug: str) -> Response:
        """One project."""
        project: Any = selectors.project_for(self.actor, slug)
        return Response(show.project(project, project.role))

    @extend_schema(request=shapes.ProjectChange, responses=shapes.ProjectShape)
    def patch(self, request: Request, slug: str) -> Response:
        """Give it another name or other rules; its operators. The slug never changes."""
        seen: Any = selectors.project_for(self.actor, slug)
        project = actions.set_project(actor=self.actor, project=seen, **self.asked(shapes.ProjectChange))
        return Response(show.project(project, seen.role))


class Members(Door):
    @extend_schema(operation_id="members_list", parameters=PAGING, responses=page_of(shapes.MemberShape))
    def get(self, request: Request, slug: str) -> Response:
        """Who is a member."""
        rows = selectors.members_of(selectors.project_for(self.actor, slug))
        return Response(page(request, rows, order=("id",), render=show.member))

    @extend_schema(request=shapes.NewMember, responses={201: shapes.MemberShape})
    def post(self, request: Request, slug: str) -> Response:
        """Make an account a member, or give a member another role; operators."""
        project, asked = selectors.project_for(self.actor, slug), self.asked(shapes.NewMember)
        member = actions.set_member(actor=self.actor, project=project, user=_account(asked["user"]), role=asked["role"])
        return Response(show.member(member), status=201)


class MemberDetail(Door):
    @extend_schema(responses={204: None})
    def delete(self, request: Request, slug: str, name: str) -> Response:
        """End a membership; operators."""
        project = selectors.project_for(self.actor, slug)
        actions.remove_member(actor=self.actor, project=project, user=selectors.member_of(project, name))
        return Response(status=204)


class Leases(Door):
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
            rows = rows.filter(selectors.of_kind(kind))
        if holder := fields.text_of(request, "holder"):
            rows = rows.filter(selectors.of_holder(holder))
        if resource := fields.text_of(request, "resource"):
            rows = rows.filter(resource=resource)
        if slug := fields.text_of(request, "project"):
            rows = rows.filter(selectors.in_project(slug))
        found = page(request, rows, order=("resource",), render=leases.as_held)
        shown = [show.lease_row(lease) for lease in selectors.with_workers(self.actor, found["results"])]
        return Response(found | {"results": shown})


@csrf_exempt  # there is nothing here to forge, and an answer of the API's is JSON
def not_there(request: HttpRequest, rest: str) -> HttpResponse:
    """Whatever else lies below /api/: as JSON too, and never as a redirect that would turn a POST into a GET."""
    detail = DETAILS[404]
    if not rest.endswith("/") and is_valid_path(f"{request.path_info}/"):
        detail = f"Paths end with a slash: {request.path_info}/"
    return problem_response(404, "not_found", detail)


def healthz(request: HttpRequest) -> JsonResponse:
    """The process answers."""
    return JsonResponse({"status": "ok"})


def readyz(request: HttpRequest) -> JsonResponse:
    """The database answers."""
    try:
        clock.now()
    except DatabaseError:
        return JsonResponse({"status": "unavailable", "database": "no answer"}, status=503)
    return JsonResponse({"status": "ok", "database": "ok"})


def _account(name: str) -> User:
    try:
        return User.objects.get_by_natural_key(name)
    except User.DoesNotExist as error:
        raise Invalid.of("user", "There is no account of this name.") from error
