"""A file's page: its state, the check-in form, versions, open proposals and history."""

from datetime import datetime
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.views.decorators.http import require_safe

from checkouts.models import Artifact, Checkout, Proposal, Version
from checkouts.previews import images
from checkouts.selectors import (
    ArtifactWithLease,
    artifact_for,
    open_checkout_of,
    proposals_for,
    versions_of,
)
from checkouts.selectors.bases import with_bases
from checkouts.web.files.prediction import predict_check_in
from checkouts.web.files.tenures import tenures_in
from checkouts.web.holds import checkout_id_of, hold_for, reservations_over
from checkouts.web.links import artifact_url, project_crumbs
from checkouts.web.polling import lease_data, render_polled
from checkouts.web.promised_downloads import start_download
from checkouts.web.rights import may_break, may_edit
from checkouts.web.views import signed_in
from leasehold.actors import Actor
from leasehold.database.ids import id_in
from leasehold.exceptions import Invalid
from leasehold.leases import HeldLease
from leasehold.models import Entry
from leasehold.names import folder_of
from leasehold.scopes.reservations import ticket_of
from leasehold.web.journal.sentences import journal_lines
from leasehold.web.reader import actor_of
from leasehold.web.tape import Tape, tape_of
from leasehold.web.tickets.reservers import Reserver, reservers

VERSIONS, ENTRIES, PROPOSALS = 20, 20, 20
TAPE_ENTRIES = 80  # of the journal, read for the tape
#: the states in which the card offers a download: to everybody; only to viewers
READ, FREE = ("held", "reserved"), ("lapsed", "free")
DURATIONS = [(3_600, "1 hour"), (8 * 3_600, "8 hours"), (24 * 3_600, "1 day"), (3 * 24 * 3_600, "3 days")]


@signed_in
@require_safe
def artifact(request: HttpRequest, artifact_id: int) -> HttpResponse:
    actor = actor_of(request)
    file = artifact_for(actor, artifact_id)
    context = artifact_context(request, actor, file)
    response = render_polled(request, "files/file.html", context, data=page_data(file, context))
    start_download(request, response, artifact_id, artifact_url(file.artifact))
    return response


def artifact_context(request: HttpRequest, actor: Actor, file: ArtifactWithLease) -> dict[str, Any]:
    artifact = file.artifact
    reserved = reservations_over(actor, [file]).get(artifact.pk) if file.live_lease is None else None
    hold = hold_for(actor, file.live_lease or reserved or file.lease)
    checkout = open_checkout_of(actor, artifact)
    is_held = checkout is not None and file.live_lease is not None and file.live_lease.holder == checkout.holder
    versions = page_of_versions(request, artifact)
    state = state_of(file, is_held=is_held, is_reserved=reserved is not None)
    proposals = list(proposals_for(actor).filter(artifact=artifact, state=Proposal.State.OPEN)[:PROPOSALS])
    entries = list(Entry.objects.filter(subject=artifact.resource).order_by("-id")[:TAPE_ENTRIES])
    return {
        "section": "files",
        "at": file.at,
        "artifact": artifact,
        "project": artifact.project,
        "crumbs": project_crumbs(artifact.project, folder_of(artifact.path)),
        "head": artifact.head,
        "has_preview": images.may_have_preview(artifact.name),
        "hold": hold,
        "state": state,
        "card_downloads": state in READ or (state in FREE and not may_edit(actor, file)),
        "reserver": reserver_of(actor, reserved),
        "checkout": checkout,
        "is_held": is_held,
        "may_extend": reserved is None and may_extend(actor, file, checkout),
        "prediction": predict_check_in(actor, file, checkout, hold) if checkout else None,
        "may_edit": may_edit(actor, file),
        "may_restore": may_edit(actor, file) and file.live_lease is None and not artifact.archived_at,
        "is_operator": may_break(actor, file),
        "break_id": checkout_id_of(file.live_lease) if may_break(actor, file) else None,
        "durations": DURATIONS,
        "default_ttl": settings.LEASEHOLD_CHECKOUT_TTL,
        "versions": versions[:VERSIONS],
        "older": f"?before={versions[VERSIONS - 1].number}#versions" if len(versions) > VERSIONS else "",
        "newest": artifact_url(artifact) + "#versions" if request.GET.get("before") else "",
        "proposals": with_bases(proposals),
        "tape": tape_for(actor, entries, file.at),
        "lines": journal_lines(actor, entries[:ENTRIES]),
    }


def page_data(file: ArtifactWithLease, context: dict[str, Any]) -> list[object]:
    """Return what the page displays, for `render_polled`.

    Every change to a file has a journal entry; the other items change with time and roles.
    """
    checkout, lines = context["checkout"], context["lines"]
    return [
        (len(lines), lines[0].at if lines else None),
        lease_data(file.lease),
        context["reserver"] and (context["reserver"].ticket, context["reserver"].until),
        file.role,
        (file.artifact.head_id, file.artifact.path, file.artifact.archived_at),
        (checkout.pk, checkout.state, checkout.broken_at) if checkout else None,
        context["prediction"],
        context["may_extend"],
        [version.pk for version in context["versions"]],
        [proposal.pk for proposal, _ in context["proposals"]],
    ]


def tape_for(actor: Actor, entries: list[Entry], at: datetime) -> Tape | None:
    return tape_of(actor.participant, tenures_in(reversed(entries), at), ends=timezone.localtime(at), now=at)


def reserver_of(actor: Actor, reserved: HeldLease | None) -> Reserver | None:
    """Return the ticket that holds the reservation, and who works there until when."""
    if reserved is None:
        return None
    [found] = reservers(actor, [{"ticket": ticket_of(reserved.holder), "keys": [reserved.place]}])
    return found


def state_of(file: ArtifactWithLease, *, is_held: bool, is_reserved: bool) -> str:
    """Return the state of the card: archived, mine, held, reserved, lapsed or free."""
    if file.artifact.archived_at:
        return "archived"
    if is_held:
        return "mine"
    if file.live_lease:
        return "held"
    if is_reserved:
        return "reserved"
    return "lapsed" if file.lease else "free"


def may_extend(actor: Actor, file: ArtifactWithLease, checkout: Checkout | None) -> bool:
    """Return whether the page offers to extend. The action checks again."""
    if checkout is None or checkout.broken_at or file.artifact.archived_at or not may_edit(actor, file):
        return False
    is_in_the_way = file.live_lease is not None and file.live_lease.holder != checkout.holder
    return not is_in_the_way and checkout.base_version_id == file.artifact.head_id


def page_of_versions(request: HttpRequest, artifact: Artifact) -> list[Version]:
    """Return the newest versions, one more than the page lists; `?before=<number>` continues there."""
    versions = versions_of(artifact)
    if before := request.GET.get("before"):
        if (number := id_in(before)) is None:
            raise Invalid.of("before", "Expected a version’s number.")
        versions = versions.filter(number__lt=number)
    return list(versions[: VERSIONS + 1])
