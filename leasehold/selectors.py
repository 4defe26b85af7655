"""What may be seen, by name. Every look-up starts from what the actor may see: a foreign slug is an unknown slug."""

from django.db.models import OuterRef, QuerySet, Subquery

from leasehold.actors import Actor
from leasehold.exceptions import NotFound
from leasehold.models import Membership, Project


def projects_for(actor: Actor) -> QuerySet[Project]:
    """The actor's projects, each with its `role` there (none for a superuser who is no member)."""
    role = Membership.objects.filter(project=OuterRef("pk"), user=actor.user).values("role")[:1]
    projects = Project.objects.annotate(role=Subquery(role))
    return projects if actor.user.is_superuser else projects.filter(memberships__user=actor.user)


def project_for(actor: Actor, slug: str) -> Project:
    """One project; `NotFound` if it is unknown or foreign."""
    if (project := projects_for(actor).filter(slug=slug).first()) is None:
        raise NotFound
    return project
