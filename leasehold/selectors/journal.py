"""Journal entries that the actor may see."""

from django.db.models import Q, QuerySet

from leasehold.actors import Actor
from leasehold.models import Entry
from leasehold.selectors.projects import projects_for


def entries_for(actor: Actor) -> QuerySet[Entry]:
    """Return the entries of the actor's projects, and of what the actor did elsewhere."""
    entries = Entry.objects.select_related("project")
    if actor.sees_everything:
        return entries
    return entries.filter(Q(project__in=projects_for(actor).values("pk")) | Q(actor=actor.user))
