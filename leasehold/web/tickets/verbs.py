"""What one may do with a ticket, each with what will happen said before; and doing it."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from django.http import HttpRequest

from leasehold import names
from leasehold.actions import sessions, tickets
from leasehold.actors import Actor
from leasehold.models import Ticket
from leasehold.ports import OpenCheckout
from leasehold.templatetags.parts import span
from leasehold.web.forms import moment_sent, whole_number
from leasehold.web.tickets.runs import Run

WORKDAY = 8 * 3_600  # seconds: what a session started here lasts; a person does not come by every 15 minutes
DURATIONS = [(seconds, span(seconds)) for seconds in (900, 3_600, 4 * 3_600, 8 * 3_600, 24 * 3_600)]
Will = list[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Act:
    """One form on the ticket's page. `field`: what it asks for, `reason` (needed), `note` or `worker`, or nothing.

    `since`: the page's own reading of the ticket; the act is refused if somebody decided meanwhile.
    """

    verb: str
    heading: str
    brief: str
    button: str
    drawing: str
    will: Will
    field: str = ""
    hint: str = ""
    ttl: int | None = None
    is_grave: bool = False
    since: datetime | None = None
    is_open: bool = False
    value: str = ""
    wrong: str = ""

    @property
    def durations(self) -> list[tuple[int, str]]:
        known = dict(DURATIONS)
        return DURATIONS if self.ttl in known else [(self.ttl or 0, span(self.ttl or 0)), *DURATIONS]


def acts_on(run: Run | None, verbs: list[str], *, keys: str, since: datetime | None) -> list[Act]:
    """The forms for these verbs, in the order in which a reader wants them; `keys` names the scope in words."""
    worker = run.session.worker.username if run else "the worker"
    ttl = max(run.session.ttl, sessions.DEFAULT_TTL) if run else sessions.DEFAULT_TTL
    reads = f"{worker} reads this. It goes into the journal."
    known = [
        Act(
            "approve", "Approve", "It can be started then.", "Approve", "approve",
            [("play", "Any editor of the project, person or agent, can start it."),
             ("scope", "Nothing is reserved yet: starting reserves."),
             ("draft", "If its scope is changed, it goes back to draft.")],
            since=since,
        ),
        Act(
            "start", "Start", f"Reserves {keys} for you.", "Start", "play",
            [("scope", f"Its scope is reserved, with everything below, all or nothing: {keys}."),
             ("session", "A session of yours begins. Say before its time is over that you are still at it."),
             ("blocked", "If the time runs out, the ticket is blocked, and an operator decides.")],
            ttl=WORKDAY, since=since,
        ),
        Act(
            "checkpoint", "Say how far you are", "A checkpoint: it renews your time.", "Send a checkpoint", "session",
            [("extend", "Your session’s time begins anew.")],
            field="note", hint="What stands, for whoever reads along. It may stay empty.", ttl=ttl,
        ),
        Act(
            "submit", "Submit for review", "The work is ready.", "Submit", "review",
            [("review", "Your session ends, and an operator looks at the work."),
             ("scope", f"Its scope stays reserved until the operator decides: {keys}."),
             ("check-out", "Refused while the session has files checked out: check them in or discard them first.")],
            field="note", hint="What the reviewer should know. It may stay empty.",
        ),
        Act(
            "accept", "Accept", "The work is done.", "Accept", "approve",
            [("done", "The ticket is done, for good."), ("free", f"Its scope becomes free: {keys}."),
             ("same", "What was committed stays as it is.")],
            since=since,
        ),
        Act(
            "resume", "Let it go on", f"Another session, for {worker} or somebody else.", "Resume", "play",
            [("scope", f"Its scope stays reserved: {keys}."),
             ("session", "A new session begins at once, for the worker named here.")],
            field="worker", hint=f"An editor’s name. Empty: {worker}.", ttl=ttl, since=since,
        ),
        Act(
            "send_back", "Send back", "To be started anew.", "Send back", "send-back",
            [("approved", "The ticket is approved as before, for anyone to start."),
             ("free", f"Its scope becomes free: {keys}."),
             ("same", "What was committed stays. What was checked out stays checked out.")],
            field="reason", hint=reads, since=since,
        ),
        Act(
            "block", "Block", "You cannot go on.", "Block it", "blocked",
            [("blocked", "Your session ends, and an operator decides: resume, send back or cancel."),
             ("scope", f"Its scope stays reserved until then: {keys}.")],
            field="reason", hint="An operator reads this.",
        ),
        Act(
            "stop", f"Ask {worker} to stop", "Changes nothing else.", "Ask to stop", "pause",
            [("pause", f"{worker} is told on this page, and with the next checkpoint."),
             ("session", "The session goes on until its worker ends it.")],
            field="reason", hint=reads,
        ),
        Act(
            "cancel", "Cancel this ticket", "Final.", "Cancel for good", "cancelled",
            [("cancelled", "The ticket ends for good" + (", and the session with it." if run and run.is_live else ".")),
             ("free", f"Its scope becomes free: {keys}."),
             ("same", "What was committed stays. What was checked out stays checked out.")],
            field="reason", hint="It goes into the journal.", is_grave=True, since=since,
        ),
    ]  # fmt: skip
    return [act for act in known if act.verb in verbs]


def opened(acts: list[Act], verb: str, *, value: str = "", wrong: str = "") -> list[Act]:
    """The same, with the one that was asked for open, else the first."""
    asked = verb if any(act.verb == verb for act in acts) else (acts[0].verb if acts else "")
    return [
        replace(act, is_open=True, value=value if act.verb == verb else "", wrong=wrong if act.verb == verb else "")
        if act.verb == asked
        else act
        for act in acts
    ]


@dataclass(frozen=True, slots=True)
class Asked:
    """One POST: whose, on which ticket, on which session of it (0: none), and what the form said."""

    actor: Actor
    ticket: Ticket
    session: int
    form: dict[str, Any]

    @property
    def decision(self) -> dict[str, Any]:
        return {"actor": self.actor, "ticket_id": self.ticket.pk, "since": self.form["since"]}

    @property
    def work(self) -> dict[str, Any]:
        return {"actor": self.actor, "session_id": self.session}


def form_of(request: HttpRequest) -> dict[str, Any]:
    return {
        "since": moment_sent(request, "since"),
        "ttl": whole_number(request, "ttl"),
        "reason": request.POST.get("reason", ""),
        "note": request.POST.get("note", ""),
        "worker": names.text(request.POST.get("worker"), "worker", 150),
    }


def still_out(found: list[OpenCheckout]) -> str:
    return f"\nStill checked out: {', '.join(checkout.path for checkout in found)}." if found else ""


def approve(asked: Asked) -> tuple[str, str]:
    tickets.approve(**asked.decision)
    return "Approved.\nAny editor of the project can start it.", "is-free"


def start(asked: Asked) -> tuple[str, str]:
    ttl = WORKDAY if asked.form["ttl"] is None else asked.form["ttl"]
    session = sessions.start(**asked.decision, ttl=ttl)
    after = "Its scope is reserved. If it takes longer, say in time that you are still at it."
    return f"You work on it, for {span(session.ttl)}.\n{after}", "is-mine"


def checkpoint(asked: Asked) -> tuple[str, str]:
    session = sessions.checkpoint(**asked.work, note=asked.form["note"], ttl=asked.form["ttl"])
    seconds = asked.form["ttl"] or session.ttl
    if session.stop_requested_at and session.stop_requested_by:
        who = session.stop_requested_by.username
        return f"Noted, but {who} asks you to stop.\n{session.stop_reason}", "is-stale"
    return f"Noted.\nYour session lasts another {span(seconds)}.", "is-mine"


def submit(asked: Asked) -> tuple[str, str]:
    sessions.submit(**asked.work, note=asked.form["note"])
    return "Submitted.\nAn operator decides; the scope stays reserved until then.", "is-proposal"


def block(asked: Asked) -> tuple[str, str]:
    ended = sessions.block(**asked.work, reason=asked.form["reason"])
    return "Blocked.\nAn operator decides how it goes on." + still_out(ended.open_checkouts), "is-stale"


def stop(asked: Asked) -> tuple[str, str]:
    session = sessions.stop(**asked.work, reason=asked.form["reason"])
    return f"{session.worker.username} is asked to stop.\nThe session goes on until its worker ends it.", "is-stale"


def resume(asked: Asked) -> tuple[str, str]:
    session = sessions.resume(**asked.decision, worker=asked.form["worker"] or None, ttl=asked.form["ttl"])
    return f"{session.worker.username} may go on.\nThe scope stayed reserved.", "is-free"


def accept(asked: Asked) -> tuple[str, str]:
    decided = tickets.accept(**asked.decision)
    return "Done.\nIts scope is free." + still_out(decided.open_checkouts), "is-free"


def send_back(asked: Asked) -> tuple[str, str]:
    decided = tickets.send_back(**asked.decision, reason=asked.form["reason"])
    return "Sent back.\nIts scope is free, and it can be started anew." + still_out(decided.open_checkouts), "is-stale"


def cancel(asked: Asked) -> tuple[str, str]:
    decided = tickets.cancel(**asked.decision, reason=asked.form["reason"])
    return "Cancelled.\nIts scope is free." + still_out(decided.open_checkouts), "is-lapsed"


VERBS: dict[str, Callable[[Asked], tuple[str, str]]] = {
    verb.__name__: verb for verb in (approve, start, checkpoint, submit, block, stop, resume, accept, send_back, cancel)
}
