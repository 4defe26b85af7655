"""Projects and memberships that the actor may see."""

from typing import Any

from django.db.models import OuterRef, QuerySet, Subquery
from django.db.models.functions import Lower

from leasehold.actors import Actor
from leasehold.exceptions import NotFound
from leasehold.models import Membership, Project, User


def projects_for(actor: Actor) -> QuerySet[Project]:
    """Return the actor's projects, each with the actor's `role` there (None for a superuser who is no member)."""
    role = Membership.objects.filter(project=OuterRef("pk"), user=actor.user).values("role")[:1]
    projects = Project.objects.annotate(role=Subquery(role))
    return projects if actor.sees_everything else projects.filter(memberships__user=actor.user)


def limit_to_projects(actor: Actor, rows: QuerySet[Any], path: str) -> QuerySet[Any]:
    """Return the rows that belong to a project which the actor may see; `path` is the look-up from row to project."""
    return rows if actor.sees_everything else rows.filter(**{f"{path}__in": projects_for(actor).values("pk")})


def project_for(actor: Actor, slug: str) -> Project:
    """Return one project. Raises `NotFound` if it does not exist or the actor may not see it."""
    if (project := projects_for(actor).filter(slug=slug).first()) is None:
        raise NotFound
    return project


def memberships_of(actor: Actor) -> QuerySet[Membership]:
    """Return the actor's memberships with their projects, ordered by slug."""
    return Membership.objects.filter(user=actor.user).select_related("project").order_by("project__slug")


def members_of(project: Project) -> QuerySet[Membership]:
    """Return a project's memberships with their accounts, the oldest first."""
    return project.memberships.select_related("user").order_by("id")


def member_of(project: Project, name: str) -> User:
    """Return the member of this name, in any case. Raises `NotFound` for an account that is no member."""
    member = members_of(project).alias(key=Lower("user__username")).filter(key=name.lower()).first()
    if member is None:
        raise NotFound
    return member.user
