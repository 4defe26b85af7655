"""Check out one file, or many at once. The lease row decides who has a file; the check-out records it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

from django.conf import settings
from django.db.models import QuerySet

from checkouts.attempts.openings import draft_attempt, open_all, open_attempt
from checkouts.exceptions import ArtifactBusy
from checkouts.models import Artifact, Checkout
from checkouts.outcomes import Granted
from checkouts.selectors import artifacts_for
from leasehold import leases, names
from leasehold.actions import action
from leasehold.actors import Actor
from leasehold.database import clock
from leasehold.database.ids import BIGGEST_ID
from leasehold.database.sets import ValueList
from leasehold.exceptions import Invalid, NotFound, Refusal, ScopeReserved
from leasehold.leases import HeldLease
from leasehold.models import Role
from leasehold.scopes.reservations import Cover, covers, keys_by_ticket
from leasehold.selectors import project_for

T = TypeVar("T")

MOST_AT_ONCE = 5_000


@dataclass(frozen=True, slots=True)
class Refused:
    """One artifact that was left out, and why: `ArtifactBusy` or `ScopeReserved`."""

    artifact: Artifact
    refusal: Refusal


@dataclass(frozen=True, slots=True)
class GrantedMany:
    """What was checked out and what was not, each ordered by path."""

    granted: list[Granted]
    refused: list[Refused]


@action
def check_out(
    *, actor: Actor, artifact_id: int, ttl: int | None = None, purpose: str = "", session_id: int | None = None
) -> Granted:
    """Check an artifact out for `ttl` seconds (8 hours by default): row and lease in one transaction, or neither.

    It belongs to the actor's active session `session_id`, or to the one whose scope covers the file.

    Raises `ArtifactBusy` with the lease in the way, one's own included: two tabs are two holders. `Forbidden` for a
    viewer, `WrongState` for an archived artifact, `ScopeReserved` where another's ticket covers the path.
    """
    ttl = leases.checked_ttl(settings.LEASEHOLD_CHECKOUT_TTL if ttl is None else ttl)
    purpose = names.checked_text(purpose, "purpose", 500)
    return Granted(
        *open_attempt(Checkout, actor=actor, artifact_id=artifact_id, ttl=ttl, purpose=purpose, session_id=session_id)
    )


@action
def check_out_many(
    *,
    actor: Actor,
    project: str,
    artifact_ids: Sequence[int] | None = None,
    prefix: str | None = None,
    ttl: int | None = None,
    purpose: str = "",
    atomic: bool = True,
) -> GrantedMany:
    """Check several artifacts of one project out: those named, or all that lie in the folder `prefix`.

    All or nothing: `ArtifactBusy` with the complete list of `leases` in the way. With `atomic=False` the busy ones are
    left out and returned as `refused`. An id that is unknown, foreign or archived refuses the whole call.
    """
    ttl = leases.checked_ttl(settings.LEASEHOLD_CHECKOUT_TTL if ttl is None else ttl)
    purpose = names.checked_text(purpose, "purpose", 500)
    home = project_for(actor, project)
    actor.demand(Role.EDITOR, home.role)
    in_project = artifacts_for(actor).filter(project=home, archived_at=None).order_by("path_key")
    chosen = choice(in_project.values_list("pk", flat=True), artifact_ids, prefix)

    leases.gate([home.slug])  # every place below has this first segment
    rows = leases.lock(f"artifact:{pk}" for pk in chosen)
    at = clock.now()
    live = {row.resource: lease for row in rows if (lease := leases.live_lease(row, at))}
    # Read again behind the lease rows: what moves a head, a path or the archive holds them. What has come into the
    # folder since is not locked, and not taken.
    is_locked = {row.resource for row in rows}.__contains__
    artifacts = [artifact for artifact in choice(in_project, artifact_ids, prefix) if is_locked(artifact.resource)]
    busy = {artifact.resource: live[artifact.resource] for artifact in artifacts if artifact.resource in live}
    if busy and atomic:
        found = sorted(busy.values(), key=lambda lease: lease.resource)
        raise ArtifactBusy(f"{len(busy)} of {len(artifacts)} files are checked out.", leases=found)
    free = [artifact for artifact in artifacts if artifact.resource not in busy]
    cover = {found.place: found for found in covers((artifact.place for artifact in free), actor.user)}
    reserved = {place: found for place, found in cover.items() if found.session is None}
    if reserved and atomic:
        raise ScopeReserved.by(keys_by_ticket(list(reserved.values())))

    refused = [
        Refused(artifact, refusal)
        for artifact in artifacts
        if (refusal := _why_not(artifact, busy.get(artifact.resource), reserved))
    ]
    left_out = {refusal.artifact.pk for refusal in refused}
    sessions = {place: found.session for place, found in cover.items()}
    drafts = [
        draft_attempt(
            Checkout,
            artifact,
            user=actor.user,
            ttl=ttl,
            purpose=purpose,
            client=actor.client,
            at=at,
            session_id=next((sessions[place] for place in artifact.places if place in sessions), None),
        )
        for artifact in free
        if artifact.pk not in left_out
    ]
    return GrantedMany(open_all(drafts, actor, ttl=ttl, purpose=purpose, at=at), refused)


def _why_not(artifact: Artifact, lease: HeldLease | None, reserved: dict[str, Cover]) -> Refusal | None:
    """Why one artifact of a best effort is left out: somebody has it, or another's ticket covers it."""
    if lease:
        return ArtifactBusy(lease=lease)
    above = [reserved[place] for place in artifact.places if place in reserved]
    return ScopeReserved.by(keys_by_ticket(above)) if above else None


def choice(in_project: QuerySet[Artifact, T], artifact_ids: Sequence[int] | None, prefix: str | None) -> list[T]:
    """Those of a project's artifacts that a call names. Raises `Invalid` if it names none, or too many."""
    if (artifact_ids is None) == (prefix is None):
        raise Invalid.of("artifacts", "Name either artifacts or a prefix.")
    if prefix is not None:
        low, high = names.range_below(names.comparing_form(names.normalised(prefix.rstrip("/"), "prefix")))
        found = list(in_project.filter(path_key__gte=low, path_key__lt=high)[: MOST_AT_ONCE + 1])
        if not found:
            raise Invalid.of("prefix", "There is no file in this folder.")
        if len(found) > MOST_AT_ONCE:
            raise Invalid.of("prefix", f"More than {MOST_AT_ONCE} files at once.")
        return found
    wanted = set(artifact_ids or [])
    if not wanted or len(wanted) > MOST_AT_ONCE:
        raise Invalid.of("artifacts", f"Name 1 to {MOST_AT_ONCE} artifacts.")
    if any(not 0 < wanted_id <= BIGGEST_ID for wanted_id in wanted):
        raise NotFound
    found = list(in_project.filter(pk__in=ValueList(wanted)))
    if len(found) != len(wanted):
        raise NotFound(f"{len(wanted) - len(found)} of these files are unknown, foreign or archived.")
    return found
