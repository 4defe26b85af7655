"""Lists for the operators' queue: what needs a decision in the projects that the actor operates, up to `MOST` each."""

from typing import Any

from django.conf import settings
from django.db.models import OuterRef, Q, QuerySet, Subquery

from checkouts.models import Checkout, Proposal
from checkouts.selectors import checkouts_for, proposals_for, with_own_leases
from leasehold.actors import Actor
from leasehold.database.clock import StatementNow
from leasehold.models import Project, Role, Session, Ticket
from leasehold.selectors import projects_for, sessions_for
from leasehold.selectors.tickets import tickets_to_decide

MOST = 50


def operated_projects(actor: Actor) -> QuerySet[Project]:
    """Return the projects in which the actor is an operator; for a superuser, all projects."""
    projects = projects_for(actor)
    return projects if actor.user.is_superuser else projects.filter(role=Role.OPERATOR)


def waiting_tickets(actor: Actor) -> list[Ticket]:
    """Return the tickets in review and the blocked ones, the longest waiting first.

    The navigation counts the same tickets beside *Tickets*. Each row has `is_stale`, facts of its last session
    (`last_status`, `last_worker`, …) and its scope keys.
    """
    last = Session.objects.filter(ticket=OuterRef("pk")).order_by("-pk")
    long_ago = StatementNow(-settings.LEASEHOLD_STALE_AFTER)
    waiting = tickets_to_decide(actor).annotate(
        last_status=Subquery(last.values("status")[:1]),
        last_worker=Subquery(last.values("worker__username")[:1]),
        last_until=Subquery(last.values("lease_until")[:1]),
        last_word=Subquery(last.values("outcome")[:1]),
        is_stale=Q(state_since__lte=long_ago),
    )
    return list(waiting.prefetch_related("scope").order_by("state_since", "pk")[:MOST])


def lapsed_sessions(actor: Actor) -> list[Session]:
    """Return the sessions whose lease ran out but that are still stored as active: the next action expires them."""
    sessions = sessions_for(actor).filter(status=Session.Status.ACTIVE, lease_until__lte=StatementNow())
    return list(
        sessions.filter(ticket__project__in=operated_projects(actor).values("pk")).order_by("lease_until")[:MOST]
    )


def open_proposals(actor: Actor) -> list[Proposal]:
    """Return the open proposals, the longest waiting first."""
    waiting = proposals_for(actor).filter(state=Proposal.State.OPEN)
    return list(waiting.filter(artifact__project__in=operated_projects(actor).values("pk")).order_by("pk")[:MOST])


def held_checkouts(actor: Actor) -> QuerySet[Any]:
    """Return the check-outs that hold their file, in the operated projects, each with its lease."""
    checkouts = with_own_leases(checkouts_for(actor)).select_related("artifact__head")
    checkouts = checkouts.filter(state=Checkout.State.OPEN, is_held=True)
    return checkouts.filter(artifact__project__in=operated_projects(actor).values("pk"))


def long_checkouts(actor: Actor) -> list[Any]:
    """Return the check-outs held for longer than `LEASEHOLD_STALE_AFTER` by accounts that can sign in."""
    long_ago = StatementNow(-settings.LEASEHOLD_STALE_AFTER)
    return list(
        held_checkouts(actor).filter(opened_at__lte=long_ago, actor__is_active=True).order_by("opened_at")[:MOST]
    )


def checkouts_of_disabled_accounts(actor: Actor) -> list[Any]:
    """Return the check-outs held by disabled accounts: disabling keeps their leases, and only an operator ends them."""
    return list(held_checkouts(actor).filter(actor__is_active=False).order_by("opened_at")[:MOST])
