"""The page of one ticket: its state, its scope, its sessions, its journal, and the forms for its verbs."""

from datetime import datetime
from typing import Any

from django.conf import settings
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_GET, require_http_methods

from leasehold.actors import Actor
from leasehold.database import clock
from leasehold.database.ids import BIGGEST_ID
from leasehold.exceptions import Invalid
from leasehold.models import Entry, Ticket
from leasehold.ports import open_checkouts_of
from leasehold.rules import allowed_verbs, is_stale
from leasehold.scopes.reservations import scope_audit
from leasehold.selectors import sessions_for, ticket_for
from leasehold.web.forms import add_message, errors_by_field, id_param, whole_number
from leasehold.web.journal.sentences import JournalLine, journal_lines
from leasehold.web.reader import actor_of, safe_next
from leasehold.web.tape import Tape, tape_of
from leasehold.web.tickets.rights import ticket_facts
from leasehold.web.tickets.runs import Run, tenures_of
from leasehold.web.tickets.scope import key_rows, scope_words, start_obstacles
from leasehold.web.tickets.ticket_list import status_of
from leasehold.web.tickets.verb_forms import FormFacts, forms_for, with_one_open
from leasehold.web.tickets.verbs import VERBS, PostedForm, posted_values

ENTRIES = 100  # of the journal, on one page
SESSIONS = 20

#: status, label and icon of each step in a ticket's life
STEPS = (
    (Ticket.Status.DRAFT, "Draft", "draft"),
    (Ticket.Status.APPROVED, "Approved", "approved"),
    (Ticket.Status.IN_PROGRESS, "In progress", "progress"),
    (Ticket.Status.REVIEW, "In review", "review"),
    (Ticket.Status.DONE, "Done", "done"),
)


@login_required
@require_GET
def ticket(request: HttpRequest, ticket_id: int) -> HttpResponse:
    actor = actor_of(request)
    return render_ticket(request, actor, ticket_for(actor, ticket_id), open_verb=request.GET.get("verb", ""))


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def post_verb(request: HttpRequest, ticket_id: int, verb: str) -> HttpResponse:
    """POST runs one of the page's verbs; an invalid form renders the page again. GET opens the verb's form."""
    actor = actor_of(request)
    ticket = ticket_for(actor, ticket_id)
    if request.method != "POST":
        return redirect(f"{reverse('ticket', args=[ticket.pk])}?verb={verb}#verb-{verb}")
    try:
        text, role = VERBS[verb](PostedForm(actor, ticket, posted_session(request, ticket), posted_values(request)))
    except Invalid as refusal:
        error = "  ".join(errors_by_field(refusal).values())
        error = "Say it in a few words." if error == "Needed." else error
        value = request.POST.get("reason") or request.POST.get("note") or request.POST.get("worker") or ""
        return render_ticket(request, actor, ticket, open_verb=verb, error=error, value=value, status=400)
    add_message(request, f"Ticket {ticket.pk}: {text[0].lower() + text[1:] if text[:3] != 'You' else text}", role)
    return redirect(safe_next(request)) if "next" in request.POST else redirect("ticket", ticket.pk)


def posted_session(request: HttpRequest, ticket: Ticket) -> int:
    """Return the id of the ticket's session that the form names, or of its newest if the form names none.

    If there is no such session, return an id that no session has: the action refuses it.
    """
    sessions = ticket.sessions.order_by("-pk").values_list("pk", flat=True)
    if session_id := whole_number(request, "session"):
        sessions = sessions.filter(pk=session_id)
    return sessions.first() or BIGGEST_ID


def render_ticket(
    request: HttpRequest,
    actor: Actor,
    ticket: Ticket,
    *,
    open_verb: str,
    error: str = "",
    value: str = "",
    status: int = 200,
) -> HttpResponse:
    """Render the page with the form of `open_verb` open; `value` and `error` belong to that form's input."""
    at = clock.now()
    sessions = list(sessions_for(actor).filter(ticket=ticket).order_by("-pk")[: SESSIONS + 1])
    runs = [Run.seen_by(actor.user, session, at) for session in sessions]
    run = runs[0] if runs else None
    facts = ticket_facts(actor, ticket, run)
    verbs = allowed_verbs(facts)
    scope = list(ticket.scope.all())
    # If the session's lapse is not written down yet, the next action does that first, and so changes `state_since`.
    since = ticket.state_since if facts.status == ticket.status else None
    forms = forms_for(verbs, FormFacts(scope=scope_words(scope), run=run, since=since))
    audit = scope_audit(ticket, sessions)
    before = id_param(request, "before")
    lines, older = journal_page(actor, ticket, before)
    url = reverse("ticket", args=[ticket.pk])
    context: dict[str, Any] = {
        "section": "tickets",
        "at": at,
        "ticket": ticket,
        "status": status_of(ticket, run),
        "is_stale": is_stale(ticket.status, ticket.state_since, at=at, after=settings.LEASEHOLD_STALE_AFTER),
        "run": run,
        "runs": runs[:SESSIONS],
        "has_more_runs": len(runs) > SESSIONS,
        "tape": session_tape(actor, runs[:SESSIONS], at),
        "steps": steps(facts.status),
        "keys": key_rows(actor, ticket, scope),
        "obstacles": start_obstacles(actor, ticket, scope) if "start" in verbs else [],
        "forms": with_one_open(forms, open_verb, value=value, error=error),
        "may_edit": "edit" in verbs,
        "audit": audit,
        "outside": sum(not commit.is_inside for commit in audit),
        "open_checkouts": open_checkouts_of(sessions) if sessions else [],
        "failures": list(ticket.failures.select_related("session__worker").order_by("-pk")[:SESSIONS]),
        "lines": lines,
        "first": url if before else "",
        "more": f"{url}?before={older}#story" if older else "",
        "crumbs": crumbs_of(ticket),
    }
    return render(request, "tickets/ticket.html", context, status=status)


def session_tape(actor: Actor, runs: list[Run], at: datetime) -> Tape | None:
    """Return the tape of the sessions: up to now while one is live, else up to the end of the last."""
    ends = min(runs[0].ended_at, at) if runs and not runs[0].is_live else at
    return tape_of(actor.participant, tenures_of(runs), ends=timezone.localtime(ends), now=at)


def crumbs_of(ticket: Ticket) -> list[tuple[str, str]]:
    tickets = reverse("tickets")
    return [("Tickets", tickets), (ticket.project.name, f"{tickets}?project={ticket.project.slug}")]


def steps(status: str) -> list[tuple[str, str, bool, bool]]:
    """Return the steps: label, icon, whether it is done, and whether it is the current one.

    A blocked ticket is at the step *In progress*, which then reads *Blocked*.
    """
    current = Ticket.Status.IN_PROGRESS if status == Ticket.Status.BLOCKED else status
    order = [step[0] for step in STEPS]
    position = order.index(Ticket.Status(current)) if current in order else -1
    return [
        ("Blocked", "blocked", False, True)
        if number == position and status == Ticket.Status.BLOCKED
        else (label, icon, number < position, number == position)
        for number, (_, label, icon) in enumerate(STEPS)
    ]


def journal_page(actor: Actor, ticket: Ticket, before: int | None) -> tuple[list[JournalLine], int | None]:
    """Return a page of the ticket's journal, the newest first, and the id before which the next page begins.

    Renewals are included. `before`: the id before which this page begins.
    """
    entries = Entry.objects.filter(subject=f"ticket:{ticket.pk}").order_by("-pk")
    if before:
        entries = entries.filter(pk__lt=before)
    rows = list(entries[: ENTRIES + 1])
    return journal_lines(actor, rows[:ENTRIES]), rows[ENTRIES - 1].pk if len(rows) > ENTRIES else None
