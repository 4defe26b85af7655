"""The journal's page: sentences, filters, and links to the export of the same entries."""

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
from leasehold.web.forms import choice_param, id_param
from leasehold.web.journal.filters import participants
from leasehold.web.journal.filters import subjects as subjects_named
from leasehold.web.journal.sentences import journal_lines, kind_label, subjects_of
from leasehold.web.reader import actor_of

PAGE = 100


@login_required
@require_GET
def journal(request: HttpRequest) -> HttpResponse:
    """What happened in the reader's projects, the newest first. Each filter is served by an index."""
    actor = actor_of(request)
    kind = choice_param(request, "kind", KINDS)
    slug = names.checked_text(request.GET.get("project"), "project", 50)
    who = names.checked_text(request.GET.get("actor"), "actor", 160)
    subject = names.checked_text(request.GET.get("subject"), "subject", 200)
    before = id_param(request, "before")
    exact: dict[str, Any] = {"project": slug, "kind": kind}
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
        exact["actor"] = participants(who)
        rows = rows.filter(participant__in=exact["actor"])
    if subject:
        exact["subject"] = subjects_named(actor, projects, subject)
        rows = rows.filter(subject__in=exact["subject"])
    if before:
        rows = rows.filter(pk__lt=before)
    found = list(rows.order_by("-pk")[: PAGE + 1])
    entries = found[:PAGE]
    filters = {"project": slug, "kind": kind, "actor": who, "subject": subject}
    query = {name: value for name, value in filters.items() if value}
    exact = {name: value for name, value in exact.items() if value}
    subjects = subjects_of(actor, entries)
    context: dict[str, Any] = {
        "section": "journal",
        "projects": projects,
        "kinds": sorted(((name, kind_label(name)) for name in KINDS), key=lambda kind: kind[1].lower()),
        "project": slug,
        "kind": kind,
        "actor": who,
        "subject": subject,
        "rows": [(line, subjects.get(line.entry.subject), line.entry) for line in journal_lines(actor, entries)],
        "first": journal_url(**query) if before else "",
        "more": journal_url(**query, before=found[PAGE - 1].pk) if len(found) > PAGE else "",
        "everything": journal_url() if query else "",
        "exports": [
            (name.upper(), f"{reverse('entries-export')}?{urlencode({'format': name, **exact}, doseq=True)}")
            for name in ("csv", "json")
        ],
    }
    return render(request, "journal/journal.html", context)


def journal_url(**query: Any) -> str:
    """Return the journal's URL with these parameters."""
    return reverse("journal") + (f"?{urlencode(query)}" if query else "")
