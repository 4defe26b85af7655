"""A worker's run at a ticket: start, checkpoint, submit, block; and what operators say to it: stop, resume.

Lock order: ticket → session → gate → the leases of its scope. A session is its worker's alone, while its lease lives.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import QuerySet
from django.db.models.functions import Lower

from leasehold import journal, leases, names
from leasehold.actions import action
from leasehold.actions.tickets import locked, move, tell
from leasehold.actors import DECIDE, Actor
from leasehold.database import clock
from leasehold.database.clock import DatabaseNow
from leasehold.exceptions import CheckoutsOpen, Forbidden, Invalid, LeaseLost, TicketBusy, WrongState
from leasehold.models import Checkpoint, Failure, Role, Session, Ticket, User
from leasehold.ports import OpenCheckout, open_checkouts_of
from leasehold.rules import TRANSITIONS, includes, possible_verbs
from leasehold.scopes.reservations import refuse_overlaps
from leasehold.selectors import session_for

DEFAULT_TTL = 900  # seconds


@dataclass(frozen=True, slots=True)
class Ended:
    """A session after its end, and its check-outs that are still open: nothing ends those."""

    session: Session
    open_checkouts: list[OpenCheckout]


@action
def start(
    *, actor: Actor, ticket_id: int, ttl: int = DEFAULT_TTL, label: str = "", since: datetime | None = None
) -> Session:
    """Take an approved ticket: reserve its whole scope, all or nothing, and open a session of `ttl` seconds.

    Raises `ScopeReserved` with every ticket in the way, `ScopeInUse` with the leases of others on files below the keys,
    `TicketBusy` with the live session, `WrongState`.
    """
    ttl = leases.seconds(ttl)
    label = names.text(label, "label", 200)
    ticket = locked(actor, ticket_id)
    actor.demand(Role.EDITOR, ticket.role)
    refuse_unstartable(ticket, "start")

    keys = list(ticket.scope.all())
    leases.gate([key.place for key in keys], exclusive=True)
    leases.lock(key.resource for key in keys)
    refuse_overlaps([key.place for key in keys], holder=ticket.holder, worker=actor)
    leases.acquire(
        [leases.Want(key.resource, ticket.holder, key.place) for key in keys],
        participant="",
        ttl=0,
        purpose=ticket.title,
    )
    at = clock.now()
    session = open_session(ticket, actor.user, ttl=ttl, label=label, at=at)
    move(ticket, "start", at=at, since=since)
    tell("session_started", actor, ticket, at, session=session.pk, scope=[key.key for key in keys], ttl=ttl)
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
    """An operator lets a blocked ticket go on: the reservation stays, a new session opens for `worker` (the last one
    by default)."""
    label = names.text(label, "label", 200)
    ticket = locked(actor, ticket_id)
    actor.demand_person()
    actor.demand(Role.OPERATOR, ticket.role, permission=DECIDE)
    refuse_unstartable(ticket, "resume")
    last = ticket.sessions.select_related("worker").order_by("-pk").first()
    if last is None:
        raise WrongState(state=ticket.status, allowed=possible_verbs(ticket.status))
    ttl = leases.seconds(last.ttl if ttl is None else ttl)
    chosen = worker_named(worker) if worker else last.worker
    refuse_unfit(chosen, ticket)
    leases.gate(ticket.scope.values_list("place", flat=True), exclusive=True)
    at = clock.now()
    session = open_session(ticket, chosen, ttl=ttl, label=label, at=at)
    move(ticket, "resume", at=at, since=since)
    tell("session_resumed", actor, ticket, at, session=session.pk, worker=chosen.participant, ttl=ttl)
    return session


@action
def checkpoint(
    *, actor: Actor, session_id: int, note: str = "", ttl: int | None = None, details: dict[str, object] | None = None
) -> Session:
    """A sign of life: renew the lease for `ttl` seconds (what was first asked for by default).

    What comes back says whether an operator has asked to stop. `LeaseLost` after the lease has lapsed, whether or not
    anything has written that down yet.
    """
    note = names.text(note, "note", 10_000)
    session = own(actor, session_id)
    ttl = leases.seconds(session.ttl if ttl is None else ttl)
    at = clock.now()
    until = at + timedelta(seconds=ttl)
    if live(session).update(lease_until=until) != 1:
        raise lost(session)
    session.lease_until = until
    Checkpoint.objects.create(session=session, at=at, lease_until=until, note=note, details=details or {})
    tell("session_checkpointed", actor, session.ticket, at, session=session.pk, note=note, ttl=ttl)
    return session


@action
def submit(*, actor: Actor, session_id: int, note: str = "") -> Ended:
    """The work is ready for review. Refused while the session has files checked out: `CheckoutsOpen` lists them."""
    note = names.text(note, "note", 10_000)
    session = own(actor, session_id)
    lock_ticket(session)
    # A check-out of this session that is on its way is waited for: it holds one of these gates, shared.
    scope = session.ticket.scope.values_list("place", flat=True)
    leases.gate([*scope, session.place], exclusive=True)
    if still_open := open_checkouts_of([session]):
        raise CheckoutsOpen(checkouts=[checkout.as_facts() for checkout in still_open])
    return end(actor, session, verb="submit", status=Session.Status.SUBMITTED, outcome=note, kind="session_submitted")


@action
def block(*, actor: Actor, session_id: int, reason: str) -> Ended:
    """The worker cannot go on. The reservation stays until an operator decides."""
    reason = names.text(reason, "reason", 500, needed=True)
    session = own(actor, session_id)
    lock_ticket(session)
    ended = end(actor, session, verb="block", status=Session.Status.BLOCKED, outcome=reason, kind="session_blocked")
    Failure.objects.create(
        ticket=session.ticket, session=session, kind=Failure.Kind.BLOCKED, detail=reason, at=session.ended_at
    )
    return ended


@action
def stop(*, actor: Actor, session_id: int, reason: str) -> Session:
    """An operator asks the worker to stop; the next checkpoint says so. It changes nothing else."""
    reason = names.text(reason, "reason", 500, needed=True)
    session = session_for(actor, session_id)
    ticket = locked(actor, session.ticket_id)
    actor.demand_person()
    actor.demand(Role.OPERATOR, ticket.role, permission=DECIDE)
    at = clock.now()
    asked = {"stop_requested_at": at, "stop_requested_by": actor.user, "stop_reason": reason}
    if Session.objects.filter(pk=session.pk, status=Session.Status.ACTIVE).update(**asked) != 1:
        raise WrongState("This session has ended.", state=session.status, allowed=[])
    for name, value in asked.items():
        setattr(session, name, value)
    tell("session_stop_requested", actor, ticket, at, session=session.pk, reason=reason)
    return session


def refuse_unstartable(ticket: Ticket, verb: str) -> None:
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
    return Session.objects.create(
        ticket=ticket,
        worker=worker,
        label=label,
        ttl=ttl,
        started_at=at,
        lease_until=at + timedelta(seconds=ttl),
    )


def worker_named(username: str) -> User:
    name = names.text(username, "worker", 150, needed=True).lower()
    worker = User.objects.alias(name_key=Lower("username")).filter(name_key=name).first()
    if worker is None:
        raise Invalid.of("worker", "There is no such account.")
    return worker


def refuse_unfit(worker: User, ticket: Ticket) -> None:
    """A session's worker must be active, and an editor of the ticket's project."""
    can_edit = includes(Actor(worker).effective(Actor(worker).role_in(ticket.project)), Role.EDITOR)
    if not (worker.is_active and can_edit):
        raise Invalid.of("worker", f"{worker.participant} may not work in this project.")


def own(actor: Actor, session_id: int) -> Session:
    session = session_for(actor, session_id)
    if session.worker_id != actor.user.pk:
        raise Forbidden(f"This session is {session.worker.participant}'s.")
    actor.demand_writing()
    return session


def lock_ticket(session: Session) -> None:
    """A worker who has left the project still ends a session of theirs, so this asks for no role."""
    Ticket.objects.select_for_update(no_key=True).values_list("pk").get(pk=session.ticket_id)


def live(session: Session) -> QuerySet[Session]:
    """The condition of whatever only a live session may do."""
    return Session.objects.filter(pk=session.pk, status=Session.Status.ACTIVE, lease_until__gt=DatabaseNow())


def lost(session: Session) -> LeaseLost:
    session = Session.objects.get(pk=session.pk)
    if session.status in (Session.Status.ACTIVE, Session.Status.EXPIRED):
        return LeaseLost(f"The session's lease ran out at {session.lease_until.isoformat()}.")
    return LeaseLost(f"The session has ended: {session.status}.")


def end(actor: Actor, session: Session, *, verb: str, status: str, outcome: str, kind: str) -> Ended:
    """End a live session, and move its ticket, which is locked."""
    at = clock.now()
    if live(session).update(status=status, ended_at=at, outcome=outcome) != 1:
        raise lost(session)
    session.status, session.ended_at, session.outcome = status, at, outcome
    move(session.ticket, verb, at=at)
    journal.write(
        kind,
        at=at,
        actor=actor,
        subject=f"ticket:{session.ticket_id}",
        project_id=session.ticket.project_id,
        session=session.pk,
        note=outcome,
    )
    return Ended(session, open_checkouts_of([session]))
