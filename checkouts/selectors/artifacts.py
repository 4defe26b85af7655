"""Files, with who holds them, and their versions."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Exists, OuterRef, Q, QuerySet, Subquery, Value
from django.db.models.functions import StrIndex

from checkouts.models import Artifact, Version
from checkouts.selectors.reservations import reserved_files
from leasehold import leases, names
from leasehold.actors import Actor
from leasehold.database.clock import DatabaseNow
from leasehold.database.ids import BIGGEST_ID, id_in
from leasehold.exceptions import NotFound
from leasehold.leases import HeldLease
from leasehold.models import Lease, Membership, Project


@dataclass(frozen=True, slots=True)
class Seen:
    """An artifact with what was read beside it in one statement: the lease on it (live or lapsed) and the clock."""

    artifact: Artifact
    role: str | None
    lease: HeldLease | None
    at: datetime

    @property
    def live_lease(self) -> HeldLease | None:
        return self.lease if self.lease and not self.lease.is_lapsed else None


def artifacts_for(actor: Actor) -> QuerySet[Artifact]:
    """The artifacts of the actor's projects, archived ones too; each with its `role`, project and head."""
    seen = Artifact.objects.select_related("project", "head").annotate(role=role_of(actor))
    return seen if actor.sees_everything else seen.filter(project__memberships__user=actor.user)


def role_of(actor: Actor) -> Any:
    """An annotation of artifacts: the actor's role in each one's project."""
    return Subquery(Membership.objects.filter(project=OuterRef("project"), user=actor.user).values("role")[:1])


def with_leases(artifacts: QuerySet[Artifact]) -> QuerySet[Artifact]:
    """The same, each with its lease: still one statement, whatever the number of rows. Read by `seen`."""
    return artifacts.annotate(lease=leases.lease_of("artifact"), at=DatabaseNow())


def seen(artifact: Any) -> Seen:
    """One row of `with_leases`."""
    return Seen(artifact, artifact.role, leases.held_from_json(artifact.lease, artifact.at), artifact.at)


def artifact_for(actor: Actor, artifact_id: int) -> Seen:
    """One artifact with its lease; `NotFound` if it is unknown or foreign."""
    found = with_leases(artifacts_for(actor)).filter(pk=artifact_id).first() if artifact_id <= BIGGEST_ID else None
    if found is None:
        raise NotFound
    return seen(found)


def artifact_at(actor: Actor, where: str) -> Artifact:
    """One artifact by its id, or by `project/path` as a person types it; `NotFound` if it is unknown or foreign."""
    if number := id_in(where):
        return artifact_for(actor, number).artifact
    slug, _, path = where.partition("/")
    rows = artifacts_for(actor).filter(project__slug=slug, path_key=names.comparing(path), archived_at=None)
    if (found := rows.first()) is None:
        raise NotFound
    return found


def held(
    artifacts: QuerySet[Artifact], which: str, actor: Actor, *, project: Project | None = None, within: int = 1800
) -> QuerySet[Artifact]:
    """Those that are `free`, or held by `me`, by `others`, by `anyone`, or `expiring` within so many seconds.

    What another's ticket reserves is not free, and counts with the others'. `project`: where all are of one, said
    once more, so that only its keys are looked at.
    """
    live = live_leases()
    mine = live.filter(participant=actor.participant)
    match which:
        case "free":
            return artifacts.filter(~Exists(live)).exclude(pk__in=reserved_files(actor, project))
        case "me":
            return artifacts.filter(Exists(mine))
        case "anyone":
            return artifacts.filter(Exists(live))
        case "others":
            theirs = live.exclude(participant=actor.participant)
            reserved = Q(pk__in=reserved_files(actor, project))
            return artifacts.filter(Exists(theirs) | (reserved & ~Exists(mine)))
        case "expiring":
            return artifacts.filter(Exists(live.filter(expires_at__lte=DatabaseNow(within))))
    raise ValueError(which)


def live_leases() -> QuerySet[Lease]:
    """For `Exists` and `Subquery` over artifacts: the lease on each, while it is live."""
    return Lease.objects.filter(leases.is_live(), resource=leases.resource_of("artifact"))


def beginning_with(artifacts: QuerySet[Artifact], prefix: str) -> QuerySet[Artifact]:
    """Those whose path begins with `prefix`: `heroes/` is what lies in that folder. A range, which an index serves."""
    low = names.comparing(prefix.replace("\\", "/"))
    return artifacts.filter(path_key__gte=low, path_key__lt=low + names.LAST)


def containing(artifacts: QuerySet[Artifact], part: str) -> QuerySet[Artifact]:
    """Those whose path contains `part`, whatever its case; no character in it means more than itself."""
    return artifacts.alias(found_at=StrIndex("path_key", Value(names.comparing(part)))).filter(found_at__gt=0)


def versions_of(artifact: Artifact) -> QuerySet[Version]:
    return artifact.versions.select_related("author", "blob").order_by("-number")


def version_of(artifact: Artifact, number: int) -> Version:
    """One version; `NotFound` if there is none of this number."""
    if (found := versions_of(artifact).filter(number=number).first()) is None:
        raise NotFound
    return found
