"""Which reservations cover a place. A ticket's reservation of a scope key covers the key and everything below it.

Files and tickets both look here behind the gate (`leases.gate`), in a later statement. An action on a file checks
whether another ticket covers its place; the start of a ticket whether a lease lies at, above or below its keys.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import BigIntegerField, F, OuterRef, Q, QuerySet, Subquery, TextField, Value
from django.db.models.expressions import Combinable
from django.db.models.functions import Cast, Concat, Left, Length, Substr

from leasehold import leases, names
from leasehold.actors import Actor
from leasehold.database.clock import DatabaseNow
from leasehold.database.sets import ValueList
from leasehold.exceptions import ScopeInUse, ScopeReserved
from leasehold.leases import HeldLease
from leasehold.models import Lease, ScopeKey, Session, Ticket, User
from leasehold.ports import Commit, commits_of

SCOPE = "scope:"


@dataclass(frozen=True, slots=True)
class Cover:
    """A held scope key at or above a place.

    ticket: the id of the ticket that holds it. session: the worker's own live session at that ticket, if any.
    """

    place: str
    ticket: int
    session: int | None


def covers(places: Iterable[str], worker: User) -> list[Cover]:
    """Return the held scope keys that cover any of `places`, in one statement."""
    above = {upper for place in places for upper in (place, *names.ancestors(place))}
    ticket = Cast(Substr(OuterRef("holder"), len("ticket:") + 1), BigIntegerField())
    mine = Session.objects.filter(
        ticket_id=ticket, status=Session.Status.ACTIVE, worker=worker, lease_until__gt=DatabaseNow()
    )
    rows = (
        Lease.objects.filter(place__in=ValueList(above), resource__startswith=SCOPE)
        .exclude(holder="")
        .annotate(session=Subquery(mine.values("pk")[:1]))
        .values_list("place", "holder", "session")
    )
    return [Cover(place, ticket_of(holder), session) for place, holder, session in rows]


def refuse_reserved(places: Iterable[str], worker: User) -> int | None:
    """Raise `ScopeReserved` if a ticket at which `worker` has no live session covers any of `places`.

    Otherwise return the worker's live session at a covering ticket, or None.
    """
    found = covers(places, worker)
    if others := [cover for cover in found if cover.session is None]:
        raise ScopeReserved.by(keys_by_ticket(others))
    return max((cover.session for cover in found if cover.session is not None), default=None)


def refuse_overlaps(places: Sequence[str], *, holder: str, worker: Actor) -> None:
    """Raise `ScopeReserved` or `ScopeInUse` with every lease that prevents a start with the keys `places`.

    A reservation at, above or below a key prevents it; so does the lease of somebody else on a file at or below a key.
    """
    conflicts = [lease for lease in overlapping_leases(places) if lease.holder != holder]
    reserved = [lease for lease in conflicts if lease.resource.startswith(SCOPE)]
    if reserved:
        raise ScopeReserved.by(
            keys_by_ticket([Cover(lease.place, ticket_of(lease.holder), session=None) for lease in reserved])
        )
    if in_use := [lease for lease in conflicts if lease.participant != worker.participant]:
        raise ScopeInUse(leases=in_use)


def overlapping_leases(places: Sequence[str]) -> list[HeldLease]:
    """Return the live leases at or below these keys, and the reservations above them, ordered by resource."""
    found: dict[str, HeldLease] = {}
    for batch in leases.batches(sorted(places), 50):
        above = {upper for place in batch for upper in names.ancestors(place)}
        overlaps = Q(place__in=batch) | Q(place__in=above, resource__startswith=SCOPE)
        for place in batch:
            low, high = names.range_below(place)
            overlaps |= Q(place__gte=low, place__lt=high)
        found |= {lease.resource: lease for lease in leases.read_where(overlaps)}
    return [found[resource] for resource in sorted(found)]


def keys_by_ticket(covers: Sequence[Cover]) -> dict[int, list[str]]:
    """Return ticket id → the keys of these covers, as the ticket's author spelled them."""
    wanted = {(cover.ticket, cover.place) for cover in covers}
    keys = ScopeKey.objects.filter(
        ticket__in={ticket for ticket, _ in wanted}, place__in={place for _, place in wanted}
    )
    found: dict[int, list[str]] = {}
    for ticket, place, key in keys.values_list("ticket_id", "place", "key"):
        if (ticket, place) in wanted:
            found.setdefault(ticket, []).append(key)
    return found


def ticket_of(holder: str) -> int:
    """Return the id in a holder `ticket:7`."""
    return int(holder.removeprefix("ticket:"))


def reserved_for_others(places: Iterable[str], worker: User) -> dict[str, HeldLease]:
    """Return place → the nearest reservation over it by a ticket at which `worker` is not at work.

    Places without one are left out.
    """
    return _nearest_above(places, leases.all_held().exclude(holder__in=_tickets_of(worker)))


def reserved_at(places: Iterable[str]) -> dict[str, HeldLease]:
    """Return place → the nearest reservation over it, by whatever ticket. Places without one are left out."""
    return _nearest_above(places, leases.all_held())


def _nearest_above(places: Iterable[str], held: QuerySet[Lease]) -> dict[str, HeldLease]:
    """Return place → the scope key among `held` at the place itself or nearest above; one statement for 900 places."""
    above = {place: [place, *reversed(names.ancestors(place))] for place in places}
    keys: dict[str, HeldLease] = {}
    for batch in leases.batches(sorted({upper for uppers in above.values() for upper in uppers}), 900):
        rows = held.filter(place__in=batch, resource__startswith=SCOPE)
        keys |= {row.place: leases.as_held(row) for row in rows}
    nearest = {place: next((keys[upper] for upper in uppers if upper in keys), None) for place, uppers in above.items()}
    return {place: lease for place, lease in nearest.items() if lease}


def reservation_leases_over(place: Combinable, low: Combinable, worker: User) -> QuerySet[Lease]:
    """Return the reservations over a row by tickets at which `worker` is not at work, for `Exists` and `Subquery`.

    `place` is the expression for the row's place, `low` the one for its first segment. In byte order a covering key
    lies between the two, so the database can use an index.
    """
    low_end, high_end = Concat(place, Value("/")), Concat(F("place"), Value("/"), output_field=TextField())
    return (
        Lease.objects.filter(resource__startswith=SCOPE, place__gte=low, place__lte=place)
        .exclude(holder="")
        .exclude(holder__in=_tickets_of(worker))
        .alias(begins=Left(low_end, Length("place") + 1))
        .filter(begins=high_end)
    )


def _tickets_of(worker: User) -> QuerySet[Session, Any]:
    """Return the holders (`ticket:7`) of the tickets at which `worker` has a live session."""
    mine = Session.objects.filter(status=Session.Status.ACTIVE, worker=worker, lease_until__gt=DatabaseNow())
    name = Concat(Value("ticket:"), Cast("ticket_id", TextField()), output_field=TextField())
    return mine.order_by().values(name=name)


@dataclass(frozen=True, slots=True)
class Audited:
    """A commit under a ticket, and whether its place is inside the ticket's declared scope."""

    commit: Commit
    is_inside: bool


def scope_audit(ticket: Ticket, sessions: QuerySet[Session] | Sequence[Session]) -> list[Audited]:
    """Return everything committed under these sessions, each with whether the ticket's scope covers it."""
    declared = {key.place for key in ticket.scope.all()}
    return [
        Audited(commit, is_inside=not declared.isdisjoint([commit.place, *names.ancestors(commit.place)]))
        for commit in commits_of(sessions)
    ]
