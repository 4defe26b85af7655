"""A worker's run at a ticket: workers start, checkpoint, submit and block; operators stop and resume.

Lock order: ticket → gate → session → the leases of its scope. Only its worker may use a session, and only while its
lease is live.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import QuerySet

from leasehold import leases, names
from leasehold.actions import action
from leasehold.actions.tickets import change_status, lock_ticket, write_ticket_entry
from leasehold.actors import DECIDE, Actor
from leasehold.database import clock
from leasehold.database.clock import DatabaseNow
from leasehold.exceptions import CheckoutsOpen, Forbidden, Invalid, LeaseLost, TicketBusy, WrongState
from leasehold.models import Checkpoint, Failure, Role, Session, Ticket, User
from leasehold.ports import OpenCheckout, open_checkouts_of
from leasehold.rules import TRANSITIONS, includes, possible_verbs
from leasehold.scopes.reservations import refuse_overlaps
from leasehold.selectors import account_named, session_for

DEFAULT_TTL = 900  # seconds


@dataclass(frozen=True, slots=True)
class Ended:
    """A session after its end, and its check-outs that are still open; they stay open."""

    session: Session
    open_checkouts: list[OpenCheckout]


@action
def start(
    *, actor: Actor, ticket_id: int, ttl: int = DEFAULT_TTL, label: str = "", since: datetime | None = None
) -> Session:
    """Start work at an approved ticket: reserve its whole scope, all or nothing, and open a session of `ttl` seconds.

    Raises `ScopeReserved` with every conflicting ticket, `ScopeInUse` with the leases of others on files below the
    keys, `TicketBusy` with the active session, `WrongState` if the ticket is not approved.
    """
    ttl = leases.checked_ttl(ttl)
    label = names.checked_text(label, "label", 200)
    ticket = lock_ticket(actor, ticket_id)
    actor.demand(Role.EDITOR, ticket.role)
    refuse_unstartable(ticket, "start")

    keys = list(ticket.scope.all())
    leases.gate([key.place for key in keys], exclusive=True)
    leases.lock(key.resource for key in keys)
    refuse_overlaps([key.place for key in keys], holder=ticket.holder, worker=actor)
    at = clock.now()
    leases.acquire(
        [leases.Want(key.resource, ticket.holder, key.place) for key in keys],
        participant="",
        ttl=0,
        purpose=ticket.title,
        at=at,
    )
    session = open_session(ticket, actor.user, ttl=ttl, label=label, at=at)
    change_status(ticket, "start", at=at, since=since)
    write_ticket_entry(
        "session_started", actor, ticket, at, session=session.pk, scope=[key.key for key in keys], ttl=ttl
    )
    return session


@action
def resume(
    *,
    actor: Actor,
    ticket_id: int,
    worker: str | None = None,
    ttl: int | None = None,
    label: str = "",
    since: datetime | None = None,
) -> Session:
    """Resume a blocked ticket with a new session for `worker` (by default the last one). The reservation stays.

    For operators. `ttl` in seconds is that of the last session by default.
    """
    label = names.checked_text(label, "label", 200)
    ticket = lock_ticket(actor, ticket_id)
    actor.demand_person()
    actor.demand(Role.OPERATOR, ticket.role, permission=DECIDE)
    refuse_unstartable(ticket, "resume")
    last = ticket.sessions.select_related("worker").order_by("-pk").first()
    if last is None:
        raise WrongState(state=ticket.status, allowed=possible_verbs(ticket.status))
    ttl = leases.checked_ttl(last.ttl if ttl is None else ttl)
    new_worker = account_named(worker, "worker", unknown="There is no such account.") if worker else last.worker
    refuse_unfit(new_worker, ticket)
    leases.gate(ticket.scope.values_list("place", flat=True), exclusive=True)
    at = clock.now()
    session = open_session(ticket, new_worker, ttl=ttl, label=label, at=at)
    change_status(ticket, "resume", at=at, since=since)
    write_ticket_entry("session_resumed", actor, ticket, at, session=session.pk, worker=new_worker.participant, ttl=ttl)
    return session


@action
def checkpoint(
    *, actor: Actor, session_id: int, note: str = "", ttl: int | None = None, details: dict[str, object] | None = None
) -> Session:
    """Renew the session's lease for `ttl` seconds, by default those of the start, and return the session.

    Its `stop_requested_at` shows whether an operator has asked to stop. Raises `LeaseLost` if the lease has lapsed,
    whether or not that is written down yet.
    """
    note = names.checked_text(note, "note", 10_000)
    session = own_session(actor, session_id)
    ttl = leases.checked_ttl(session.ttl if ttl is None else ttl)
    at = clock.now()
    until = at + timedelta(seconds=ttl)
    if live_row(session).update(lease_until=until) != 1:
        raise session_lost(session)
    session.lease_until = until
    Checkpoint.objects.create(session=session, at=at, lease_until=until, note=note, details=details or {})
    write_ticket_entry("session_checkpointed", actor, session.ticket, at, session=session.pk, note=note, ttl=ttl)
    return session


@action
def submit(*, actor: Actor, session_id: int, note: str = "") -> Ended:
    """Submit the work for review. Raises `CheckoutsOpen` with the session's open check-outs, if there are any."""
    note = names.checked_text(note, "note", 10_000)
    session = own_session(actor, session_id)
    lock_ticket_of(session)
    # A concurrent check-out of this session holds one of these gates shared, so this waits until it is committed.
    scope = session.ticket.scope.values_list("place", flat=True)
    leases.gate([*scope, session.place], exclusive=True)
    if still_open := open_checkouts_of([session]):
        raise CheckoutsOpen(checkouts=[checkout.as_facts() for checkout in still_open])
    return end_session(
        actor, session, verb="submit", status=Session.Status.SUBMITTED, outcome=note, kind="session_submitted"
    )


@action
def block(*, actor: Actor, session_id: int, reason: str) -> Ended:
    """End the session because the worker cannot go on. The reservation stays until an operator decides."""
    reason = names.checked_text(reason, "reason", 500, needed=True)
    session = own_session(actor, session_id)
    lock_ticket_of(session)
    ended = end_session(
        actor, session, verb="block", status=Session.Status.BLOCKED, outcome=reason, kind="session_blocked"
    )
    Failure.objects.create(
        ticket=session.ticket, session=session, kind=Failure.Kind.BLOCKED, detail=reason, at=session.ended_at
    )
    return ended


@action
def stop(*, actor: Actor, session_id: int, reason: str) -> Session:
    """Ask the worker to stop; the next checkpoint shows it. Nothing else changes. For operators."""
    reason = names.checked_text(reason, "reason", 500, needed=True)
    session = session_for(actor, session_id)
    ticket = lock_ticket(actor, session.ticket_id)
    actor.demand_person()
    actor.demand(Role.OPERATOR, ticket.role, permission=DECIDE)
    at = clock.now()
    stop_request = {"stop_requested_at": at, "stop_requested_by": actor.user, "stop_reason": reason}
    if Session.objects.filter(pk=session.pk, status=Session.Status.ACTIVE).update(**stop_request) != 1:
        raise WrongState("This session has ended.", state=session.status, allowed=[])
    for name, value in stop_request.items():
        setattr(session, name, value)
    write_ticket_entry("session_stop_requested", actor, ticket, at, session=session.pk, reason=reason)
    return session


def refuse_unstartable(ticket: Ticket, verb: str) -> None:
    """Raise `TicketBusy` or `WrongState` unless the ticket's status allows `verb`, which is start or resume."""
    if ticket.status in TRANSITIONS[verb][0]:
        return
    if ticket.status == Ticket.Status.IN_PROGRESS:
        active = ticket.sessions.filter(status=Session.Status.ACTIVE).first()
        raise TicketBusy(session=active.pk if active else None)
    raise WrongState(
        f"A ticket that is {ticket.status} cannot be changed so.",
        state=ticket.status,
        allowed=possible_verbs(ticket.status),
    )


def open_session(ticket: Ticket, worker: User, *, ttl: int, label: str, at: datetime) -> Session:
    """Insert an active session of `ttl` seconds from `at`. The ticket is locked, and its scope is reserved."""
    return Session.objects.create(
        ticket=ticket,
        worker=worker,
        label=label,
        ttl=ttl,
        started_at=at,
        lease_until=at + timedelta(seconds=ttl),
    )


def refuse_unfit(worker: User, ticket: Ticket) -> None:
    """Raise `Invalid` on `worker` unless the account is active and an editor of the ticket's project."""
    can_edit = includes(Actor(worker).effective(Actor(worker).role_in(ticket.project)), Role.EDITOR)
    if not (worker.is_active and can_edit):
        raise Invalid.of("worker", f"{worker.participant} may not work in this project.")


def own_session(actor: Actor, session_id: int) -> Session:
    """Return the actor's session, live or not. Raises `NotFound`, or `Forbidden` for another worker's session."""
    session = session_for(actor, session_id)
    if session.worker_id != actor.user.pk:
        raise Forbidden(f"This session is {session.worker.participant}'s.")
    actor.demand_writing()
    return session


def lock_ticket_of(session: Session) -> None:
    """Lock the session's ticket. This needs no role: a worker who has left the project may still end the session."""
    Ticket.objects.select_for_update(no_key=True).values_list("pk").get(pk=session.ticket_id)


def live_row(session: Session) -> QuerySet[Session]:
    """Return the session's row if it is live, as a queryset, for a conditional update."""
    return Session.objects.filter(pk=session.pk, status=Session.Status.ACTIVE, lease_until__gt=DatabaseNow())


def session_lost(session: Session) -> LeaseLost:
    """Make the refusal that says how the session ended."""
    session = Session.objects.get(pk=session.pk)
    if session.status in (Session.Status.ACTIVE, Session.Status.EXPIRED):
        return LeaseLost(f"The session's lease ran out at {session.lease_until.isoformat()}.")
    return LeaseLost(f"The session has ended: {session.status}.")


def end_session(actor: Actor, session: Session, *, verb: str, status: str, outcome: str, kind: str) -> Ended:
    """End a live session and change the status of its locked ticket. Raises `LeaseLost` if it is not live."""
    at = clock.now()
    if live_row(session).update(status=status, ended_at=at, outcome=outcome) != 1:
        raise session_lost(session)
    session.status, session.ended_at, session.outcome = status, at, outcome
    change_status(session.ticket, verb, at=at)
    write_ticket_entry(kind, actor, session.ticket, at, session=session.pk, note=outcome)
    return Ended(session, open_checkouts_of([session]))
