"""Who covers what: a ticket's reservation of a scope key covers the key itself and everything below it.

Both sides ask behind the gate (`leases.gate`), in a statement of its own. The file side asks whether a place is
covered by somebody else's ticket; the start side whether anything held stands at, above or below its keys.
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
from leasehold.database.sets import Listed
from leasehold.exceptions import ScopeInUse, ScopeReserved
from leasehold.leases import HeldLease
from leasehold.models import Lease, ScopeKey, Session, Ticket, User
from leasehold.ports import Commit, commits_of

SCOPE = "scope:"


@dataclass(frozen=True, slots=True)
class Cover:
    """A held scope key at or above a place: which ticket's, and the asker's own active session on it, if any."""

    place: str
    ticket: int
    session: int | None


def covers(places: Iterable[str], worker: User) -> list[Cover]:
    """The held scope keys that cover any of `places`, in one statement."""
    above = {upper for place in places for upper in (place, *names.ancestors(place))}
    ticket = Cast(Substr(OuterRef("holder"), len("ticket:") + 1), BigIntegerField())
    mine = Session.objects.filter(
        ticket_id=ticket, status=Session.Status.ACTIVE, worker=worker, lease_until__gt=DatabaseNow()
    )
    rows = (
        Lease.objects.filter(place__in=Listed(above), resource__startswith=SCOPE)
        .exclude(holder="")
        .annotate(session=Subquery(mine.values("pk")[:1]))
        .values_list("place", "holder", "session")
    )
    return [Cover(place, ticket_of(holder), session) for place, holder, session in rows]


def relied_on(session_id: int | None) -> list[str]:
    """The gate of a session that a verb names: its submit waits for what is on its way."""
    return [] if session_id is None else [Session(pk=session_id).place]


def refuse_reserved(places: Iterable[str], worker: User) -> int | None:
    """Raise `ScopeReserved` if another's ticket covers any of `places`; else the worker's own session there, if any."""
    found = covers(places, worker)
    if others := [cover for cover in found if cover.session is None]:
        raise ScopeReserved.by(spelled(others))
    return max((cover.session for cover in found if cover.session is not None), default=None)


def is_reserved(place: str, worker: User) -> bool:
    """Does another's ticket cover this place?"""
    return any(cover.session is None for cover in covers([place], worker))


def refuse_overlaps(places: Sequence[str], *, holder: str, worker: Actor) -> None:
    """For a start: raise `ScopeReserved` or `ScopeInUse` with all that stands at, above or below the keys `places`.

    A reservation counts at, above and below; a held file at or below, unless the worker has it.
    """
    standing = [lease for lease in overlapping(places) if lease.holder != holder]
    reserved = [lease for lease in standing if lease.resource.startswith(SCOPE)]
    if reserved:
        raise ScopeReserved.by(
            spelled([Cover(lease.place, ticket_of(lease.holder), session=None) for lease in reserved])
        )
    if in_use := [lease for lease in standing if lease.participant != worker.participant]:
        raise ScopeInUse(leases=in_use)


def overlapping(places: Sequence[str]) -> list[HeldLease]:
    """Every live lease that meets these keys, ordered by resource."""
    found: dict[str, HeldLease] = {}
    for batch in leases.batches(sorted(places), 50):
        above = {upper for place in batch for upper in names.ancestors(place)}
        meets = Q(place__in=batch) | Q(place__in=above, resource__startswith=SCOPE)
        for place in batch:
            low, high = names.within(place)
            meets |= Q(place__gte=low, place__lt=high)
        found |= {lease.resource: lease for lease in leases.read_where(meets)}
    return [found[resource] for resource in sorted(found)]


def spelled(covers: Sequence[Cover]) -> dict[int, list[str]]:
    """Ticket → its keys, as its author spelled them."""
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


def over(place: Combinable, low: Combinable, worker: User) -> QuerySet[Lease]:
    """The same for `Exists` and `Subquery` over rows that lie at `place`, an expression; `low` is its first segment.

    In byte order what covers a place stands between its first segment and itself, so an index narrows it.
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
    """The holders of the tickets at which `worker` is at work."""
    mine = Session.objects.filter(status=Session.Status.ACTIVE, worker=worker, lease_until__gt=DatabaseNow())
    name = Concat(Value("ticket:"), Cast("ticket_id", TextField()), output_field=TextField())
    return mine.order_by().values(name=name)


@dataclass(frozen=True, slots=True)
class Audited:
    """What was really committed under a ticket, beside what it declared."""

    commit: Commit
    is_inside: bool


def scope_audit(ticket: Ticket, sessions: QuerySet[Session] | Sequence[Session]) -> list[Audited]:
    """Everything committed under these sessions, each inside or outside the ticket's declared keys."""
    declared = {key.place for key in ticket.scope.all()}
    return [
        Audited(commit, is_inside=not declared.isdisjoint([commit.place, *names.ancestors(commit.place)]))
        for commit in commits_of(sessions)
    ]
