"""Create and edit a ticket. If a scope key was probably meant as another one, the form asks first."""

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
from leasehold.web.forms import add_message, errors_by_field, lines_of
from leasehold.web.reader import actor_of
from leasehold.web.tickets.rights import ticket_facts
from leasehold.web.tickets.scope_question import ScopeQuestion
from leasehold.web.tickets.ticket_list import may_write


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def new_ticket(request: HttpRequest) -> HttpResponse:
    actor = actor_of(request)
    projects = [project for project in projects_for(actor).order_by("name", "slug") if may_write(actor, project)]
    if not projects:
        raise Forbidden("To write a ticket you must be an editor in a project.")
    values = {
        "project": request.POST.get("project") or request.GET.get("project", ""),
        "title": request.POST.get("title", ""),
        "description": request.POST.get("description", ""),
        "scope": request.POST.get("scope") or request.GET.get("scope", ""),
    }
    errors: dict[str, str] = {}
    question = ScopeQuestion(request)
    if request.method == "POST":
        try:
            home = next((project for project in projects if project.slug == values["project"]), None)
            values["scope"] = question.resolve(actor, home, values["scope"])
            if not question.doubts:
                ticket = actions.create_ticket(
                    actor=actor,
                    project=values["project"],
                    title=values["title"],
                    description=values["description"],
                    scope=lines_of(values["scope"]),
                )
                after = "An operator approves it; then it can be started."
                add_message(request, f"Ticket {ticket.pk} is drafted.\n{after}", "is-free")
                return redirect("ticket", ticket.pk)
        except Invalid as refusal:
            errors = errors_by_field(refusal)
    context = new_ticket_context(projects, values, errors, question)
    return render(request, "tickets/ticket_form.html", context, status=400 if errors else 200)


def new_ticket_context(
    projects: list[Project], values: dict[str, str], errors: dict[str, str], question: ScopeQuestion
) -> dict[str, Any]:
    home = next((project for project in projects if project.slug == values["project"]), projects[0])
    return {
        "section": "tickets",
        "heading": "New ticket",
        "projects": projects,
        "home": home,
        "values": values,
        "errors": errors,
        "question": question,
        "button": "Draft the ticket",
        "back": reverse("tickets"),
        "crumbs": [("Tickets", reverse("tickets"))],
    }


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def edit_ticket(request: HttpRequest, ticket_id: int) -> HttpResponse:
    actor = actor_of(request)
    ticket = ticket_for(actor, ticket_id)
    url = reverse("ticket", args=[ticket.pk])
    if request.method != "POST" and "edit" not in allowed_verbs(ticket_facts(actor, ticket, None)):
        raise Forbidden("A ticket is edited by its author or an operator, until it is started.")
    values = {
        "title": request.POST.get("title", ticket.title),
        "description": request.POST.get("description", ticket.description),
        "scope": request.POST.get("scope", "\n".join(key.key for key in ticket.scope.all())),
    }
    errors: dict[str, str] = {}
    question = ScopeQuestion(request, known={key.place for key in ticket.scope.all()})
    if request.method == "POST":
        try:
            values["scope"] = question.resolve(actor, ticket.project, values["scope"])
            if not question.doubts:
                edited = actions.edit_ticket(
                    actor=actor,
                    ticket_id=ticket.pk,
                    title=values["title"],
                    description=values["description"],
                    scope=lines_of(values["scope"]),
                )
                needs_approval = ticket.status == Ticket.Status.APPROVED and edited.status == Ticket.Status.DRAFT
                after = "Its scope is another, so it waits for approval again." if needs_approval else ""
                add_message(request, f"Ticket {ticket.pk} is changed.\n{after}", "is-free")
                return redirect(url)
        except Invalid as refusal:
            errors = errors_by_field(refusal)
    context = edit_ticket_context(ticket, values, errors, question)
    return render(request, "tickets/ticket_form.html", context, status=400 if errors else 200)


def edit_ticket_context(
    ticket: Ticket, values: dict[str, str], errors: dict[str, str], question: ScopeQuestion
) -> dict[str, Any]:
    url = reverse("ticket", args=[ticket.pk])
    return {
        "section": "tickets",
        "heading": f"Edit ticket {ticket.pk}",
        "ticket": ticket,
        "home": ticket.project,
        "values": values,
        "errors": errors,
        "question": question,
        "button": "Save",
        "back": url,
        "crumbs": [("Tickets", reverse("tickets")), (f"{ticket.pk} {ticket.title}", url)],
    }
