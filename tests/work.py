"""Make tickets and sessions in every state through the actions, as the API and the pages do."""

from leasehold.actions import sessions, tickets
from leasehold.actors import Actor
from leasehold.models import Lease, Session, Ticket, User


def draft(author: User, *scope: str, project: str = "art", title: str = "Work") -> Ticket:
    return tickets.create_ticket(actor=Actor(author), project=project, title=title, scope=list(scope) or ["repo"])


def approved(author: User, operator: User, *scope: str, project: str = "art") -> Ticket:
    ticket = draft(author, *scope, project=project)
    return tickets.approve(actor=Actor(operator), ticket_id=ticket.pk)


def start(worker: User, ticket: Ticket, **terms) -> Session:
    return sessions.start(actor=Actor(worker), ticket_id=ticket.pk, **terms)


def started(worker: User, operator: User, *scope: str, ttl: int = 900, project: str = "art") -> Session:
    return start(worker, approved(worker, operator, *scope, project=project), ttl=ttl)


def checkpoint(session: Session, **terms) -> Session:
    return sessions.checkpoint(actor=Actor(session.worker), session_id=session.pk, **terms)


def submit(session: Session, **terms) -> sessions.Ended:
    return sessions.submit(actor=Actor(session.worker), session_id=session.pk, **terms)


def block(session: Session, reason: str = "stuck") -> sessions.Ended:
    return sessions.block(actor=Actor(session.worker), session_id=session.pk, reason=reason)


def resume(operator: User, ticket: Ticket, **terms) -> Session:
    return sessions.resume(actor=Actor(operator), ticket_id=ticket.pk, **terms)


def send_back(operator: User, ticket: Ticket) -> tickets.Decided:
    return tickets.send_back(actor=Actor(operator), ticket_id=ticket.pk, reason="not yet")


def cancel(operator: User, ticket: Ticket) -> tickets.Decided:
    return tickets.cancel(actor=Actor(operator), ticket_id=ticket.pk, reason="no more")


def in_state(status: str, author: User, operator: User, *scope: str) -> Ticket:
    """Make a ticket in this state; its author also works at it."""
    ticket = draft(author, *scope)
    if status == Ticket.Status.DRAFT:
        return ticket
    if status == Ticket.Status.CANCELLED:
        return cancel(operator, ticket).ticket
    ticket = tickets.approve(actor=Actor(operator), ticket_id=ticket.pk)
    if status == Ticket.Status.APPROVED:
        return ticket
    session = start(author, ticket)
    if status == Ticket.Status.BLOCKED:
        block(session)
    elif status in (Ticket.Status.REVIEW, Ticket.Status.DONE):
        submit(session)
    if status == Ticket.Status.DONE:
        tickets.accept(actor=Actor(operator), ticket_id=ticket.pk)
    return Ticket.objects.get(pk=ticket.pk)


def reserved_by(ticket: Ticket) -> list[str]:
    """The keys that the ticket holds now, in comparing form, sorted."""
    return list(Lease.objects.filter(holder=ticket.holder).order_by("place").values_list("place", flat=True))
