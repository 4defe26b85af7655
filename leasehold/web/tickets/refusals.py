"""What a refusal page says of the ticket that the address names: who is there, and the way back."""

from typing import Any

from django.http import HttpRequest
from django.urls import reverse

from leasehold.exceptions import CheckoutsOpen, Forbidden, NotFound, Refusal, ScopeInUse, ScopeReserved, WrongState
from leasehold.leases import HeldLease
from leasehold.models import Membership, Role, Ticket, User
from leasehold.selectors import ticket_for
from leasehold.templatetags.parts import clock_words
from leasehold.web.reader import actor_of

SHOWN = 20
Step = tuple[str, str, str, str]


def describe(request: HttpRequest, refusal: Refusal) -> dict[str, Any]:
    if not isinstance(request.user, User) or refusal.code == "not_found":
        return {}
    found = ticket_named(request)
    if found is None:
        return {}
    page = reverse("ticket", args=[found.pk])
    back = ("Go back", "It says how things stand now.", f"Open ticket {found.pk}", page)
    said: dict[str, Any] = {
        "crumbs": [("Tickets", reverse("tickets")), (f"{found.pk} {found.title}", page)],
        "next_steps": [back],
    }
    if isinstance(refusal, ScopeReserved):
        said["next_steps"] = [("Wait", "A reservation ends when an operator decides.", "", ""), back]
    if isinstance(refusal, ScopeInUse):
        said["facts"] = [(lease.participant.partition(":")[2], has(lease)) for lease in (refusal.leases or [])[:SHOWN]]
        said["sub"] = f"Ticket {found.pk} was not started, and nothing was reserved."
        ask = (
            "Ask them",
            "What they check in or discard is out of the way at once.",
            "Who holds what",
            reverse("board"),
        )
        said["next_steps"] = [ask, back]
    if isinstance(refusal, CheckoutsOpen):
        said["facts"] = [("Checked out", checkout["path"]) for checkout in (refusal.checkouts or [])[:SHOWN]]
        finish = (
            "Check them in, or discard them",
            "Then submit again. Nothing was changed.",
            f"Open ticket {found.pk}",
            page,
        )
        said["next_steps"] = [finish]
    if isinstance(refusal, Forbidden):
        said["next_steps"] = [("Ask", asking_whom(found), "", ""), back]
    if isinstance(refusal, WrongState):
        said["facts"] = [("It is", Ticket.Status(found.status).label)]
    return said


def ticket_named(request: HttpRequest) -> Ticket | None:
    """The ticket in the address, as far as the reader may see it."""
    address = request.resolver_match.kwargs if request.resolver_match else {}
    try:
        return ticket_for(actor_of(request), address["ticket_id"]) if "ticket_id" in address else None
    except NotFound:
        return None


def has(lease: HeldLease) -> str:
    until = f", until {clock_words(lease.expires_at, lease.at)}" if lease.expires_at else ""
    return f"has {lease.place}{until}"


def asking_whom(found: Ticket) -> str:
    """Who could help: the operators of the project, by name."""
    operators = Membership.objects.filter(project=found.project, role=Role.OPERATOR, user__is_active=True)
    names = list(operators.order_by("user__username").values_list("user__username", flat=True)[:3])
    return f"In {found.project.name}, {' or '.join(names) or 'an operator'} can help."
