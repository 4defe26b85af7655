"""Queries for proposals, and for those that an operator may decide."""

from django.db.models import Exists, OuterRef, Q, QuerySet

from checkouts.models import Proposal
from leasehold.actors import Actor
from leasehold.database.ids import BIGGEST_ID
from leasehold.exceptions import NotFound
from leasehold.models import Membership, Role


def proposals_for(actor: Actor) -> QuerySet[Proposal]:
    """Return the proposals in the actor's projects, and always the actor's own."""
    proposals = Proposal.objects.select_related(
        "artifact__project", "artifact__head", "base_version", "blob", "author", "decided_by"
    )
    if actor.sees_everything:
        return proposals
    memberships = Membership.objects.filter(project=OuterRef("artifact__project"), user=actor.user)
    return proposals.filter(Q(author=actor.user) | Exists(memberships))


def proposals_to_decide(actor: Actor) -> QuerySet[Proposal]:
    """Return the open proposals in projects where the actor is an operator."""
    waiting = Proposal.objects.filter(state=Proposal.State.OPEN)
    if actor.user.is_superuser:
        return waiting
    mine = Membership.objects.filter(project=OuterRef("artifact__project"), user=actor.user, role=Role.OPERATOR)
    return waiting.filter(Exists(mine))


def proposal_for(actor: Actor, proposal_id: int) -> Proposal:
    """Return one proposal. Raises `NotFound` if it is unknown or foreign."""
    found = proposals_for(actor).filter(pk=proposal_id).first() if proposal_id <= BIGGEST_ID else None
    if found is None:
        raise NotFound
    return found
