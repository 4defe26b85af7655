"""The headings of this floor's refusals, and what a refusal page adds about the file."""

from typing import Any

from django.http import HttpRequest
from django.urls import reverse

from checkouts import exceptions as upper
from checkouts.exceptions import ArtifactBusy, PathTaken, TooLarge
from checkouts.models import Checkout
from checkouts.selectors import ArtifactWithLease, artifact_for, checkout_for, open_checkout_of
from checkouts.web.files.prediction import predict_check_in
from checkouts.web.holds import checkout_id_of, hold_for
from checkouts.web.links import artifact_crumbs, artifact_url, folder_url, project_crumbs
from checkouts.web.rights import may_break, may_edit
from leasehold.actors import Actor
from leasehold.exceptions import Forbidden, NotFound, Refusal, ScopeReserved
from leasehold.leases import HeldLease
from leasehold.models import Membership, Role
from leasehold.names import folder_of
from leasehold.selectors import projects_for
from leasehold.templatetags.parts import clock_words, filesize
from leasehold.web.reader import actor_of
from leasehold.web.refusal_pages import RefusalHeading

#: title, text, and the label and URL of its link, which may both be empty
Step = tuple[str, str, str, str]
#: `client` of a check-out → how it was made
CLIENTS = {
    "browser": "in the browser",
    "api": "through the API",
    "admin": "in the administration",
    "command": "by a command",
}

HEADINGS: dict[type[Refusal], RefusalHeading] = {
    upper.ArtifactBusy: RefusalHeading("Somebody else has this file", "is-person", "held"),
    upper.BytesMissing: RefusalHeading("The stored bytes are not there", "is-danger", "danger"),
    upper.CheckoutClosed: RefusalHeading("This check-out has ended", icon="lapsed"),
    upper.DigestMismatch: RefusalHeading("The bytes did not arrive as they were sent", "is-danger", "danger"),
    upper.EditClosed: RefusalHeading("This edit has ended", icon="lapsed"),
    upper.PathTaken: RefusalHeading("There is a file of that name already", "is-person", "info"),
    upper.StaleBase: RefusalHeading("There is a newer version", "is-stale", "stale"),
    upper.StaleProposal: RefusalHeading("There is a newer version", "is-stale", "stale"),
    upper.StorageUnavailable: RefusalHeading("There is no room for it now", "is-danger", "danger"),
    upper.TooLarge: RefusalHeading("This file is too large", "is-danger", "danger"),
}


def describe(request: HttpRequest, refusal: Refusal) -> dict[str, Any]:
    """Return context about the file in the URL: who has it, what for, until when, and what to do next."""
    if not request.user.is_authenticated or refusal.code == "not_found":
        return {}
    actor = actor_of(request)
    if isinstance(refusal, PathTaken):
        return path_taken_context(actor, refusal)
    found = file_in_address(actor, request)
    context: dict[str, Any] = {"sub": limit_text(refusal)} if isinstance(refusal, TooLarge) else {}
    if found is None:
        return context | project_context(actor, request)
    context |= {
        "crumbs": artifact_crumbs(found.artifact),
        "next_steps": next_steps(actor, found, refusal),
    }
    if isinstance(refusal, ArtifactBusy):
        context |= busy_context(actor, refusal.lease, not_done_text(request, found.artifact.name))
    if isinstance(refusal, Forbidden) and not may_edit(actor, found):
        context |= {"heading": "You may read here, not change", "sub": who_can_help_text(found)}
    return context


def file_in_address(actor: Actor, request: HttpRequest) -> ArtifactWithLease | None:
    """Return the file that the URL names, directly or by a check-out; None without one or if it is not visible."""
    address = request.resolver_match.kwargs if request.resolver_match else {}
    try:
        if "artifact_id" in address:
            return artifact_for(actor, address["artifact_id"])
        if "checkout_id" in address:
            return artifact_for(actor, checkout_for(actor, address["checkout_id"]).artifact_id)
    except NotFound:
        pass
    return None


def project_context(actor: Actor, request: HttpRequest) -> dict[str, Any]:
    """Return context about the project in the URL, if the URL names no file."""
    address = request.resolver_match.kwargs if request.resolver_match else {}
    project = projects_for(actor).filter(slug=address.get("slug", "")).first()
    if project is None:
        return {}
    step = ("Go back", "Nothing was changed.", f"Open {project.name}", folder_url(project))
    return {"crumbs": project_crumbs(project), "next_steps": [step]}


#: name of the URL → what was not done; the page of another URL only says that nothing was changed
NOT_DONE = {
    "archive": "{name} was not archived",
    "check-out": "you did not get {name}",
    "rename": "{name} was not renamed",
    "restore": "version {number} was not restored",
    "unarchive": "{name} was not brought back",
}


def not_done_text(request: HttpRequest, name: str) -> str:
    match = request.resolver_match
    what = NOT_DONE.get(match.url_name or "", "") if match else ""
    arguments = match.kwargs if match else {}
    return f"{what.format(name=name, **arguments)}, and nothing was changed" if what else "nothing was changed"


def busy_context(actor: Actor, lease: HeldLease | None, outcome: str) -> dict[str, Any]:
    hold = hold_for(actor, lease)
    if hold is None or lease is None:
        return {"heading": "Somebody had it just now", "sub": "It may be free again. Nothing was changed."}
    facts = [("Who", f"{hold.name}, {'a program' if hold.is_agent else 'a person'}")]
    if hold.purpose:
        facts.append(("What for", hold.purpose))
    facts.append(("Since", clock_words(hold.since, lease.at)))
    checkout = Checkout.objects.select_related("base_version").filter(pk=checkout_id_of(lease)).first()
    if checkout:
        facts.append(
            ("From", f"version {checkout.base_version.number}, {CLIENTS.get(checkout.client, checkout.client)}")
        )
    return {
        "hold": hold,
        "heading": "You have it checked out" if hold.is_mine else f"Held by {hold.name}",
        "sub": outcome,
        "facts": facts,
    }


def next_steps(actor: Actor, found: ArtifactWithLease, refusal: Refusal) -> list[Step]:
    artifact = found.artifact
    page = artifact_url(artifact)
    steps: list[Step] = []
    if isinstance(refusal, ArtifactBusy) and refusal.lease and refusal.lease.participant == actor.participant:
        return [("Check in or discard first", "Then the file is free for this too.", f"Open {artifact.name}", page)]
    if isinstance(refusal, ArtifactBusy) and refusal.lease:
        name = refusal.lease.participant.partition(":")[2]
        number = artifact.head.number if artifact.head else 0
        steps += [
            (
                "Read it meanwhile",
                f"Version {number} is the newest. Changes that you make to it cannot be checked in.",
                f"Download version {number}",
                reverse("artifact-content", args=[artifact.pk]),
            ),
            (
                "Wait",
                "The file’s page looks every few seconds. While it is open, it says when the file is free.",
                "Tell me when it is free",
                f"{page}#when-free",
            ),
            (f"Ask {name}", "A check-in or a discard frees it at once.", f"What {name} holds", reverse("board")),
        ]
        behind = checkout_id_of(refusal.lease)
        if may_break(actor, found) and behind:
            break_page = reverse("break", args=[behind])
            steps.append(("If it cannot wait", "You are an operator here: you can break it.", "Break…", break_page))
        else:
            steps.append(("If it cannot wait", who_can_help_text(found), "", ""))
        return steps
    if isinstance(refusal, ScopeReserved):
        until = "It has no clock: it ends when an operator accepts, sends back or cancels the ticket."
        steps = [("Wait for the ticket", until, "", ""), ("Ask", who_can_help_text(found), "", "")]
    return [*steps, ("Go on from the file’s page", "It says how things stand now.", f"Open {artifact.name}", page)]


def who_can_help_text(found: ArtifactWithLease) -> str:
    """Return a sentence with the names of up to three operators of the project."""
    operators = Membership.objects.filter(project=found.artifact.project, role=Role.OPERATOR, user__is_active=True)
    names = list(operators.order_by("user__username").values_list("user__username", flat=True)[:3])
    who = " or ".join(names) if names else "An operator"
    return f"In {found.artifact.project.name}, {who} can help."


def path_taken_context(actor: Actor, refusal: PathTaken) -> dict[str, Any]:
    try:
        found = artifact_for(actor, refusal.artifact)
    except NotFound:
        return {}
    artifact = found.artifact
    return {
        "sub": f"{artifact.project.name} has {artifact.path} already. Nothing was added.",
        "crumbs": project_crumbs(artifact.project, folder_of(artifact.path)),
        "next_steps": [
            next_version_step(actor, found),
            (
                "Keep both",
                "Give yours another name and add it again.",
                "Back to the folder",
                folder_url(artifact.project, folder_of(artifact.path)),
            ),
        ],
    }


def next_version_step(actor: Actor, found: ArtifactWithLease) -> Step:
    """Return the step to check the upload in as the next version of the file that has its path."""
    artifact, page = found.artifact, artifact_url(found.artifact)
    checkout = open_checkout_of(actor, artifact)
    if checkout is not None:
        prediction = predict_check_in(actor, found, checkout, hold_for(actor, found.lease))
        return ("You have it checked out", prediction.title, f"{prediction.button}…", f"{page}#check-in")
    hold = hold_for(actor, found.live_lease)
    first = f"{hold.name} has it now." if hold else "Check the file out first; then it takes your bytes."
    return ("Check it in as the next version", first, f"Open {artifact.name}", page)


def limit_text(refusal: TooLarge) -> str:
    return f"This server takes files up to {filesize(refusal.limit)}. Nothing was changed."
