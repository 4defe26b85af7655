"""Leases that the actor may see, and the conditions by which lists of leases are filtered."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from django.db.models import OuterRef, Q, QuerySet, TextField, Value
from django.db.models.functions import Cast, Concat, Right

from leasehold import leases, names
from leasehold.actors import Actor
from leasehold.database.clock import DatabaseNow
from leasehold.leases import HeldLease
from leasehold.models import Lease, Session, Ticket
from leasehold.models.ticket import LIVE
from leasehold.pass_names import PREFIX, pass_resource
from leasehold.selectors.projects import projects_for
from leasehold.selectors.tickets import participant_of, tickets_for

MOST_LEASES = 1_000  # an actor's own leases are counted up to this number


def leases_for(actor: Actor) -> QuerySet[Lease]:
    """Return the held leases, live and lapsed, that the actor may see.

    These are the leases in the actor's projects, of the tickets there, the actor's own, and all passes.
    """
    seen = leases.all_held()
    if actor.sees_everything:
        return seen
    visible = Q(participant=actor.participant) | _with_prefix("resource", "role:")
    tickets = Ticket.objects.filter(project__memberships__user=actor.user, status__in=LIVE)
    name = Concat(Value("ticket:"), Cast("pk", TextField()), output_field=TextField())
    visible |= Q(holder__in=tickets.values(name=name))
    for slug in projects_for(actor).values_list("slug", flat=True):
        visible |= is_in_project(slug)
    return seen.filter(visible)


def count_leases_by_project(actor: Actor) -> Counter[str]:
    """Return how many live leases the actor holds in each project, by slug; in total at most MOST_LEASES."""
    mine = Lease.objects.filter(leases.is_live(), participant=actor.participant).exclude(place="")
    return Counter(place.partition("/")[0] for place in mine.values_list("place", flat=True)[:MOST_LEASES])


def is_in_project(slug: str) -> Q:
    """Return the condition for leases in a project: on its files, and on scope keys at or below its slug."""
    low, high = names.range_below(slug)
    return Q(place=slug) | Q(place__gte=low, place__lt=high)


def has_holder_kind(kind: str) -> Q:
    """Return the condition for leases whose holder is of a kind: checkout, edit, ticket, pass or op."""
    return _with_prefix("holder", f"{kind}:")


def has_resource_kind(kind: str) -> Q:
    """Return the condition for leases whose resource is of a kind: artifact, scope (a key) or role (a pass)."""
    return _with_prefix("resource", f"{kind}:")


def held_passes(role: str = "", context: str = "") -> QuerySet[Lease]:
    """Return the passes that hold their lock, live and lapsed, with the database's time as `at`.

    `role` and `context` each narrow the result. Every account may see all passes.
    """
    held = leases.all_held()
    if role:
        held = held.filter(_with_prefix("resource", pass_resource(role, "")))
    else:
        held = held.filter(_with_prefix("resource", PREFIX))
    if context:
        last = pass_resource("", context).removeprefix(PREFIX)
        held = held.alias(ending=Right("resource", len(last))).filter(ending=last)
    return held


def has_holder(holder: str) -> Q:
    """Return the condition for leases of an account (`alice`, `user:alice`) or attempt (`checkout:17:user:alice`)."""
    return Q(holder=holder) | Q(participant__in=[holder, f"user:{holder}", f"agent:{holder}"])


def _with_prefix(column: str, prefix: str) -> Q:
    """Return the condition that a column begins with `prefix`, as a range.

    Unlike LIKE, a range uses the index, and no character in a user's text is a wildcard.
    """
    return Q(**{f"{column}__gte": prefix, f"{column}__lt": prefix[:-1] + chr(ord(prefix[-1]) + 1)})


def name_workers(actor: Actor, found: Sequence[HeldLease]) -> list[HeldLease]:
    """Return the same leases; those of tickets get their active worker as participant and their title as purpose.

    Of a ticket that the actor may not see, both are empty: only its id and key are left.
    """
    holders = {lease.holder for lease in found if lease.kind == "ticket"}
    if not holders:
        return list(found)
    active = Session.objects.filter(ticket=OuterRef("pk"), status=Session.Status.ACTIVE, lease_until__gt=DatabaseNow())
    seen = tickets_for(actor).filter(pk__in=[int(holder.removeprefix("ticket:")) for holder in holders])
    seen = seen.annotate(at_work=active.values(name=participant_of("worker"))[:1])
    visible = {
        f"ticket:{pk}": (title, worker or "") for pk, title, worker in seen.values_list("pk", "title", "at_work")
    }

    def with_worker(lease: HeldLease) -> HeldLease:
        purpose, participant = visible.get(lease.holder, ("", ""))
        return replace(lease, purpose=purpose, participant=participant)

    return [with_worker(lease) if lease.holder in holders else lease for lease in found]
