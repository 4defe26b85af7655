"""The operators' queue: what waits for a decision, each with what will happen and the act itself, alone or together."""

from collections.abc import Callable
from datetime import datetime
from functools import partial
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.dateparse import parse_datetime
from django.views.decorators.http import require_http_methods, require_POST

from checkouts.actions import proposals as proposal_acts
from checkouts.actions.breaks import break_checkout
from checkouts.models import Checkout
from checkouts.selectors import checkouts_for, own_lease, proposals_for
from checkouts.selectors import queue as waiting
from checkouts.selectors.bases import with_bases
from checkouts.web.holds import hold_for
from checkouts.web.reports import Report, ids_in, numbers
from checkouts.web.views import signed_in
from checkouts.wording import YOU, Consequences, break_consequences
from leasehold import names
from leasehold.actions import sessions as session_acts
from leasehold.actions import tickets as ticket_acts
from leasehold.actors import Actor
from leasehold.exceptions import Forbidden, Invalid
from leasehold.models import Session, Ticket
from leasehold.web.forms import say
from leasehold.web.reader import actor_of

Act = Callable[..., object]

#: what the form calls it → the act, whether it takes a reason, and what is said of those that went well
TICKET_ACTS: dict[str, tuple[Act, bool, str]] = {
    "send_back": (ticket_acts.send_back, True, "{them} sent back.\nApproved again, and the scope is free."),
    "resume": (session_acts.resume, False, "{them} resumed.\nThe last worker goes on, and the scope stays reserved."),
    "accept": (ticket_acts.accept, False, "{them} accepted.\nDone, and the scope is free."),
    "cancel": (ticket_acts.cancel, True, "{them} cancelled.\nThe scope is free."),
}
PROPOSAL_ACTS: dict[str, tuple[Act, bool, str]] = {
    "accept": (proposal_acts.accept, False, "{them} accepted.\nCommitted as the newest version."),
    "reject": (proposal_acts.reject, True, "{them} rejected.\nThe bytes stay, and can be downloaded."),
}


@signed_in
@require_http_methods(["GET", "HEAD"])
def queue(request: HttpRequest) -> HttpResponse:
    actor = actor_of(request)
    demand_operator(actor)
    tickets: list[Any] = waiting.waiting_tickets(actor)
    lists: dict[str, list[Any]] = {
        "tickets": [(one, kind_of(one)) for one in tickets],
        "lapsed": waiting.lapsed_sessions(actor),
        "proposals": with_bases(waiting.open_proposals(actor)),
        "disabled": with_holds(actor, waiting.checkouts_of_disabled_accounts(actor)),
        "long": with_holds(actor, waiting.long_checkouts(actor)),
    }
    facts = {
        "section": "operators",
        "most": waiting.MOST,
        "stale_after": settings.LEASEHOLD_STALE_AFTER,
        "is_empty": not any(lists.values()),
        "stale": sum(one.is_stale for one in tickets),
    }
    return render(request, "checkouts/operators.html", facts | lists)


def demand_operator(actor: Actor) -> None:
    """The page is for those who may decide something; each act demands it again for its own project."""
    actor.demand_person()
    if not actor.user.is_superuser and not waiting.operated_projects(actor).exists():
        raise Forbidden("This page is for operators. Nothing here waits for you: what is yours is on your desk.")


def kind_of(ticket: Any) -> str:
    """Why it waits: its work was submitted (`review`), its session ran out (`expired`), or it could not go on."""
    if ticket.status == Ticket.Status.REVIEW:
        return "review"
    return "expired" if ticket.last_status == Session.Status.EXPIRED else "blocked"


def with_holds(actor: Actor, records: list[Any]) -> list[tuple[Checkout, object, Consequences]]:
    """Return each check-out with its hold and the consequences of a break."""
    rows: list[tuple[Checkout, object, Consequences]] = []
    for record in records:
        who = YOU if record.actor_id == actor.user.pk else record.actor.username
        rows.append((record, hold_for(actor, own_lease(record)), break_consequences(who, record.artifact.name)))
    return rows


@signed_in
@require_POST
def decide_tickets(request: HttpRequest) -> HttpResponse:
    """One act on one ticket or several: each as it stood when the page was read, or it is left alone and said so."""
    actor = actor_of(request)
    act, takes_reason, done = chosen(request, TICKET_ACTS)
    reason = reason_in(request, needed=takes_reason)
    report = Report()
    for value in request.POST.getlist("ticket") or [""]:
        number, _, since = value.partition("@")
        ticket = numbers([number], "ticket")[0]
        terms = {"reason": reason} if takes_reason else {}
        one = partial(act, actor=actor, ticket_id=ticket, since=moment(since), **terms)
        report.each([(f"Ticket {ticket}", one)])
    report.tell(request, done, "is-free", noun="ticket")
    return redirect("operators")


@signed_in
@require_POST
def break_many(request: HttpRequest) -> HttpResponse:
    """Break check-outs, with one reason for all."""
    actor = actor_of(request)
    reason = reason_in(request, needed=True)
    report, gone = Report(), []
    for record in checkouts_for(actor).filter(pk__in=ids_in(request, "checkout")):
        name = f"{record.actor.username}’s check-out of {record.artifact.name}"

        def one(record: Checkout = record, name: str = name) -> None:
            if not break_checkout(actor=actor, checkout_id=record.pk, reason=reason).ended:
                gone.append(name)

        report.each([(name, one)])
    report.done = [name for name in report.done if name not in gone]
    report.tell(request, "{them} broken.\nWhat was out is free to whoever takes it first.", "is-free", noun="check-out")
    if gone:
        say(request, "There was nothing left to break.\n" + ", ".join(gone), "is-lapsed")
    return redirect("operators")


@signed_in
@require_POST
def decide_proposals(request: HttpRequest) -> HttpResponse:
    actor = actor_of(request)
    act, takes_reason, done = chosen(request, PROPOSAL_ACTS)
    reason = reason_in(request, needed=takes_reason)
    ids = ids_in(request, "proposal")
    known = {one.pk: one for one in proposals_for(actor).filter(pk__in=ids)}
    terms = {"reason": reason} if takes_reason else {}
    named = ((f"Proposal {pk}" + (f" of {known[pk].artifact.name}" if pk in known else ""), pk) for pk in ids)
    report = Report().each((name, partial(act, actor=actor, proposal_id=pk, **terms)) for name, pk in named)
    report.tell(request, done, "is-free", noun="proposal")
    return redirect("operators")


def chosen(request: HttpRequest, acts: dict[str, tuple[Act, bool, str]]) -> tuple[Act, bool, str]:
    if (asked := request.POST.get("act", "")) not in acts:
        raise Invalid.of("act", f"Expected one of {', '.join(acts)}.")
    return acts[asked]


def reason_in(request: HttpRequest, *, needed: bool) -> str:
    return names.text(request.POST.get("reason", ""), "reason", 500, needed=needed)


def moment(text: str) -> datetime | None:
    """When the page found the ticket in its state; none for a page that does not say."""
    try:
        found = parse_datetime(text) if text else None
    except ValueError:
        found = None
    if text and (found is None or found.tzinfo is None):
        raise Invalid.of("ticket", "This is no ticket of the page’s.")
    return found
