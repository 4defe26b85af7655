"""Leases that the actor may see, and the filters of lists of leases."""

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
from leasehold.pass_names import PREFIX, resource_of
from leasehold.selectors.projects import projects_for
from leasehold.selectors.tickets import participant_of, tickets_for

COUNTED = 1_000  # nobody's own leases are counted further


def leases_for(actor: Actor) -> QuerySet[Lease]:
    """Held leases, live and lapsed, that the actor may see: in the actor's projects, of the tickets there, passes, and
    the actor's own."""
    seen = leases.all_held()
    if actor.sees_everything:
        return seen
    visible = Q(participant=actor.participant) | _with_prefix("resource", "role:")
    tickets = Ticket.objects.filter(project__memberships__user=actor.user, status__in=LIVE)
    name = Concat(Value("ticket:"), Cast("pk", TextField()), output_field=TextField())
    visible |= Q(holder__in=tickets.values(name=name))
    for slug in projects_for(actor).values_list("slug", flat=True):
        visible |= in_project(slug)
    return seen.filter(visible)


def held_by(actor: Actor) -> Counter[str]:
    """How many live leases the actor holds below each project's slug."""
    mine = Lease.objects.filter(leases.is_live(), participant=actor.participant).exclude(place="")
    return Counter(place.partition("/")[0] for place in mine.values_list("place", flat=True)[:COUNTED])


def in_project(slug: str) -> Q:
    """Leases that lie in a project: on its files, and on scope keys at or below its slug."""
    first, beyond = names.within(slug)
    return Q(place=slug) | Q(place__gte=first, place__lt=beyond)


def of_kind(kind: str) -> Q:
    """Leases whose holder is a checkout, edit, ticket, pass or op."""
    return _with_prefix("holder", f"{kind}:")


def on_kind(kind: str) -> Q:
    """Leases whose resource is an artifact, a scope (key) or a role('s pass)."""
    return _with_prefix("resource", f"{kind}:")


def passes(role: str = "", context: str = "") -> QuerySet[Lease]:
    """The passes that hold their lock, live and lapsed, with the database's time as `at`: all, or those of a role, of a
    context, or of both. Every account may see them."""
    held = leases.all_held()
    if role:
        held = held.filter(_with_prefix("resource", resource_of(role, "")))
    else:
        held = held.filter(_with_prefix("resource", PREFIX))
    if context:
        last = resource_of("", context).removeprefix(PREFIX)
        held = held.alias(ending=Right("resource", len(last))).filter(ending=last)
    return held


def of_holder(holder: str) -> Q:
    """Leases of an account (`alice`, `user:alice`), or of one attempt (`checkout:17:user:alice`)."""
    return Q(holder=holder) | Q(participant__in=[holder, f"user:{holder}", f"agent:{holder}"])


def _with_prefix(column: str, prefix: str) -> Q:
    """A range, never LIKE: an index serves it, and no character of a user's means more than itself."""
    return Q(**{f"{column}__gte": prefix, f"{column}__lt": prefix[:-1] + chr(ord(prefix[-1]) + 1)})


def with_workers(actor: Actor, found: Sequence[HeldLease]) -> list[HeldLease]:
    """The same leases, those of tickets each with its active worker. A foreign ticket shows its id and key only."""
    holders = {lease.holder for lease in found if lease.kind == "ticket"}
    if not holders:
        return list(found)
    active = Session.objects.filter(ticket=OuterRef("pk"), status=Session.Status.ACTIVE, lease_until__gt=DatabaseNow())
    seen = tickets_for(actor).filter(pk__in=[int(holder.removeprefix("ticket:")) for holder in holders])
    seen = seen.annotate(at_work=active.values(name=participant_of("worker"))[:1])
    told = {f"ticket:{pk}": (title, worker or "") for pk, title, worker in seen.values_list("pk", "title", "at_work")}

    def shown(lease: HeldLease) -> HeldLease:
        purpose, participant = told.get(lease.holder, ("", ""))
        return replace(lease, purpose=purpose, participant=participant)

    return [shown(lease) if lease.holder in holders else lease for lease in found]
