"""What may be seen, by name. Every look-up starts from what the actor may see: a foreign id is an unknown id."""

import uuid
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Exists, OuterRef, Q, QuerySet, Subquery, TextField, Value
from django.db.models.functions import Cast, Concat, StrIndex

from checkouts.models import Artifact, Checkout, Edit, Proposal, Version
from checkouts.reserved import reserved_files
from leasehold import leases, names
from leasehold.actors import Actor
from leasehold.clock import DatabaseNow
from leasehold.exceptions import NotFound
from leasehold.ids import BIGGEST_ID, id_in
from leasehold.leases import HeldLease
from leasehold.models import Lease, Membership, Project, Role


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


def checkouts_for(actor: Actor) -> QuerySet[Checkout]:
    """Check-outs in the actor's projects, and the actor's own for good: leaving a project hides no work."""
    records = Checkout.objects.select_related(
        "artifact__project", "base_version", "actor", "result_version", "result_proposal", "broken_by"
    ).annotate(is_held=Exists(lease_of_checkout()), at=DatabaseNow())
    if actor.sees_everything:
        return records
    memberships = Membership.objects.filter(project=OuterRef("artifact__project"), user=actor.user)
    return records.filter(Q(actor=actor.user) | Exists(memberships))


def lease_of_checkout() -> QuerySet[Lease]:
    """For `Exists` over check-outs: the live lease that is this very record's. The lease row decides."""
    holder = Concat(
        Value("checkout:"),
        Cast(OuterRef("pk"), TextField()),
        Value(":"),
        OuterRef("participant"),
        output_field=TextField(),
    )
    return Lease.objects.filter(leases.is_live(), resource=leases.resource_of("artifact", "artifact_id"), holder=holder)


def checkout_for(actor: Actor, checkout_id: int) -> Checkout:
    """One check-out; `NotFound` if it is unknown or foreign."""
    found = checkouts_for(actor).filter(pk=checkout_id).first() if checkout_id <= BIGGEST_ID else None
    if found is None:
        raise NotFound
    return found


def in_state(records: QuerySet[Checkout], state: str) -> QuerySet[Checkout]:
    """Those that are `open` or `closed`; or open and `held`, `lapsed`, or `broken`. Of `checkouts_for`."""
    is_open = Q(state=Checkout.State.OPEN)
    match state:
        case "open":
            return records.filter(is_open)
        case "closed":
            return records.filter(state=Checkout.State.CLOSED)
        case "held":
            return records.filter(is_open, is_held=True)
        case "lapsed":
            return records.filter(is_open, is_held=False, broken_at=None)
        case "broken":
            return records.filter(is_open, broken_at__isnull=False)
    raise ValueError(state)


def with_own_leases(records: QuerySet[Checkout]) -> QuerySet[Checkout]:
    """The same, each with the lease on its artifact: still one statement. Read by `own_lease`."""
    return records.annotate(lease=leases.lease_of("artifact", "artifact_id"))


def own_lease(record: Any) -> HeldLease | None:
    """Of one row of `with_own_leases`: the lease while it is live, and this very record's."""
    lease = leases.held_from_json(record.lease, record.at)
    return lease if lease and lease.holder == record.holder and not lease.is_lapsed else None


def checkout_with_lease(actor: Actor, checkout_id: int) -> Checkout:
    """Like `checkout_for`, for `own_lease`."""
    known = with_own_leases(checkouts_for(actor)).filter(pk=checkout_id)
    if checkout_id > BIGGEST_ID or (found := known.first()) is None:
        raise NotFound
    return found


def open_checkout_of(actor: Actor, artifact: Artifact) -> Checkout | None:
    """The actor's newest open check-out of this artifact, live or lapsed."""
    return checkouts_for(actor).filter(artifact=artifact, actor=actor.user, state=Checkout.State.OPEN).first()


def own_open_checkouts(actor: Actor, project: Project | None = None) -> QuerySet[Checkout]:
    """The actor's open check-outs, live, lapsed and broken; in one project, or everywhere."""
    mine = checkouts_for(actor).filter(actor=actor.user, state=Checkout.State.OPEN)
    return mine.filter(artifact__project=project) if project else mine


def loose_checkouts(actor: Actor, project: Project | None = None) -> QuerySet[Checkout]:
    """The actor's own that are open without a lease: lapsed, ended by an operator, or handed on. Their bytes are waited
    for, and no list of leases shows them."""
    return own_open_checkouts(actor, project).filter(is_held=False)


def proposals_for(actor: Actor) -> QuerySet[Proposal]:
    """Proposals in the actor's projects, and the actor's own for good."""
    kept = Proposal.objects.select_related(
        "artifact__project", "artifact__head", "base_version", "blob", "author", "decided_by"
    )
    if actor.sees_everything:
        return kept
    memberships = Membership.objects.filter(project=OuterRef("artifact__project"), user=actor.user)
    return kept.filter(Q(author=actor.user) | Exists(memberships))


def proposals_to_decide(actor: Actor) -> QuerySet[Proposal]:
    """Open proposals where the actor is an operator."""
    waiting = Proposal.objects.filter(state=Proposal.State.OPEN)
    if actor.user.is_superuser:
        return waiting
    mine = Membership.objects.filter(project=OuterRef("artifact__project"), user=actor.user, role=Role.OPERATOR)
    return waiting.filter(Exists(mine))


def proposal_for(actor: Actor, proposal_id: int) -> Proposal:
    found = proposals_for(actor).filter(pk=proposal_id).first() if proposal_id <= BIGGEST_ID else None
    if found is None:
        raise NotFound
    return found


def edits_for(actor: Actor) -> QuerySet[Edit]:
    """Edits in the actor's projects, and the actor's own for good."""
    edits = Edit.objects.select_related(
        "artifact__project", "base_version__blob", "actor", "result_version", "result_proposal"
    )
    if actor.sees_everything:
        return edits
    memberships = Membership.objects.filter(project=OuterRef("artifact__project"), user=actor.user)
    return edits.filter(Q(actor=actor.user) | Exists(memberships))


def edit_for(actor: Actor, edit_id: uuid.UUID) -> Edit:
    """One edit; `NotFound` if it is unknown or foreign."""
    if (found := edits_for(actor).filter(pk=edit_id).first()) is None:
        raise NotFound
    return found


def edit_with_lease(actor: Actor, edit_id: uuid.UUID) -> tuple[Edit, HeldLease | None]:
    """The same with its own lease, while that is live."""
    edit = edit_for(actor, edit_id)
    standing = leases.read([edit.artifact.resource])
    return edit, next((lease for lease in standing if lease.holder == edit.holder), None)
