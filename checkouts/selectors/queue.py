"""What waits for an operator's decision, in the projects that the actor operates. Each list is capped at `MOST`."""

from typing import Any

from django.conf import settings
from django.db.models import OuterRef, Q, QuerySet, Subquery

from checkouts.models import Checkout, Proposal
from checkouts.selectors import checkouts_for, proposals_for, with_own_leases
from leasehold.actors import Actor
from leasehold.database.clock import StatementNow
from leasehold.models import Project, Role, Session, Ticket
from leasehold.selectors import projects_for, sessions_for
from leasehold.selectors.tickets import to_decide

MOST = 50


def operated_by(actor: Actor) -> QuerySet[Project]:
    """The projects in which the actor decides; a superuser's are all."""
    projects = projects_for(actor)
    return projects if actor.user.is_superuser else projects.filter(role=Role.OPERATOR)


def waiting_tickets(actor: Actor) -> list[Ticket]:
    """What the navigation counts beside *Tickets*: reviews and blocked tickets, each with `is_stale`, what is known of
    its last session (`last_status`, `last_worker`, …), and its keys. The one that has waited longest is first."""
    last = Session.objects.filter(ticket=OuterRef("pk")).order_by("-pk")
    long_ago = StatementNow(-settings.LEASEHOLD_STALE_AFTER)
    waiting = to_decide(actor).annotate(
        last_status=Subquery(last.values("status")[:1]),
        last_worker=Subquery(last.values("worker__username")[:1]),
        last_until=Subquery(last.values("lease_until")[:1]),
        last_word=Subquery(last.values("outcome")[:1]),
        is_stale=Q(state_since__lte=long_ago),
    )
    return list(waiting.prefetch_related("scope").order_by("state_since", "pk")[:MOST])


def lapsed_sessions(actor: Actor) -> list[Session]:
    """Those that ran out and that nothing has written down yet: the next act of anybody does."""
    sessions = sessions_for(actor).filter(status=Session.Status.ACTIVE, lease_until__lte=StatementNow())
    return list(sessions.filter(ticket__project__in=operated_by(actor).values("pk")).order_by("lease_until")[:MOST])


def open_proposals(actor: Actor) -> list[Proposal]:
    """The one that has waited longest is first."""
    waiting = proposals_for(actor).filter(state=Proposal.State.OPEN)
    return list(waiting.filter(artifact__project__in=operated_by(actor).values("pk")).order_by("pk")[:MOST])


def held_checkouts(actor: Actor) -> QuerySet[Any]:
    """Check-outs that hold their file, in the operated projects, each with its lease."""
    records = with_own_leases(checkouts_for(actor)).select_related("artifact__head")
    records = records.filter(state=Checkout.State.OPEN, is_held=True)
    return records.filter(artifact__project__in=operated_by(actor).values("pk"))


def long_checkouts(actor: Actor) -> list[Any]:
    """Held for longer than `LEASEHOLD_STALE_AFTER`, by accounts that can sign in."""
    long_ago = StatementNow(-settings.LEASEHOLD_STALE_AFTER)
    return list(
        held_checkouts(actor).filter(opened_at__lte=long_ago, actor__is_active=True).order_by("opened_at")[:MOST]
    )


def of_disabled_accounts(actor: Actor) -> list[Any]:
    """Held by accounts that are off: nothing drops their leases, and nobody but an operator can."""
    return list(held_checkouts(actor).filter(actor__is_active=False).order_by("opened_at")[:MOST])
