"""Agents' edits."""

import uuid

from django.db.models import Exists, OuterRef, Q, QuerySet

from checkouts.models import Edit
from leasehold import leases
from leasehold.actors import Actor
from leasehold.exceptions import NotFound
from leasehold.leases import HeldLease
from leasehold.models import Membership


def edits_for(actor: Actor) -> QuerySet[Edit]:
    """Edits in the actor's projects, and the actor's own for good."""
    edits = Edit.objects.select_related(
        "artifact__project", "base_version__blob", "actor", "result_version", "result_proposal"
    )
    if actor.sees_everything:
        return edits
    memberships = Membership.objects.filter(project=OuterRef("artifact__project"), user=actor.user)
    return edits.filter(Q(actor=actor.user) | Exists(memberships))


def edit_for(actor: Actor, edit_id: uuid.UUID) -> Edit:
    """One edit; `NotFound` if it is unknown or foreign."""
    if (found := edits_for(actor).filter(pk=edit_id).first()) is None:
        raise NotFound
    return found


def edit_with_lease(actor: Actor, edit_id: uuid.UUID) -> tuple[Edit, HeldLease | None]:
    """The same with its own lease, while that is live."""
    edit = edit_for(actor, edit_id)
    standing = leases.read([edit.artifact.resource])
    return edit, next((lease for lease in standing if lease.holder == edit.holder), None)
