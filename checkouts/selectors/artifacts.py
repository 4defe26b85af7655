"""Queries for artifacts, with the lease on each, and for their versions."""

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
class ArtifactWithLease:
    """An artifact with the reader's role, the lease on it (live or lapsed) and the database's time.

    All of it is read in one statement.
    """

    artifact: Artifact
    role: str | None
    lease: HeldLease | None
    at: datetime

    @classmethod
    def from_row(cls, row: Any) -> "ArtifactWithLease":
        """`row`: one row of `with_leases`."""
        return cls(row, row.role, leases.held_from_json(row.lease, row.at), row.at)

    @property
    def live_lease(self) -> HeldLease | None:
        return self.lease if self.lease and not self.lease.is_lapsed else None


def artifacts_for(actor: Actor) -> QuerySet[Artifact]:
    """Return the artifacts of the actor's projects, archived ones too; each with its `role`, project and head."""
    artifacts = Artifact.objects.select_related("project", "head").annotate(role=role_of(actor))
    return artifacts if actor.sees_everything else artifacts.filter(project__memberships__user=actor.user)


def role_of(actor: Actor) -> Any:
    """Return an annotation for artifacts: the actor's role in the artifact's project."""
    return Subquery(Membership.objects.filter(project=OuterRef("project"), user=actor.user).values("role")[:1])


def with_leases(artifacts: QuerySet[Artifact]) -> QuerySet[Artifact]:
    """Annotate each artifact with its lease, without another statement. Read rows by `ArtifactWithLease.from_row`."""
    return artifacts.annotate(lease=leases.lease_of("artifact"), at=DatabaseNow())


def artifact_for(actor: Actor, artifact_id: int) -> ArtifactWithLease:
    """Return one artifact with its lease. Raises `NotFound` if it is unknown or foreign."""
    row = with_leases(artifacts_for(actor)).filter(pk=artifact_id).first() if artifact_id <= BIGGEST_ID else None
    if row is None:
        raise NotFound
    return ArtifactWithLease.from_row(row)


def artifact_at(actor: Actor, where: str) -> Artifact:
    """Return one artifact by its id, or by `project/path` as a person types it.

    Raises `NotFound` if it is unknown or foreign.
    """
    if number := id_in(where):
        return artifact_for(actor, number).artifact
    slug, _, path = where.partition("/")
    rows = artifacts_for(actor).filter(project__slug=slug, path_key=names.comparing_form(path), archived_at=None)
    if (found := rows.first()) is None:
        raise NotFound
    return found


def filter_by_holder(
    artifacts: QuerySet[Artifact], which: str, actor: Actor, *, project: Project | None = None, within: int = 1800
) -> QuerySet[Artifact]:
    """Return the artifacts that are `free`, or held by `me`, by `others`, by `anyone`, or `expiring`.

    `within`: seconds, for `expiring`. A file that another participant's ticket reserves is not free; it counts as held
    by others. If all artifacts are of one project, pass it: then only its scope keys are read.
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
    """Return the live lease on an artifact, for `Exists` and `Subquery` over artifacts."""
    return Lease.objects.filter(leases.is_live(), resource=leases.resource_of("artifact"))


def beginning_with(artifacts: QuerySet[Artifact], prefix: str) -> QuerySet[Artifact]:
    """Return the artifacts whose path begins with `prefix`; `heroes/` is that folder. The range uses an index."""
    low = names.comparing_form(prefix.replace("\\", "/"))
    return artifacts.filter(path_key__gte=low, path_key__lt=low + names.LAST)


def containing(artifacts: QuerySet[Artifact], part: str) -> QuerySet[Artifact]:
    """Return the artifacts whose path contains `part`, ignoring case. No character in `part` is a wildcard."""
    return artifacts.alias(found_at=StrIndex("path_key", Value(names.comparing_form(part)))).filter(found_at__gt=0)


def versions_of(artifact: Artifact) -> QuerySet[Version]:
    return artifact.versions.select_related("author", "blob").order_by("-number")


def version_of(artifact: Artifact, number: int) -> Version:
    """Return one version, with its author and blob. Raises `NotFound` if no version has this number."""
    if (found := versions_of(artifact).filter(number=number).first()) is None:
        raise NotFound
    return found
