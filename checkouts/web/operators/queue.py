"""The operators' queue: what needs a decision, with the verbs for one row or several."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.dateparse import parse_datetime
from django.views.decorators.http import require_http_methods, require_POST

from checkouts.actions import proposals as proposal_actions
from checkouts.actions.breaks import break_checkout
from checkouts.models import Checkout
from checkouts.selectors import checkouts_for, own_lease, proposals_for
from checkouts.selectors import queue as waiting
from checkouts.selectors.bases import with_bases
from checkouts.web.holds import hold_for
from checkouts.web.reports import BatchReport, parse_ids, ticked_ids
from checkouts.web.views import signed_in
from checkouts.wording import YOU, break_effects
from leasehold import names
from leasehold.actions import sessions as session_actions
from leasehold.actions import tickets as ticket_actions
from leasehold.actors import Actor
from leasehold.exceptions import Forbidden, Invalid
from leasehold.models import Session, Ticket
from leasehold.web.forms import add_message
from leasehold.web.reader import actor_of
from leasehold.wording import Effect


@dataclass(frozen=True, slots=True)
class QueueVerb:
    """A button of the queue. `done`: the message about the successes, with {them}."""

    action: Callable[..., object]
    done: str
    needs_reason: bool = False


#: the form's value → the verb
TICKET_VERBS = {
    "send_back": QueueVerb(
        ticket_actions.send_back, "{them} sent back.\nApproved again, and the scope is free.", needs_reason=True
    ),
    "resume": QueueVerb(
        session_actions.resume, "{them} resumed.\nThe last worker goes on, and the scope stays reserved."
    ),
    "accept": QueueVerb(ticket_actions.accept, "{them} accepted.\nDone, and the scope is free."),
    "cancel": QueueVerb(ticket_actions.cancel, "{them} cancelled.\nThe scope is free.", needs_reason=True),
}
PROPOSAL_VERBS = {
    "accept": QueueVerb(proposal_actions.accept, "{them} accepted.\nCommitted as the newest version."),
    "reject": QueueVerb(
        proposal_actions.reject, "{them} rejected.\nThe bytes stay, and can be downloaded.", needs_reason=True
    ),
}


@signed_in
@require_http_methods(["GET", "HEAD"])
def queue(request: HttpRequest) -> HttpResponse:
    actor = actor_of(request)
    demand_operator_somewhere(actor)
    tickets: list[Any] = waiting.waiting_tickets(actor)
    lists: dict[str, list[Any]] = {
        "tickets": [(ticket, why_waiting(ticket)) for ticket in tickets],
        "lapsed": waiting.lapsed_sessions(actor),
        "proposals": with_bases(waiting.open_proposals(actor)),
        "disabled": with_holds(actor, waiting.checkouts_of_disabled_accounts(actor)),
        "long": with_holds(actor, waiting.long_checkouts(actor)),
    }
    context = {
        "section": "operators",
        "most": waiting.MOST,
        "stale_after": settings.LEASEHOLD_STALE_AFTER,
        "is_empty": not any(lists.values()),
        "stale": sum(ticket.is_stale for ticket in tickets),
    }
    return render(request, "operators/queue.html", context | lists)


def demand_operator_somewhere(actor: Actor) -> None:
    """Raise `Forbidden` unless the actor is an operator somewhere. Each action checks its own project again."""
    actor.demand_person()
    if not actor.user.is_superuser and not waiting.operated_projects(actor).exists():
        raise Forbidden("This page is for operators. Nothing here waits for you: what is yours is on your desk.")


def why_waiting(ticket: Any) -> str:
    """Return why the ticket waits: `review` (submitted), `expired` (its session ran out) or `blocked`."""
    if ticket.status == Ticket.Status.REVIEW:
        return "review"
    return "expired" if ticket.last_status == Session.Status.EXPIRED else "blocked"


def with_holds(actor: Actor, checkouts: list[Any]) -> list[tuple[Checkout, object, list[Effect]]]:
    """Return each check-out with its hold and the consequences of a break."""
    rows: list[tuple[Checkout, object, list[Effect]]] = []
    for checkout in checkouts:
        who = YOU if checkout.actor_id == actor.user.pk else checkout.actor.username
        rows.append((checkout, hold_for(actor, own_lease(checkout)), break_effects(who, checkout.artifact.name)))
    return rows


@signed_in
@require_POST
def decide_tickets(request: HttpRequest) -> HttpResponse:
    """Run one verb on one ticket or several. A ticket that has changed since the page was loaded is refused."""
    actor = actor_of(request)
    verb, arguments = posted_verb(request, TICKET_VERBS)
    report = BatchReport()
    for value in request.POST.getlist("ticket") or [""]:
        number, _, since = value.partition("@")
        ticket = parse_ids([number], "ticket")[0]
        decide = partial(verb.action, actor=actor, ticket_id=ticket, since=parse_since(since), **arguments)
        report.run([(f"Ticket {ticket}", decide)])
    report.add_messages(request, verb.done, "is-free", noun="ticket")
    return redirect("operators")


@signed_in
@require_POST
def break_many(request: HttpRequest) -> HttpResponse:
    """Break the ticked check-outs, with one reason for all."""
    actor = actor_of(request)
    reason = reason_in(request, needed=True)
    report, ended_before = BatchReport(), []
    for checkout in checkouts_for(actor).filter(pk__in=ticked_ids(request, "checkout")):
        name = f"{checkout.actor.username}’s check-out of {checkout.artifact.name}"

        def break_one(checkout: Checkout = checkout, name: str = name) -> None:
            if not break_checkout(actor=actor, checkout_id=checkout.pk, reason=reason).ended:
                ended_before.append(name)

        report.run([(name, break_one)])
    report.done = [name for name in report.done if name not in ended_before]
    report.add_messages(
        request, "{them} broken.\nWhat was out is free to whoever takes it first.", "is-free", noun="check-out"
    )
    if ended_before:
        add_message(request, "There was nothing left to break.\n" + ", ".join(ended_before), "is-lapsed")
    return redirect("operators")


@signed_in
@require_POST
def decide_proposals(request: HttpRequest) -> HttpResponse:
    actor = actor_of(request)
    verb, arguments = posted_verb(request, PROPOSAL_VERBS)
    ids = ticked_ids(request, "proposal")
    known = {proposal.pk: proposal for proposal in proposals_for(actor).filter(pk__in=ids)}
    named = ((f"Proposal {pk}" + (f" of {known[pk].artifact.name}" if pk in known else ""), pk) for pk in ids)
    report = BatchReport().run(
        (name, partial(verb.action, actor=actor, proposal_id=pk, **arguments)) for name, pk in named
    )
    report.add_messages(request, verb.done, "is-free", noun="proposal")
    return redirect("operators")


def posted_verb(request: HttpRequest, verbs: dict[str, QueueVerb]) -> tuple[QueueVerb, dict[str, str]]:
    """Return the verb of the form's button, and its arguments: the reason, if it needs one. Raises `Invalid`."""
    if (name := request.POST.get("verb", "")) not in verbs:
        raise Invalid.of("verb", f"Expected one of {', '.join(verbs)}.")
    verb = verbs[name]
    reason = reason_in(request, needed=verb.needs_reason)
    return verb, {"reason": reason} if verb.needs_reason else {}


def reason_in(request: HttpRequest, *, needed: bool) -> str:
    return names.checked_text(request.POST.get("reason", ""), "reason", 500, needed=needed)


def parse_since(text: str) -> datetime | None:
    """Return the ticket's `state_since` as the page displayed it, or None if the form does not have it.

    Raises `Invalid`.
    """
    try:
        found = parse_datetime(text) if text else None
    except ValueError:
        found = None
    if text and (found is None or found.tzinfo is None):
        raise Invalid.of("ticket", "This is no ticket of the page’s.")
    return found
