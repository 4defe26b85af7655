"""Write down what time alone has already decided. Nothing depends on it: a lapsed row is free to whoever asks."""

from dataclasses import dataclass

from leasehold import clock, journal, leases
from leasehold.actions import action
from leasehold.models import Lease, Project

BATCH = 500


@dataclass(frozen=True, slots=True)
class Lapse:
    """One lease that has run out: what it was on, and who had it."""

    resource: str
    holder: str
    participant: str
    expired_at: str


def lapsed() -> list[Lapse]:
    """What `write_down_lapses` would write down now. Changes nothing."""
    return [_lapse(lease) for lease in Lease.objects.filter(leases.is_lapsed()).order_by("expires_at", "resource")]


def reconcile() -> list[Lapse]:
    """Write down every lapse, in short transactions of a batch each. Two that run at once write each lapse once."""
    found: list[Lapse] = []
    while batch := write_down_lapses(limit=BATCH):
        found += batch
    return found


@action
def write_down_lapses(*, limit: int) -> list[Lapse]:
    """Free up to `limit` lapsed leases, one `lease_lapsed` entry each; records of check-outs stay as they are.

    A row that somebody else has locked is being taken or renewed just now: it is skipped. What a renewal saved between
    the look and the write is judged again by the WHERE, under the lock.
    """
    due = list(
        Lease.objects.select_for_update(skip_locked=True, no_key=True)
        .filter(leases.is_lapsed())
        .order_by("expires_at", "resource")[:limit]
    )
    if not due:
        return []
    at = clock.now()
    projects = dict(Project.objects.filter(slug__in={_slug(lease) for lease in due}).values_list("slug", "pk"))
    leases.free(Lease.objects.filter(pk__in=[lease.pk for lease in due]).filter(leases.is_lapsed()))
    journal.write_many(
        [
            {
                "kind": "lease_lapsed",
                "at": at,
                "subject": lease.resource,
                "project_id": projects.get(_slug(lease)),
                "holder": lease.holder,
                "held_by": lease.participant,
                "expired_at": lease.expires_at.isoformat(),
            }
            for lease in due
        ]
    )
    return [_lapse(lease) for lease in due]


def _slug(lease: Lease) -> str:
    return lease.place.partition("/")[0]


def _lapse(lease: Lease) -> Lapse:
    return Lapse(lease.resource, lease.holder, lease.participant, lease.expires_at.isoformat())
