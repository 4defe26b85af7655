"""What a refusal page adds if the URL names a ticket: what prevents the action, and the next steps."""

from typing import Any

from django.http import HttpRequest
from django.urls import reverse

from leasehold.exceptions import CheckoutsOpen, Forbidden, NotFound, Refusal, ScopeInUse, ScopeReserved, WrongState
from leasehold.leases import HeldLease
from leasehold.models import Membership, Role, Ticket, User
from leasehold.selectors import ticket_for
from leasehold.templatetags.parts import clock_words
from leasehold.web.reader import actor_of

MOST_FACTS = 20
#: title, text, and the label and URL of its link, which may both be empty
Step = tuple[str, str, str, str]


def describe(request: HttpRequest, refusal: Refusal) -> dict[str, Any]:
    """Return context for `refusal.html`; empty if the URL names no ticket that the reader may see."""
    if not isinstance(request.user, User) or refusal.code == "not_found":
        return {}
    ticket = ticket_in_address(request)
    if ticket is None:
        return {}
    url, link = reverse("ticket", args=[ticket.pk]), f"Open ticket {ticket.pk}"
    back: Step = ("Go back", "It says how things stand now.", link, url)
    context: dict[str, Any] = {
        "crumbs": [("Tickets", reverse("tickets")), (f"{ticket.pk} {ticket.title}", url)],
        "next_steps": [back],
    }
    if isinstance(refusal, ScopeReserved):
        wait: Step = ("Wait", "A reservation ends when an operator decides.", "", "")
        context["next_steps"] = [wait, back]
    if isinstance(refusal, ScopeInUse):
        leases = (refusal.leases or [])[:MOST_FACTS]
        text = "What they check in or discard is out of the way at once."
        ask: Step = ("Ask them", text, "Who holds what", reverse("board"))
        context["facts"] = [(lease.participant.partition(":")[2], lease_words(lease)) for lease in leases]
        context["sub"] = f"Ticket {ticket.pk} was not started, and nothing was reserved."
        context["next_steps"] = [ask, back]
    if isinstance(refusal, CheckoutsOpen):
        checkouts = (refusal.checkouts or [])[:MOST_FACTS]
        finish: Step = ("Check them in, or discard them", "Then submit again. Nothing was changed.", link, url)
        context["facts"] = [("Checked out", checkout["path"]) for checkout in checkouts]
        context["next_steps"] = [finish]
    if isinstance(refusal, Forbidden):
        context["next_steps"] = [("Ask", who_can_help(ticket), "", ""), back]
    if isinstance(refusal, WrongState):
        context["facts"] = [("It is", Ticket.Status(ticket.status).label)]
    return context


def ticket_in_address(request: HttpRequest) -> Ticket | None:
    """Return the ticket that the URL names, or None without one or if the reader may not see it."""
    arguments = request.resolver_match.kwargs if request.resolver_match else {}
    try:
        return ticket_for(actor_of(request), arguments["ticket_id"]) if "ticket_id" in arguments else None
    except NotFound:
        return None


def lease_words(lease: HeldLease) -> str:
    until = f", until {clock_words(lease.expires_at, lease.at)}" if lease.expires_at else ""
    return f"has {lease.place}{until}"


def who_can_help(ticket: Ticket) -> str:
    """Return a sentence with the names of up to three operators of the ticket's project."""
    operators = Membership.objects.filter(project=ticket.project, role=Role.OPERATOR, user__is_active=True)
    names = list(operators.order_by("user__username").values_list("user__username", flat=True)[:3])
    return f"In {ticket.project.name}, {' or '.join(names) or 'an operator'} can help."
