"""The journal as a page: sentences, filters, and the same as a file."""

from typing import Any
from urllib.parse import urlencode

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_GET

from leasehold import names
from leasehold.exceptions import NotFound
from leasehold.journal import KINDS
from leasehold.selectors import entries_for, projects_for
from leasehold.web.forms import choice_asked, id_asked
from leasehold.web.journal import filters as finding
from leasehold.web.journal.sentences import called, subjects_of, told
from leasehold.web.reader import actor_of

PAGE = 100


@login_required
@require_GET
def journal(request: HttpRequest) -> HttpResponse:
    """What happened in one's projects, the newest first. Filters narrow it, by index."""
    actor = actor_of(request)
    kind = choice_asked(request, "kind", KINDS)
    slug = names.text(request.GET.get("project"), "project", 50)
    who = names.text(request.GET.get("actor"), "actor", 160)
    subject = names.text(request.GET.get("subject"), "subject", 200)
    before = id_asked(request, "before")
    people: list[str] = []
    things: list[str] = []
    projects = list(projects_for(actor).order_by("name", "slug"))

    rows = entries_for(actor)
    if slug:
        project = next((project for project in projects if project.slug == slug), None)
        if project is None:
            raise NotFound
        rows = rows.filter(project=project)
    if kind:
        rows = rows.filter(kind=kind)
    if who:
        people = finding.participants(who)
        rows = rows.filter(participant__in=people)
    if subject:
        things = finding.subjects(actor, projects, subject)
        rows = rows.filter(subject__in=things)
    if before:
        rows = rows.filter(pk__lt=before)
    found = list(rows.order_by("-pk")[: PAGE + 1])
    entries = found[:PAGE]
    filters = {"project": slug, "kind": kind, "actor": who, "subject": subject}
    asked = {name: value for name, value in filters.items() if value}
    exact: dict[str, Any] = asked | ({"actor": people} if who else {}) | ({"subject": things} if subject else {})
    subjects = subjects_of(actor, entries)
    facts: dict[str, Any] = {
        "section": "journal",
        "projects": projects,
        "kinds": sorted(((name, called(name)) for name in KINDS), key=lambda kind: kind[1].lower()),
        "project": slug,
        "kind": kind,
        "actor": who,
        "subject": subject,
        "rows": [(line, subjects.get(line.entry.subject), line.entry) for line in told(actor, entries)],
        "first": address(**asked) if before else "",
        "more": address(**asked, before=found[PAGE - 1].pk) if len(found) > PAGE else "",
        "everything": address() if asked else "",
        "exports": [
            (form.upper(), f"{reverse('entries-export')}?{urlencode({'format': form, **exact}, doseq=True)}")
            for form in ("csv", "json")
        ],
    }
    return render(request, "leasehold/journal.html", facts)


def address(**query: Any) -> str:
    return reverse("journal") + (f"?{urlencode(query)}" if query else "")
