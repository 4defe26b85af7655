"""One proposal beside what it stands against, and the decision on it."""

from collections.abc import Callable
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_GET, require_http_methods

from checkouts.actions import proposals as actions
from checkouts.models import Proposal
from checkouts.rules import Waiting, offered
from checkouts.selectors import ArtifactWithLease, artifact_for, proposal_for
from checkouts.selectors.bases import base_of
from checkouts.web.holds import hold_for
from checkouts.web.links import artifact_crumbs, artifact_url
from checkouts.web.proposals.sides import sides_of
from checkouts.web.rights import may_break
from checkouts.web.views import View, signed_in
from leasehold.actors import Actor
from leasehold.database import clock
from leasehold.exceptions import Invalid, NotFound
from leasehold.web.forms import say
from leasehold.web.reader import actor_of

PAGE = 50


TABS = {"waiting": "Waiting", "mine": "Mine", "decided": "Decided"}


State = Proposal.State


@signed_in
@require_GET
def proposal(request: HttpRequest, proposal_id: int) -> HttpResponse:
    actor = actor_of(request)
    return shown(request, actor, proposal_for(actor, proposal_id))


def shown(request: HttpRequest, actor: Actor, kept: Proposal, *, wrong: str = "", status: int = 200) -> HttpResponse:
    seen = seen_by(actor, kept)
    at = seen.at if seen else clock.now()
    head = kept.artifact.head
    stands = standing(actor, kept, seen)
    facts: dict[str, Any] = {
        "section": "proposals",
        "at": at,
        "proposal": kept,
        "artifact": kept.artifact,
        "project": kept.artifact.project,
        "head": head,
        "next_number": head.number + 1,
        "sides": sides_of(kept),
        "hold": hold_for(actor, seen.live_lease) if seen else None,
        "stands": stands,
        "is_stale": stands.is_open and not stands.is_base_head,
        "offered": offered(stands),
        "start": base_of(kept),
        "wrong": wrong,
        "reason": request.POST.get("reason", ""),
        "crumbs": [("Proposals", reverse("proposals")), *(artifact_crumbs(kept.artifact)[1:] if seen else [])],
    }
    return render(request, "checkouts/proposal.html", facts, status=status)


def seen_by(actor: Actor, kept: Proposal) -> ArtifactWithLease | None:
    """The file; none for an author who has left its project, and keeps what they made."""
    try:
        return artifact_for(actor, kept.artifact_id)
    except NotFound:
        return None


def standing(actor: Actor, kept: Proposal, seen: ArtifactWithLease | None) -> Waiting:
    return Waiting(
        is_open=kept.state == State.OPEN,
        is_author=kept.author_id == actor.user.pk,
        decides=seen is not None and may_break(actor, seen),
        is_archived=kept.artifact.archived_at is not None,
        is_base_head=kept.artifact.head_id == kept.base_version_id,
        is_held=seen is not None and seen.live_lease is not None,
    )


Deed = Callable[[HttpRequest, Actor, Proposal], HttpResponse]


def deed(do: Deed) -> View:
    """A POST on a proposal; a GET leads to the page that offers it."""

    @signed_in
    @require_http_methods(["GET", "HEAD", "POST"])
    def view(request: HttpRequest, proposal_id: int) -> HttpResponse:
        actor = actor_of(request)
        kept = proposal_for(actor, proposal_id)
        return do(request, actor, kept) if request.method == "POST" else redirect("proposal", kept.pk)

    return view


@deed
def accept(request: HttpRequest, actor: Actor, kept: Proposal) -> HttpResponse:
    version = actions.accept(actor=actor, proposal_id=kept.pk)
    say(request, f"{kept.artifact.name} is at version {version.number} now, by {kept.author.username}.", "is-free")
    return redirect(artifact_url(kept.artifact))


@deed
def reject(request: HttpRequest, actor: Actor, kept: Proposal) -> HttpResponse:
    try:
        actions.reject(actor=actor, proposal_id=kept.pk, reason=request.POST.get("reason", ""))
    except Invalid as refusal:
        wrong = " ".join(error["detail"] for error in refusal.errors)
        wrong = f"Say it in a few words, so that {kept.author.username} understands." if wrong == "Needed." else wrong
        return shown(request, actor, kept, wrong=wrong, status=400)
    say(request, f"Proposal {kept.pk} is rejected.\nIts bytes can still be downloaded.", "is-lapsed")
    return redirect("proposal", kept.pk)


@deed
def rebuild(request: HttpRequest, actor: Actor, kept: Proposal) -> HttpResponse:
    made = actions.rebuild(actor=actor, proposal_id=kept.pk)
    number = made.base_version.number
    after = f"The same bytes, against version {number}. Nothing is accepted yet."
    say(request, f"Proposal {made.pk} takes the place of {kept.pk}.\n{after}", "is-proposal")
    return redirect("proposal", made.pk)


@deed
def withdraw(request: HttpRequest, actor: Actor, kept: Proposal) -> HttpResponse:
    actions.withdraw(actor=actor, proposal_id=kept.pk)
    say(request, f"Proposal {kept.pk} is withdrawn.\nIts bytes can still be downloaded.", "is-lapsed")
    return redirect("proposal", kept.pk)
