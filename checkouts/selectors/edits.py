"""Queries for agents' edits."""

import uuid

from django.db.models import Exists, OuterRef, Q, QuerySet

from checkouts.models import Edit
from leasehold import leases
from leasehold.actors import Actor
from leasehold.exceptions import NotFound
from leasehold.leases import HeldLease
from leasehold.models import Membership


def edits_for(actor: Actor) -> QuerySet[Edit]:
    """Return the edits in the actor's projects, and always the actor's own."""
    edits = Edit.objects.select_related(*Edit.RELATED, "base_version__blob")
    if actor.sees_everything:
        return edits
    memberships = Membership.objects.filter(project=OuterRef("artifact__project"), user=actor.user)
    return edits.filter(Q(actor=actor.user) | Exists(memberships))


def edit_for(actor: Actor, edit_id: uuid.UUID) -> Edit:
    """Return one edit. Raises `NotFound` if it is unknown or foreign."""
    if (found := edits_for(actor).filter(pk=edit_id).first()) is None:
        raise NotFound
    return found


def edit_with_lease(actor: Actor, edit_id: uuid.UUID) -> tuple[Edit, HeldLease | None]:
    """Return one edit with its own lease, or None if that is not live. Raises `NotFound` as `edit_for` does."""
    edit = edit_for(actor, edit_id)
    current_leases = leases.read([edit.artifact.resource])
    return edit, next((lease for lease in current_leases if lease.holder == edit.holder), None)
