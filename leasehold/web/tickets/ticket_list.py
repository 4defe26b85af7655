"""The list of tickets, by state, project and search."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from urllib.parse import urlencode

from django.conf import settings
from django.contrib.auth.decorators import login_required
from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_GET

from leasehold import names
from leasehold.actors import Actor
from leasehold.database import clock
from leasehold.models import Project, Role, ScopeKey, Session, Ticket
from leasehold.rules import is_stale
from leasehold.selectors import projects_for, tickets_for
from leasehold.selectors.counts import count_rows
from leasehold.selectors.sessions import last_sessions
from leasehold.selectors.tickets import search_tickets, tickets_in
from leasehold.web.forms import choice_param, id_param, project_param
from leasehold.web.reader import actor_of
from leasehold.web.tickets.runs import Run

PAGE = 50
KEYS = 4  # in a row of the list; the ticket's page has all
#: the tab's name in the URL → its label, and the state that it lists
TABS: dict[str, tuple[str, str]] = {
    "open": ("Open", "open"),
    "mine": ("Mine", "open"),
    "draft": ("Draft", Ticket.Status.DRAFT),
    "approved": ("Approved", Ticket.Status.APPROVED),
    "in-progress": ("In progress", Ticket.Status.IN_PROGRESS),
    "blocked": ("Blocked", Ticket.Status.BLOCKED),
    "review": ("In review", Ticket.Status.REVIEW),
    "stale": ("Stale", "stale"),
    "done": ("Done", Ticket.Status.DONE),
    "cancelled": ("Cancelled", Ticket.Status.CANCELLED),
}


@dataclass(frozen=True, slots=True)
class TicketRow:
    """One ticket of the list. `run` is its newest session, or None."""

    ticket: Ticket
    run: Run | None
    keys: list[ScopeKey]
    is_stale: bool

    @property
    def status(self) -> str:
        """The status as `status_of` gives it."""
        return status_of(self.ticket, self.run)

    @property
    def more_keys(self) -> int:
        return len(self.keys) - KEYS

    @property
    def first_keys(self) -> list[ScopeKey]:
        return self.keys[:KEYS]


def status_of(ticket: Ticket, run: Run | None) -> str:
    """Return the status to display: a lapsed session has blocked its ticket, even if that is not stored yet."""
    if ticket.status == Ticket.Status.IN_PROGRESS and run is not None and run.is_lapsed:
        return Ticket.Status.BLOCKED
    return ticket.status


@login_required
@require_GET
def tickets(request: HttpRequest) -> HttpResponse:
    actor = actor_of(request)
    at = clock.now()
    show = choice_param(request, "show", TABS, "open")
    search = names.checked_text(request.GET.get("q"), "q", 200)
    before = id_param(request, "before")
    projects = list(projects_for(actor).order_by("name", "slug"))
    slug = project_param(request, projects)

    visible = tickets_for(actor)
    if slug:
        visible = visible.filter(project__slug=slug)
    if search:
        visible = search_tickets(visible, search)
    counts = count_rows(**{name: in_tab(actor, visible, name) for name in TABS})
    rows = in_tab(actor, visible, show)
    if before:
        rows = rows.filter(pk__lt=before)
    found = list(rows.prefetch_related("scope").order_by("-pk")[: PAGE + 1])
    here = {"show": show if show != "open" else "", "project": slug, "q": search}
    return render(
        request,
        "tickets/ticket_list.html",
        {
            "section": "tickets",
            "at": at,
            "show": show,
            "tabs": [
                (name, label, counts[name], list_url(**here | {"show": name if name != "open" else ""}))
                for name, (label, _) in TABS.items()
            ],
            "projects": projects,
            "project": slug,
            "search": search,
            "rows": rows_of(actor, found[:PAGE], at),
            "everything": list_url(),
            "first": list_url(**here) if before else "",
            "more": list_url(**here, before=found[PAGE - 1].pk) if len(found) > PAGE else "",
            "may_write": any(may_write(actor, project) for project in projects),
        },
    )


def in_tab(actor: Actor, rows: Any, show: str) -> Any:
    """Return those of the tickets `rows` that belong in the tab `show`."""
    if show == "mine":
        mine = Session.objects.filter(worker=actor.user, status=Session.Status.ACTIVE).values("ticket")
        return tickets_in(rows, "open").filter(Q(created_by=actor.user) | Q(pk__in=mine))
    return tickets_in(rows, TABS[show][1])


def rows_of(actor: Actor, tickets: list[Ticket], at: datetime) -> list[TicketRow]:
    sessions = last_sessions(tickets) if tickets else {}
    return [
        TicketRow(
            ticket,
            Run.seen_by(actor.user, session, at) if (session := sessions.get(ticket.pk)) else None,
            list(ticket.scope.all()),
            is_stale(ticket.status, ticket.state_since, at=at, after=settings.LEASEHOLD_STALE_AFTER),
        )
        for ticket in tickets
    ]


def list_url(**query: Any) -> str:
    """Return the list's URL with the parameters of `query` that are not empty."""
    parameters = urlencode({name: value for name, value in query.items() if value})
    return reverse("tickets") + (f"?{parameters}" if parameters else "")


def may_write(actor: Actor, project: Project) -> bool:
    """May the actor write tickets in `project`, which comes from `projects_for`?"""
    return actor.effective(project.role) in (Role.EDITOR, Role.OPERATOR)
