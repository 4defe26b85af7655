"""The leases and reservations on files, as pages show them to one reader."""

from collections.abc import Iterable

from checkouts.selectors import ArtifactWithLease
from leasehold.actors import Actor
from leasehold.leases import HeldLease
from leasehold.scopes.reservations import reserved_for_others
from leasehold.selectors import name_workers
from leasehold.web.holds import Hold


def hold_for(actor: Actor, lease: HeldLease | None) -> Hold | None:
    """Return the lease as the actor sees it, or None if there is no lease."""
    return Hold.seen_by(actor.user, lease) if lease else None


def reservations_over(actor: Actor, files: Iterable[ArtifactWithLease]) -> dict[int, HeldLease]:
    """Return, by artifact id, the reservation of another participant's ticket and who works there.

    At most two statements.
    """
    places = {file.artifact.pk: file.artifact.place for file in files if file.artifact.archived_at is None}
    found = reserved_for_others(places.values(), actor.user)
    with_names = {lease.resource: lease for lease in name_workers(actor, list(found.values()))}
    return {pk: with_names[found[place].resource] for pk, place in places.items() if place in found}


def checkout_id_of(lease: HeldLease | None) -> int | None:
    """Return the id of the check-out that holds the lease, or None for another kind of holder."""
    if lease is None or lease.kind != "checkout":
        return None
    return int(lease.holder.split(":")[1])
