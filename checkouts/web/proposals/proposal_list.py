"""The list of proposals: waiting, one's own, and decided."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_GET

from checkouts.models import Proposal
from checkouts.selectors import proposals_for
from checkouts.selectors.bases import with_bases
from checkouts.web.views import signed_in
from leasehold.selectors import projects_for
from leasehold.selectors.counts import count_rows
from leasehold.web.forms import choice_param, id_param, project_param
from leasehold.web.reader import actor_of

State = Proposal.State
PAGE = 50
TABS = {"waiting": "Waiting", "mine": "Mine", "decided": "Decided"}


@signed_in
@require_GET
def proposals(request: HttpRequest) -> HttpResponse:
    """Waiting proposals come oldest first, decided ones newest first."""
    actor = actor_of(request)
    show = choice_param(request, "show", TABS, "waiting")
    after = id_param(request, "after")
    projects = list(projects_for(actor).order_by("name", "slug"))
    slug = project_param(request, projects)
    visible = proposals_for(actor)
    if slug:
        visible = visible.filter(artifact__project__slug=slug)
    tabs = {
        "waiting": visible.filter(state=State.OPEN),
        "mine": visible.filter(author=actor.user),
        "decided": visible.exclude(state=State.OPEN),
    }
    is_oldest_first = show == "waiting"
    rows = tabs[show].order_by("pk" if is_oldest_first else "-pk")
    if after:
        rows = rows.filter(pk__gt=after) if is_oldest_first else rows.filter(pk__lt=after)
    found = list(rows[: PAGE + 1])
    counts = count_rows(**tabs)
    address = reverse("proposals")
    at_project = f"&project={slug}" if slug else ""
    here = f"{address}?show={show}{at_project}"
    return render(
        request,
        "proposals/proposal_list.html",
        {
            "section": "proposals",
            "show": show,
            "tabs": [(name, label, counts[name], f"{address}?show={name}{at_project}") for name, label in TABS.items()],
            "projects": projects,
            "project": slug,
            "rows": with_bases(found[:PAGE]),
            "reader": actor.user,
            "first": here if after else "",
            "more": f"{here}&after={found[PAGE - 1].pk}" if len(found) > PAGE else "",
        },
    )
