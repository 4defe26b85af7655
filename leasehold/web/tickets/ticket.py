"""One ticket: where it stands, who holds its scope, what was done, and what the reader may do now."""

from collections.abc import Iterable
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
from leasehold.leases import HeldLease
from leasehold.models import Entry, ScopeKey, Ticket
from leasehold.ports import open_checkouts_of
from leasehold.rules import allowed_verbs, is_stale
from leasehold.scopes.meanings import scope_meanings
from leasehold.scopes.reservations import overlapping, reserved_at, scope_audit, ticket_of
from leasehold.selectors import sessions_for, ticket_for, tickets_for
from leasehold.web.forms import faults_of, id_asked, say, whole_number
from leasehold.web.journal.sentences import told
from leasehold.web.reader import actor_of, safe_next
from leasehold.web.tape import Tape, tape_of
from leasehold.web.tickets.rights import ticket_facts
from leasehold.web.tickets.runs import Run, tenures_of
from leasehold.web.tickets.ticket_list import status_of
from leasehold.web.tickets.verbs import VERBS, Asked, acts_on, form_of, opened

ENTRIES = 100  # of the journal, on one page
SESSIONS = 20
IN_THE_WAY = 20

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
    found = ticket_for(actor, ticket_id)
    return shown(request, actor, found, act=request.GET.get("act", ""))


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def act(request: HttpRequest, ticket_id: int, verb: str) -> HttpResponse:
    """Do one of the acts that the page offers; what the form got wrong is said beside it."""
    actor = actor_of(request)
    found = ticket_for(actor, ticket_id)
    if request.method != "POST":
        return redirect(f"{reverse('ticket', args=[found.pk])}?act={verb}#act-{verb}")
    try:
        text, role = VERBS[verb](Asked(actor, found, session_meant(request, found), form_of(request)))
    except Invalid as refusal:
        wrong = "  ".join(faults_of(refusal).values())
        wrong = "Say it in a few words." if wrong == "Needed." else wrong
        value = request.POST.get("reason") or request.POST.get("note") or request.POST.get("worker") or ""
        return shown(request, actor, found, act=verb, wrong=wrong, value=value, status=400)
    say(request, f"Ticket {found.pk}: {text[0].lower() + text[1:] if text[:3] != 'You' else text}", role)
    return redirect(safe_next(request)) if "next" in request.POST else redirect("ticket", found.pk)


def session_meant(request: HttpRequest, found: Ticket) -> int:
    """The session that the page showed, if it is one of this ticket's; else the newest; else one that nobody has."""
    sessions = found.sessions.order_by("-pk").values_list("pk", flat=True)
    if said := whole_number(request, "session"):
        sessions = sessions.filter(pk=said)
    return sessions.first() or BIGGEST_ID


def shown(
    request: HttpRequest, actor: Actor, found: Ticket, *, act: str, wrong: str = "", value: str = "", status: int = 200
) -> HttpResponse:
    at = clock.now()
    sessions = list(sessions_for(actor).filter(ticket=found).order_by("-pk")[: SESSIONS + 1])
    runs = [Run.seen_by(actor.user, session, at) for session in sessions]
    run = runs[0] if runs else None
    standing = ticket_facts(actor, found, run)
    verbs = allowed_verbs(standing)
    scope = list(found.scope.all())
    # A lapse that nothing has written down yet will move `state_since` before the act is judged.
    since = found.state_since if standing.status == found.status else None
    acts = acts_on(run, verbs, keys=in_words(scope), since=since)
    before = id_asked(request, "before")
    lines, older = story(actor, found, before)
    page = reverse("ticket", args=[found.pk])
    facts: dict[str, Any] = {
        "section": "tickets",
        "at": at,
        "ticket": found,
        "status": status_of(found, run),
        "is_stale": is_stale(found.status, found.state_since, at=at, after=settings.LEASEHOLD_STALE_AFTER),
        "run": run,
        "runs": runs[:SESSIONS],
        "has_more_runs": len(runs) > SESSIONS,
        "tape": tape(actor, runs[:SESSIONS], at),
        "steps": steps(standing.status),
        "keys": keys_of(actor, found, scope),
        "in_the_way": in_the_way(actor, found, scope) if "start" in verbs else [],
        "acts": opened(acts, act, wrong=wrong, value=value),
        "act_verbs": [act.verb for act in acts],
        "may_edit": "edit" in verbs,
        "audit": scope_audit(found, sessions),
        "open_checkouts": open_checkouts_of(sessions) if sessions else [],
        "failures": list(found.failures.select_related("session__worker").order_by("-pk")[:SESSIONS]),
        "lines": lines,
        "first": page if before else "",
        "more": f"{page}?before={older}#story" if older else "",
        "crumbs": crumbs_of(found),
    }
    facts["outside"] = sum(not one.is_inside for one in facts["audit"])
    return render(request, "leasehold/ticket.html", facts, status=status)


def tape(actor: Actor, runs: list[Run], at: datetime) -> Tape | None:
    """The sessions as a picture: up to now while one is live, else up to the end of the last."""
    ends = min(runs[0].ended_at, at) if runs and not runs[0].is_live else at
    return tape_of(actor.participant, tenures_of(runs), ends=timezone.localtime(ends), now=at)


def crumbs_of(found: Ticket) -> list[tuple[str, str]]:
    tickets = reverse("tickets")
    return [("Tickets", tickets), (found.project.name, f"{tickets}?project={found.project.slug}")]


def steps(status: str) -> list[tuple[str, str, bool, bool]]:
    """Where it stands: what, icon, is it behind us, is it here. A blocked ticket stands where its work stood."""
    here = Ticket.Status.IN_PROGRESS if status == Ticket.Status.BLOCKED else status
    order = [step[0] for step in STEPS]
    place = order.index(Ticket.Status(here)) if here in order else -1
    return [
        ("Blocked", "blocked", False, True)
        if number == place and status == Ticket.Status.BLOCKED
        else (words, drawing, number < place, number == place)
        for number, (_, words, drawing) in enumerate(STEPS)
    ]


def in_words(scope: Iterable[ScopeKey]) -> str:
    """`art/capes`, `art/capes and terminal-3`, or `art/capes and 4 more`."""
    keys = [key.key for key in scope]
    if len(keys) <= 1:
        return "".join(keys)
    return f"{keys[0]} and {keys[1]}" if len(keys) == 2 else f"{keys[0]} and {len(keys) - 1} more"


def keys_of(actor: Actor, found: Ticket, scope: list[ScopeKey]) -> list[dict[str, Any]]:
    """Each key with the ticket that reserves it, here or above; a foreign ticket is named and not linked to."""
    reserved = reserved_at(key.place for key in scope)
    holders = {ticket_of(held.holder) for held in reserved.values()}
    seen = set(tickets_for(actor).filter(pk__in=holders).values_list("pk", flat=True)) if holders else set()
    means = scope_meanings(actor, found.project, scope)
    rows = []
    for key in scope:
        held = reserved.get(key.place)
        holder = ticket_of(held.holder) if held else None
        rows.append(
            {
                "key": key.key,
                "means": means[key.place],
                "holder": holder,
                "is_this": holder == found.pk,
                "is_seen": holder in seen,
                "above": held.place if held and held.place != key.place else "",
                "since": held.acquired_at if held else None,
            }
        )
    return rows


def in_the_way(actor: Actor, found: Ticket, scope: list[ScopeKey]) -> list[dict[str, Any]]:
    """What would refuse a start now: reservations at, above and below the keys, and others' files below them."""
    standing = [
        lease
        for lease in overlapping([key.place for key in scope])
        if lease.holder != found.holder and lease.participant != actor.participant
    ][:IN_THE_WAY]
    holders = {ticket_of(lease.holder) for lease in standing if lease.kind == "ticket"}
    seen = set(tickets_for(actor).filter(pk__in=holders).values_list("pk", flat=True)) if holders else set()
    return [_stands(lease, seen) for lease in standing]


def _stands(lease: HeldLease, seen: set[int]) -> dict[str, Any]:
    holder = ticket_of(lease.holder) if lease.kind == "ticket" else None
    return {
        "place": lease.place,
        "ticket": holder,
        "is_seen": holder in seen,
        "who": lease.participant.partition(":")[2],
        "until": lease.expires_at,
    }


def story(actor: Actor, found: Ticket, before: int | None) -> tuple[list[Any], int | None]:
    """The journal of the ticket, newest first: every renewal is in it."""
    entries = Entry.objects.filter(subject=f"ticket:{found.pk}").order_by("-pk")
    if before:
        entries = entries.filter(pk__lt=before)
    rows = list(entries[: ENTRIES + 1])
    return told(actor, rows[:ENTRIES]), rows[ENTRIES - 1].pk if len(rows) > ENTRIES else None
