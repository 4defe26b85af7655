"""A proposal's page, which compares it with its base and the newest version, and the decisions on it."""

from collections.abc import Callable
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_GET, require_http_methods

from checkouts.actions import proposals as actions
from checkouts.models import Proposal
from checkouts.rules import ProposalFacts, allowed_verbs
from checkouts.selectors import ArtifactWithLease, artifact_for, proposal_for
from checkouts.selectors.bases import base_of
from checkouts.web.holds import hold_for
from checkouts.web.links import artifact_crumbs, artifact_url
from checkouts.web.proposals.comparison import comparison_of
from checkouts.web.rights import may_break
from checkouts.web.views import View, signed_in
from leasehold.actors import Actor
from leasehold.database import clock
from leasehold.exceptions import Invalid, NotFound
from leasehold.web.forms import add_message
from leasehold.web.reader import actor_of

State = Proposal.State


@signed_in
@require_GET
def detail(request: HttpRequest, proposal_id: int) -> HttpResponse:
    actor = actor_of(request)
    return proposal_page(request, actor, proposal_for(actor, proposal_id))


def proposal_page(
    request: HttpRequest, actor: Actor, proposal: Proposal, *, error: str = "", status: int = 200
) -> HttpResponse:
    """Render the page. `error`: the message beside the reason's field."""
    file = visible_file(actor, proposal)
    at = file.at if file else clock.now()
    head = proposal.artifact.head
    facts = facts_of(actor, proposal, file)
    context: dict[str, Any] = {
        "section": "proposals",
        "at": at,
        "proposal": proposal,
        "artifact": proposal.artifact,
        "project": proposal.artifact.project,
        "head": head,
        "next_number": head.number + 1,
        "columns": comparison_of(proposal),
        "hold": hold_for(actor, file.live_lease) if file else None,
        "facts": facts,
        "is_stale": facts.is_open and not facts.is_base_head,
        "offered": allowed_verbs(facts),
        "base": base_of(proposal),
        "error": error,
        "reason": request.POST.get("reason", ""),
        "crumbs": [("Proposals", reverse("proposals")), *(artifact_crumbs(proposal.artifact)[1:] if file else [])],
    }
    return render(request, "proposals/proposal.html", context, status=status)


def visible_file(actor: Actor, proposal: Proposal) -> ArtifactWithLease | None:
    """Return the proposal's file, or None for an author who has left the project but still sees the proposal."""
    try:
        return artifact_for(actor, proposal.artifact_id)
    except NotFound:
        return None


def facts_of(actor: Actor, proposal: Proposal, file: ArtifactWithLease | None) -> ProposalFacts:
    return ProposalFacts(
        is_open=proposal.state == State.OPEN,
        is_author=proposal.author_id == actor.user.pk,
        may_decide=file is not None and may_break(actor, file),
        is_archived=proposal.artifact.archived_at is not None,
        is_base_head=proposal.artifact.head_id == proposal.base_version_id,
        is_held=file is not None and file.live_lease is not None,
    )


ProposalVerb = Callable[[HttpRequest, Actor, Proposal], HttpResponse]


def proposal_verb(verb: ProposalVerb) -> View:
    """Make a view of a verb on a proposal: POST runs it, GET redirects to the proposal's page."""

    @signed_in
    @require_http_methods(["GET", "HEAD", "POST"])
    def view(request: HttpRequest, proposal_id: int) -> HttpResponse:
        actor = actor_of(request)
        proposal = proposal_for(actor, proposal_id)
        return verb(request, actor, proposal) if request.method == "POST" else redirect("proposal", proposal.pk)

    return view


@proposal_verb
def accept(request: HttpRequest, actor: Actor, proposal: Proposal) -> HttpResponse:
    version = actions.accept(actor=actor, proposal_id=proposal.pk)
    add_message(
        request,
        f"{proposal.artifact.name} is at version {version.number} now, by {proposal.author.username}.",
        "is-free",
    )
    return redirect(artifact_url(proposal.artifact))


@proposal_verb
def reject(request: HttpRequest, actor: Actor, proposal: Proposal) -> HttpResponse:
    try:
        actions.reject(actor=actor, proposal_id=proposal.pk, reason=request.POST.get("reason", ""))
    except Invalid as refusal:
        error = " ".join(problem["detail"] for problem in refusal.errors)
        error = (
            f"Say it in a few words, so that {proposal.author.username} understands." if error == "Needed." else error
        )
        return proposal_page(request, actor, proposal, error=error, status=400)
    add_message(request, f"Proposal {proposal.pk} is rejected.\nIts bytes can still be downloaded.", "is-lapsed")
    return redirect("proposal", proposal.pk)


@proposal_verb
def rebuild(request: HttpRequest, actor: Actor, proposal: Proposal) -> HttpResponse:
    rebuilt = actions.rebuild(actor=actor, proposal_id=proposal.pk)
    number = rebuilt.base_version.number
    after = f"The same bytes, against version {number}. Nothing is accepted yet."
    add_message(request, f"Proposal {rebuilt.pk} takes the place of {proposal.pk}.\n{after}", "is-proposal")
    return redirect("proposal", rebuilt.pk)


@proposal_verb
def withdraw(request: HttpRequest, actor: Actor, proposal: Proposal) -> HttpResponse:
    actions.withdraw(actor=actor, proposal_id=proposal.pk)
    add_message(request, f"Proposal {proposal.pk} is withdrawn.\nIts bytes can still be downloaded.", "is-lapsed")
    return redirect("proposal", proposal.pk)
