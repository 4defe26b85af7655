"""The list of projects."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from leasehold.actors import Actor
from leasehold.models import Project, Role
from leasehold.registry import Registry
from leasehold.selectors import count_leases_by_project, projects_for
from leasehold.web.reader import actor_of

#: floor → its counts for the list of projects: (actor, projects) → figures by project id
FIGURES: Registry[str, Callable[[Actor, Sequence[Project]], Mapping[int, Any]]] = Registry()


@login_required
@require_safe
def projects(request: HttpRequest) -> HttpResponse:
    actor = actor_of(request)
    visible = list(projects_for(actor).order_by("name", "slug"))
    held = count_leases_by_project(actor)
    figures = {pk: figure for count in FIGURES.values() for pk, figure in count(actor, visible).items()}
    rows = [
        # a superuser who is no member acts as an operator
        (project, project.role or Role.OPERATOR, held[project.slug], figures.get(project.pk))
        for project in visible
    ]
    return render(request, "projects/project_list.html", {"section": "files", "rows": rows})
