"""Proposals: what waits for a decision, and one of them beside what it stands against."""

from collections.abc import Callable
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_GET, require_http_methods

from checkouts.actions import proposals as actions
from checkouts.models import Proposal
from checkouts.rules import Waiting, offered
from checkouts.selectors import Seen, artifact_for, proposal_for, proposals_for
from checkouts.unseen import start_of, with_starts
from checkouts.web.shown import View, artifact_crumbs, artifact_url, hold_of, may_break, signed_in
from checkouts.web.sides import sides_of
from leasehold import clock, names
from leasehold.actors import Actor
from leasehold.browsing import capped
from leasehold.exceptions import Invalid, NotFound
from leasehold.selectors import projects_for
from leasehold.web.forms import choice_asked, id_asked, say
from leasehold.web.reader import actor_of

PAGE = 50
TABS = {"waiting": "Waiting", "mine": "Mine", "decided": "Decided"}
State = Proposal.State


@signed_in
@require_GET
def proposals(request: HttpRequest) -> HttpResponse:
    """What waits: the oldest first, since it has waited longest. What is decided: the newest first."""
    actor = actor_of(request)
    show = choice_asked(request, "show", TABS, "waiting")
    slug = names.text(request.GET.get("project"), "project", 50)
    after = id_asked(request, "after")
    projects = list(projects_for(actor).order_by("name", "slug"))
    if slug and slug not in {project.slug for project in projects}:
        raise NotFound
    seen = proposals_for(actor)
    if slug:
        seen = seen.filter(artifact__project__slug=slug)
    listed = {
        "waiting": seen.filter(state=State.OPEN),
        "mine": seen.filter(author=actor.user),
        "decided": seen.exclude(state=State.OPEN),
    }
    is_oldest_first = show == "waiting"
    rows = listed[show].order_by("pk" if is_oldest_first else "-pk")
    if after:
        rows = rows.filter(pk__gt=after) if is_oldest_first else rows.filter(pk__lt=after)
    found = list(rows[: PAGE + 1])
    counts = capped(**listed)
    address = reverse("proposals")
    at_project = f"&project={slug}" if slug else ""
    here = f"{address}?show={show}{at_project}"
    return render(
        request,
        "checkouts/proposals.html",
        {
            "section": "proposals",
            "show": show,
            "tabs": [(name, words, counts[name], f"{address}?show={name}{at_project}") for name, words in TABS.items()],
            "projects": projects,
            "project": slug,
            "rows": with_starts(found[:PAGE]),
            "reader": actor.user,
            "first": here if after else "",
            "more": f"{here}&after={found[PAGE - 1].pk}" if len(found) > PAGE else "",
        },
    )


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
        "hold": hold_of(actor, seen.live_lease) if seen else None,
        "stands": stands,
        "is_stale": stands.is_open and not stands.is_base_head,
        "offered": offered(stands),
        "start": start_of(kept),
        "wrong": wrong,
        "reason": request.POST.get("reason", ""),
        "crumbs": [("Proposals", reverse("proposals")), *(artifact_crumbs(kept.artifact)[1:] if seen else [])],
    }
    return render(request, "checkouts/proposal.html", facts, status=status)


def seen_by(actor: Actor, kept: Proposal) -> Seen | None:
    """The file; none for an author who has left its project, and keeps what they made."""
    try:
        return artifact_for(actor, kept.artifact_id)
    except NotFound:
        return None


def standing(actor: Actor, kept: Proposal, seen: Seen | None) -> Waiting:
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
