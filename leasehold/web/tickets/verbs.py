"""The verbs that a ticket's page posts. Each calls its action and returns the message for the next page."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

from django.http import HttpRequest

from leasehold import names, wording
from leasehold.actions import sessions, tickets
from leasehold.actors import Actor
from leasehold.models import Ticket
from leasehold.ports import OpenCheckout
from leasehold.templatetags.parts import span
from leasehold.web.forms import posted_time, whole_number
from leasehold.web.tickets.verb_forms import WORKDAY


@dataclass(frozen=True, slots=True)
class PostedForm:
    """One POST of a verb: by whom, on which ticket and which session of it, and the form's values by field."""

    actor: Actor
    ticket: Ticket
    session_id: int
    values: dict[str, Any]

    @property
    def on_ticket(self) -> dict[str, Any]:
        """The arguments of an action on the ticket."""
        return {"actor": self.actor, "ticket_id": self.ticket.pk, "since": self.values["since"]}

    @property
    def on_session(self) -> dict[str, Any]:
        """The arguments of an action on the session."""
        return {"actor": self.actor, "session_id": self.session_id}


class Message(NamedTuple):
    """The message for the next page. The first line of `text` stands out; `role` is a class of the stylesheet."""

    text: str
    role: str


def posted_values(request: HttpRequest) -> dict[str, Any]:
    """Return the values that any of the forms can hold. Raises `Invalid` for one that cannot be read."""
    return {
        "since": posted_time(request, "since"),
        "ttl": whole_number(request, "ttl"),
        "reason": request.POST.get("reason", ""),
        "note": request.POST.get("note", ""),
        "worker": names.checked_text(request.POST.get("worker"), "worker", 150),
    }


def approve(form: PostedForm) -> Message:
    tickets.approve(**form.on_ticket)
    return Message(result_of("approve"), "is-free")


def start(form: PostedForm) -> Message:
    ttl = WORKDAY if form.values["ttl"] is None else form.values["ttl"]
    session = sessions.start(**form.on_ticket, ttl=ttl)
    after = "Its scope is reserved. If it takes longer, say in time that you are still at it."
    return Message(f"You work on it, for {span(session.ttl)}.\n{after}", "is-mine")


def checkpoint(form: PostedForm) -> Message:
    session = sessions.checkpoint(**form.on_session, note=form.values["note"], ttl=form.values["ttl"])
    seconds = form.values["ttl"] or session.ttl
    if session.stop_requested_at and session.stop_requested_by:
        who = session.stop_requested_by.username
        return Message(f"Noted, but {who} asks you to stop.\n{session.stop_reason}", "is-stale")
    return Message(f"Noted.\nYour session lasts another {span(seconds)}.", "is-mine")


def submit(form: PostedForm) -> Message:
    sessions.submit(**form.on_session, note=form.values["note"])
    return Message("Submitted.\nAn operator decides; the scope stays reserved until then.", "is-proposal")


def block(form: PostedForm) -> Message:
    ended = sessions.block(**form.on_session, reason=form.values["reason"])
    return Message("Blocked.\nAn operator decides how it goes on." + still_out(ended.open_checkouts), "is-stale")


def stop(form: PostedForm) -> Message:
    session = sessions.stop(**form.on_session, reason=form.values["reason"])
    worker = session.worker.username
    return Message(f"{worker} is asked to stop.\nThe session goes on until its worker ends it.", "is-stale")


def resume(form: PostedForm) -> Message:
    session = sessions.resume(**form.on_ticket, worker=form.values["worker"] or None, ttl=form.values["ttl"])
    return Message(f"{session.worker.username} may go on.\nThe scope stayed reserved.", "is-free")


def accept(form: PostedForm) -> Message:
    decided = tickets.accept(**form.on_ticket)
    return Message(result_of("accept") + still_out(decided.open_checkouts), "is-free")


def send_back(form: PostedForm) -> Message:
    decided = tickets.send_back(**form.on_ticket, reason=form.values["reason"])
    return Message(result_of("send_back") + still_out(decided.open_checkouts), "is-stale")


def cancel(form: PostedForm) -> Message:
    decided = tickets.cancel(**form.on_ticket, reason=form.values["reason"])
    return Message(result_of("cancel") + still_out(decided.open_checkouts), "is-lapsed")


def result_of(verb: str) -> str:
    """Return the result in two lines."""
    result, after = wording.RESULTS[verb]
    return f"{result.capitalize()}.\n{after}"


def still_out(checkouts: list[OpenCheckout]) -> str:
    """Return a line that names the check-outs that are still open; empty without any."""
    text = wording.still_checked_out([checkout.path for checkout in checkouts])
    return f"\n{text}" if text else ""


VERBS: dict[str, Callable[[PostedForm], Message]] = {
    verb.__name__: verb for verb in (approve, start, checkpoint, submit, block, stop, resume, accept, send_back, cancel)
}
