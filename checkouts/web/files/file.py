"""One file's page: its state, its check-in, its versions, what was kept beside them, and what happened to it."""

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
from checkouts.web.files.forecast import foretell
from checkouts.web.files.tenures import tenures
from checkouts.web.holds import checkout_id_of, hold_for, reservations_over
from checkouts.web.links import artifact_url, project_crumbs
from checkouts.web.polling import mark, polled
from checkouts.web.promised_downloads import send_now
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


DRAWN = 80  # entries of the journal, of which the picture is made


READ, FREE = ("held", "reserved"), ("lapsed", "free")  # states whose card offers the bytes: to all, and to viewers


DURATIONS = [(3_600, "1 hour"), (8 * 3_600, "8 hours"), (24 * 3_600, "1 day"), (3 * 24 * 3_600, "3 days")]


@signed_in
@require_safe
def artifact(request: HttpRequest, artifact_id: int) -> HttpResponse:
    actor = actor_of(request)
    seen = artifact_for(actor, artifact_id)
    shown = facts(request, actor, seen)
    answer = polled(request, "checkouts/artifact.html", shown, shows=shows(seen, shown))
    send_now(request, answer, artifact_id, artifact_url(seen.artifact))
    return answer


def facts(request: HttpRequest, actor: Actor, seen: ArtifactWithLease) -> dict[str, Any]:
    artifact = seen.artifact
    reserved = reservations_over(actor, [seen]).get(artifact.pk) if seen.live_lease is None else None
    hold = hold_for(actor, seen.live_lease or reserved or seen.lease)
    record = open_checkout_of(actor, artifact)
    is_held = record is not None and seen.live_lease is not None and seen.live_lease.holder == record.holder
    versions = page_of_versions(request, artifact)
    state = state_of(seen, is_held=is_held, is_reserved=reserved is not None)
    proposals = list(proposals_for(actor).filter(artifact=artifact, state=Proposal.State.OPEN)[:PROPOSALS])
    entries = list(Entry.objects.filter(subject=artifact.resource).order_by("-id")[:DRAWN])
    return {
        "section": "files",
        "at": seen.at,
        "artifact": artifact,
        "project": artifact.project,
        "crumbs": project_crumbs(artifact.project, folder_of(artifact.path)),
        "head": artifact.head,
        "has_preview": images.may_have_preview(artifact.name),
        "hold": hold,
        "state": state,
        "card_downloads": state in READ or (state in FREE and not may_edit(actor, seen)),
        "reserver": reserver_of(actor, reserved),
        "record": record,
        "is_held": is_held,
        "may_extend": reserved is None and may_extend(actor, seen, record),
        "foretold": foretell(actor, seen, record, hold) if record else None,
        "may_edit": may_edit(actor, seen),
        "may_restore": may_edit(actor, seen) and seen.live_lease is None and not artifact.archived_at,
        "is_operator": may_break(actor, seen),
        "break_id": checkout_id_of(seen.live_lease) if may_break(actor, seen) else None,
        "durations": DURATIONS,
        "default_ttl": settings.LEASEHOLD_CHECKOUT_TTL,
        "versions": versions[:VERSIONS],
        "older": f"?before={versions[VERSIONS - 1].number}#versions" if len(versions) > VERSIONS else "",
        "newest": artifact_url(artifact) + "#versions" if request.GET.get("before") else "",
        "proposals": with_bases(proposals),
        "tape": tape(actor, entries, seen.at),
        "lines": journal_lines(actor, entries[:ENTRIES]),
    }


def shows(seen: ArtifactWithLease, shown: dict[str, Any]) -> list[object]:
    """The journal tells of every change to a file; what time and roles change comes beside it."""
    record, told = shown["record"], shown["lines"]
    return [
        (len(told), told[0].at if told else None),
        mark(seen.lease),
        shown["reserver"] and (shown["reserver"].ticket, shown["reserver"].until),
        seen.role,
        (seen.artifact.head_id, seen.artifact.path, seen.artifact.archived_at),
        (record.pk, record.state, record.broken_at) if record else None,
        shown["foretold"],
        shown["may_extend"],
        [version.pk for version in shown["versions"]],
        [proposal.pk for proposal, _ in shown["proposals"]],
    ]


def tape(actor: Actor, entries: list[Entry], at: datetime) -> Tape | None:
    return tape_of(actor.participant, tenures(reversed(entries), at), ends=timezone.localtime(at), now=at)


def reserver_of(actor: Actor, reserved: HeldLease | None) -> Reserver | None:
    """The ticket behind a reservation, with who works there until when."""
    if reserved is None:
        return None
    [found] = reservers(actor, [{"ticket": ticket_of(reserved.holder), "keys": [reserved.place]}])
    return found


def state_of(seen: ArtifactWithLease, *, is_held: bool, is_reserved: bool) -> str:
    """Which of the state card's faces is shown: archived, mine, held, reserved, lapsed or free."""
    if seen.artifact.archived_at:
        return "archived"
    if is_held:
        return "mine"
    if seen.live_lease:
        return "held"
    if is_reserved:
        return "reserved"
    return "lapsed" if seen.lease else "free"


def may_extend(actor: Actor, seen: ArtifactWithLease, record: Checkout | None) -> bool:
    """Would extending succeed as things stand? The action judges it again."""
    if record is None or record.broken_at or seen.artifact.archived_at or not may_edit(actor, seen):
        return False
    is_in_the_way = seen.live_lease is not None and seen.live_lease.holder != record.holder
    return not is_in_the_way and record.base_version_id == seen.artifact.head_id


def page_of_versions(request: HttpRequest, artifact: Artifact) -> list[Version]:
    """Newest first, one more than is shown; `?before=` a number goes on from there."""
    versions = versions_of(artifact)
    if before := request.GET.get("before"):
        if (number := id_in(before)) is None:
            raise Invalid.of("before", "Expected a version’s number.")
        versions = versions.filter(number__lt=number)
    return list(versions[: VERSIONS + 1])
