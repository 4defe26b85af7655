"""Joins this floor to the ground floor: all that this floor adds to the ground floor's registries, in one place."""

from collections.abc import Iterable, Sequence

from django.db.models import Q, QuerySet
from django.urls import reverse

from checkouts.actions.breaks import break_artifact
from checkouts.bytes.blob_folder import BlobFolder
from checkouts.http.statuses import STATUSES
from checkouts.models import Artifact, Checkout, Proposal, Version
from checkouts.selectors import artifacts_for, own_open_checkouts, proposals_to_decide
from checkouts.web import refusal_pages
from checkouts.web.files import timeline
from checkouts.web.projects import project
from leasehold import journal, names, ports
from leasehold.actors import Actor
from leasehold.database.ids import id_in
from leasehold.exceptions import NotFound
from leasehold.http import statuses
from leasehold.leases import HeldLease
from leasehold.models import Session, User
from leasehold.selectors.counts import count_rows
from leasehold.sites.stores import STORES
from leasehold.web import context
from leasehold.web import refusal_pages as ground_pages
from leasehold.web.journal import filters, sentences
from leasehold.web.projects import project_list

FLOOR = "checkouts"  # its name in a registry with one entry for each floor
PLACES = 50  # asked about in one statement

KINDS = {
    "artifact_added": "A new file was added.",
    "artifact_archived": "A file was archived; its path is free.",
    "artifact_renamed": "A file was renamed or moved.",
    "artifact_unarchived": "A file came back from the archive.",
    "checkout_broken": "An operator ended somebody's check-out.",
    "checkout_discarded": "A check-out ended without a check-in.",
    "checkout_extended": "A check-out's lease was extended.",
    "checkout_handed_over": "A check-out passed to somebody else.",
    "checkout_opened": "A file was checked out.",
    "checkout_taken_over": "An operator took over what somebody held.",
    "edit_broken": "An operator ended an edit, or another short lease on a file.",
    "edit_discarded": "An edit ended without a commit.",
    "edit_opened": "An agent took a file for some seconds.",
    "proposal_accepted": "An operator accepted a proposal as a version.",
    "proposal_kept": "Bytes that could not be committed were kept as a proposal.",
    "proposal_rebuilt": "A proposal was made again against the newest version.",
    "proposal_rejected": "An operator rejected a proposal.",
    "proposal_withdrawn": "Its author withdrew a proposal.",
    "version_committed": "A file was checked in as a new version.",
    "version_restored": "An old version was restored as a new one.",
    "version_unchanged": "A file was checked in as it was.",
    "write_policy_changed": "What an agent's change to a file becomes was changed.",
}


def connect() -> None:
    """Fill the ground floor's registries. `CheckoutsConfig.ready` calls it once, when Django starts."""
    ports.OPEN_CHECKOUTS.add(FLOOR, open_checkouts)
    ports.COMMITS.add(FLOOR, commits)
    ports.HOLDINGS.add(FLOOR, holdings)
    ports.FILES_BELOW.add(FLOOR, files_below)
    ports.BREAKERS.add("artifact", break_artifact_lease)
    STORES.add(FLOOR, BlobFolder)

    statuses.STATUSES.add_all(STATUSES)
    journal.KINDS.add_all(KINDS)

    ground_pages.HEADINGS.add_all(refusal_pages.HEADINGS)
    ground_pages.DESCRIPTIONS.add("artifact", refusal_pages.describe)
    sentences.SENTENCES.add_all(timeline.SENTENCES)
    sentences.KIND_LABELS.add_all(timeline.KIND_LABELS)
    sentences.ROLES.add_all(timeline.ROLES)
    sentences.SUBJECT_NAMES.add("artifact", timeline.artifact_subjects)
    filters.SUBJECT_SEARCHES.add("artifact", timeline.search_artifact_subjects)
    project_list.FIGURES.add(FLOOR, project.count_by_project)
    context.WAITING.add_all({"desk": own_open_checkouts, "proposals": proposals_to_decide})


def open_checkouts(sessions: Iterable[Session]) -> list[ports.OpenCheckout]:
    checkouts = (
        Checkout.objects.filter(session__in=list(sessions), state="open").select_related("artifact").order_by("pk")
    )
    return [
        ports.OpenCheckout(
            checkout.pk,
            checkout.artifact_id,
            checkout.artifact.path,
            url=reverse("artifact", args=[checkout.artifact_id]),
        )
        for checkout in checkouts
    ]


def commits(sessions: Iterable[Session]) -> list[ports.Commit]:
    versions = Version.objects.filter(session__in=list(sessions)).select_related("artifact__project").order_by("pk")
    return [
        ports.Commit(
            session=version.session_id,
            artifact=version.artifact_id,
            version=version.number,
            path=f"{version.artifact.project.slug}/{version.artifact.path}",
            place=version.artifact.place,
            url=reverse("artifact", args=[version.artifact_id]),
        )
        for version in versions
    ]


def files_below(actor: Actor, places: Sequence[str]) -> dict[str, int]:
    """Files that are not archived. One statement for each 50 places."""
    found: dict[str, int] = {}
    for start in range(0, len(places), PLACES):
        batch = {f"at_{number}": place for number, place in enumerate(places[start : start + PLACES])}
        counts = count_rows(**{name: _files_at(actor, place) for name, place in batch.items()})
        found |= {place: counts[name] for name, place in batch.items()}
    return found


def _files_at(actor: Actor, place: str) -> QuerySet[Artifact]:
    slug, _, path = place.partition("/")
    files = artifacts_for(actor).filter(project__slug=slug, archived_at=None)
    if not path:
        return files
    low, high = names.range_below(path)
    return files.filter(Q(path_key=path) | Q(path_key__gte=low, path_key__lt=high))


def holdings(user: User) -> list[ports.Holding]:
    """Open check-outs, live and lapsed and broken ones, and proposals that wait for a decision."""
    checkouts = Checkout.objects.filter(actor=user, state=Checkout.State.OPEN).select_related("artifact__project")
    proposals = Proposal.objects.filter(author=user, state=Proposal.State.OPEN).select_related("artifact__project")
    return [
        *(_holding(f"check-out {checkout.pk}", checkout.artifact) for checkout in checkouts.order_by("pk")),
        *(_holding(f"proposal {proposal.pk}", proposal.artifact) for proposal in proposals.order_by("pk")),
    ]


def _holding(what: str, artifact: Artifact) -> ports.Holding:
    return ports.Holding(
        f"{what} of {artifact.project.slug}/{artifact.path}", url=reverse("artifact", args=[artifact.pk])
    )


def break_artifact_lease(actor: Actor, resource: str, reason: str) -> HeldLease | None:
    if (number := id_in(resource.removeprefix("artifact:"))) is None:
        raise NotFound
    return break_artifact(actor=actor, artifact_id=number, reason=reason)
