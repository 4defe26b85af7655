"""The forms by which a ticket is written and edited. A key that was probably meant otherwise is asked about first."""

from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from leasehold.actions import tickets as actions
from leasehold.exceptions import Forbidden, Invalid
from leasehold.models import Project, Ticket
from leasehold.rules import allowed_verbs
from leasehold.selectors import projects_for, ticket_for
from leasehold.web.forms import faults_of, lines_of, say
from leasehold.web.reader import actor_of
from leasehold.web.tickets.rights import ticket_facts
from leasehold.web.tickets.scope_question import Asking
from leasehold.web.tickets.ticket_list import may_write


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def new_ticket(request: HttpRequest) -> HttpResponse:
    actor = actor_of(request)
    projects = [project for project in projects_for(actor).order_by("name", "slug") if may_write(actor, project)]
    if not projects:
        raise Forbidden("To write a ticket you must be an editor in a project.")
    filled = {
        "project": request.POST.get("project") or request.GET.get("project", ""),
        "title": request.POST.get("title", ""),
        "description": request.POST.get("description", ""),
        "scope": request.POST.get("scope") or request.GET.get("scope", ""),
    }
    faults: dict[str, str] = {}
    asking = Asking(request)
    if request.method == "POST":
        try:
            home = next((project for project in projects if project.slug == filled["project"]), None)
            filled["scope"] = asking.judged(actor, home, filled["scope"])
            if asking.doubts:
                return render(request, "leasehold/ticket_form.html", form_of_new(projects, filled, faults, asking))
            ticket = actions.create_ticket(
                actor=actor,
                project=filled["project"],
                title=filled["title"],
                description=filled["description"],
                scope=lines_of(filled["scope"]),
            )
        except Invalid as refusal:
            faults = faults_of(refusal)
        else:
            say(request, f"Ticket {ticket.pk} is drafted.\nAn operator approves it; then it can be started.", "is-free")
            return redirect("ticket", ticket.pk)
    shown = form_of_new(projects, filled, faults, asking)
    return render(request, "leasehold/ticket_form.html", shown, status=400 if faults else 200)


def form_of_new(
    projects: list[Project], filled: dict[str, str], faults: dict[str, str], asking: Asking
) -> dict[str, Any]:
    chosen = next((project for project in projects if project.slug == filled["project"]), projects[0])
    return {
        "section": "tickets",
        "heading": "New ticket",
        "projects": projects,
        "home": chosen,
        "filled": filled,
        "faults": faults,
        "asking": asking,
        "button": "Draft the ticket",
        "back": reverse("tickets"),
        "crumbs": [("Tickets", reverse("tickets"))],
    }


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def edit_ticket(request: HttpRequest, ticket_id: int) -> HttpResponse:
    actor = actor_of(request)
    ticket = ticket_for(actor, ticket_id)
    page = reverse("ticket", args=[ticket.pk])
    if request.method != "POST" and "edit" not in allowed_verbs(ticket_facts(actor, ticket, None)):
        raise Forbidden("A ticket is edited by its author or an operator, until it is started.")
    filled = {
        "title": request.POST.get("title", ticket.title),
        "description": request.POST.get("description", ticket.description),
        "scope": request.POST.get("scope", "\n".join(key.key for key in ticket.scope.all())),
    }
    faults: dict[str, str] = {}
    asking = Asking(request, known={key.place for key in ticket.scope.all()})
    if request.method == "POST":
        try:
            filled["scope"] = asking.judged(actor, ticket.project, filled["scope"])
            if asking.doubts:
                return render(request, "leasehold/ticket_form.html", form_of_edit(ticket, filled, faults, asking))
            edited = actions.edit_ticket(
                actor=actor,
                ticket_id=ticket.pk,
                title=filled["title"],
                description=filled["description"],
                scope=lines_of(filled["scope"]),
            )
        except Invalid as refusal:
            faults = faults_of(refusal)
        else:
            took_back = ticket.status == Ticket.Status.APPROVED and edited.status == Ticket.Status.DRAFT
            after = "Its scope is another, so it waits for approval again." if took_back else ""
            say(request, f"Ticket {ticket.pk} is changed.\n{after}", "is-free")
            return redirect(page)
    shown = form_of_edit(ticket, filled, faults, asking)
    return render(request, "leasehold/ticket_form.html", shown, status=400 if faults else 200)


def form_of_edit(ticket: Ticket, filled: dict[str, str], faults: dict[str, str], asking: Asking) -> dict[str, Any]:
    page = reverse("ticket", args=[ticket.pk])
    return {
        "section": "tickets",
        "heading": f"Edit ticket {ticket.pk}",
        "ticket": ticket,
        "home": ticket.project,
        "filled": filled,
        "faults": faults,
        "asking": asking,
        "button": "Save",
        "back": page,
        "crumbs": [("Tickets", reverse("tickets")), (f"{ticket.pk} {ticket.title}", page)],
    }
