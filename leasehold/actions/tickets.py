"""What authors and operators do with a ticket. The sessions of its workers are in `sessions.py`.

Lock order: ticket → gate → session → the leases of its scope. A transition is a conditional update: it needs one of the
states in `rules.TRANSITIONS`, and if `since` is given, that the status has not changed since that time.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from leasehold import journal, leases, names
from leasehold.actions import action
from leasehold.actors import APPROVE, DECIDE, Actor
from leasehold.database import clock
from leasehold.exceptions import Forbidden, Invalid, WrongState
from leasehold.models import Failure, Lease, Membership, Project, Role, ScopeKey, Session, Ticket
from leasehold.ports import OpenCheckout, open_checkouts_of
from leasehold.rules import EDITABLE, TRANSITIONS, includes, is_stale, possible_verbs
from leasehold.selectors import project_for, ticket_for

MOST_KEYS = 200


@dataclass(frozen=True, slots=True)
class Decided:
    """The ticket after a decision, and the check-outs of its sessions that are still open; they stay open."""

    ticket: Ticket
    open_checkouts: list[OpenCheckout]


@action
def create_ticket(*, actor: Actor, project: str, title: str, scope: Sequence[str], description: str = "") -> Ticket:
    """Create a draft. For editors of the project, and of every project that a key names.

    Raises `Invalid` for an empty or malformed title, description or scope.
    """
    title = names.checked_text(title, "title", 200, needed=True)
    description = names.checked_text(description, "description", 20_000)
    keys = normalised_scope(scope)
    home = project_for(actor, project)
    actor.demand(Role.EDITOR, home.role)
    demand_role_in_named_projects(actor, keys.keys(), Role.EDITOR)
    at = clock.now()
    ticket = Ticket.objects.create(
        project=home, title=title, description=description, state_since=at, created_at=at, created_by=actor.user
    )
    declare_scope(ticket, keys)
    write_ticket_entry("ticket_created", actor, ticket, at, title=title, scope=list(keys.values()))
    return ticket


@action
def edit_ticket(
    *,
    actor: Actor,
    ticket_id: int,
    title: str | None = None,
    description: str | None = None,
    scope: Sequence[str] | None = None,
) -> Ticket:
    """Change a ticket that is not started; None leaves a value as it is. For its author and for operators.

    Another scope takes the approval back. Raises `WrongState` for a ticket that was started.
    """
    ticket = lock_ticket(actor, ticket_id)
    if ticket.created_by_id != actor.user.pk or not includes(actor.effective(ticket.role), Role.EDITOR):
        actor.demand(Role.OPERATOR, ticket.role)
    if ticket.status not in EDITABLE:
        raise WrongState(state=ticket.status, allowed=possible_verbs(ticket.status))
    at = clock.now()
    if title is not None:
        ticket.title = names.checked_text(title, "title", 200, needed=True)
    if description is not None:
        ticket.description = names.checked_text(description, "description", 20_000)
    if scope is not None:
        keys = normalised_scope(scope)
        demand_role_in_named_projects(actor, keys.keys(), Role.EDITOR)
        if set(keys) != set(ticket.scope.values_list("place", flat=True)):
            ticket.scope.all().delete()
            declare_scope(ticket, keys)
            if ticket.status == Ticket.Status.APPROVED:
                ticket.status, ticket.approved_by, ticket.state_since = Ticket.Status.DRAFT, None, at
    ticket.save(update_fields=["title", "description", "status", "approved_by", "state_since"])
    declared = [key.key for key in ticket.scope.all()]
    write_ticket_entry("ticket_edited", actor, ticket, at, title=ticket.title, status=ticket.status, scope=declared)
    return ticket


@action
def approve(*, actor: Actor, ticket_id: int, since: datetime | None = None) -> Ticket:
    """Approve a draft, so that the work may start.

    For people who are operators of the project and of every project that a key names, or who have the permission
    `approve_ticket`. In a project with `two_person`, the author may not approve.
    """
    ticket = lock_ticket(actor, ticket_id)
    actor.demand_person()
    actor.demand(Role.OPERATOR, ticket.role, permission=APPROVE)
    if ticket.project.two_person and ticket.created_by_id == actor.user.pk:
        raise Forbidden("In this project somebody else than its author approves a ticket.")
    if APPROVE not in actor.permissions:
        demand_role_in_named_projects(actor, ticket.scope.values_list("place", flat=True), Role.OPERATOR)
    at = clock.now()
    change_status(ticket, "approve", at=at, since=since, approved_by=actor.user)
    write_ticket_entry("ticket_approved", actor, ticket, at)
    return ticket


@action
def accept(*, actor: Actor, ticket_id: int, since: datetime | None = None) -> Decided:
    """Accept the work: the ticket is done, and its reservation is freed. For people who are operators."""
    ticket = lock_for_decision(actor, ticket_id)
    at = clock.now()
    change_status(ticket, "accept", at=at, since=since)
    free_scope(ticket)
    write_ticket_entry("ticket_accepted", actor, ticket, at)
    return Decided(ticket, open_checkouts_of(ticket.sessions.all()))


@action
def send_back(
    *, actor: Actor, ticket_id: int, reason: str, since: datetime | None = None, stale_after: int | None = None
) -> Decided:
    """Send a ticket in review or a blocked one back to APPROVED, and free its reservation.

    For people who are operators. With `stale_after`, raises `WrongState` unless the ticket has waited for a decision
    for so many seconds.
    """
    reason = names.checked_text(reason, "reason", 500, needed=True)
    ticket = lock_for_decision(actor, ticket_id)
    at = clock.now()
    if stale_after is not None and not is_stale(ticket.status, ticket.state_since, at=at, after=stale_after):
        raise WrongState(
            f"It is {ticket.status}, and not stale.",
            state=ticket.status,
            allowed=possible_verbs(ticket.status),
        )
    change_status(ticket, "send_back", at=at, since=since)
    free_scope(ticket)
    Failure.objects.create(ticket=ticket, kind=Failure.Kind.SENT_BACK, detail=reason, at=at)
    write_ticket_entry("ticket_sent_back", actor, ticket, at, reason=reason)
    return Decided(ticket, open_checkouts_of(ticket.sessions.all()))


@action
def cancel(*, actor: Actor, ticket_id: int, reason: str, since: datetime | None = None) -> Decided:
    """Cancel a ticket for good, end its active session and free its reservation.

    For people who are operators; for the author, as long as the ticket is not started.
    """
    reason = names.checked_text(reason, "reason", 500, needed=True)
    ticket = lock_ticket(actor, ticket_id)
    if ticket.created_by_id != actor.user.pk or ticket.status not in EDITABLE:
        actor.demand_person()
        actor.demand(Role.OPERATOR, ticket.role, permission=DECIDE)
    else:
        actor.demand(Role.EDITOR, ticket.role)
    session = ticket.sessions.select_for_update(no_key=True).filter(status=Session.Status.ACTIVE).first()
    at = clock.now()
    change_status(ticket, "cancel", at=at, since=since)
    if session:
        session.status, session.ended_at, session.outcome = Session.Status.CANCELLED, at, reason
        session.save(update_fields=["status", "ended_at", "outcome"])
    free_scope(ticket)
    Failure.objects.create(ticket=ticket, session=session, kind=Failure.Kind.CANCELLED, detail=reason, at=at)
    write_ticket_entry("ticket_cancelled", actor, ticket, at, reason=reason, session=session.pk if session else None)
    return Decided(ticket, open_checkouts_of(ticket.sessions.all()))


def lock_for_decision(actor: Actor, ticket_id: int) -> Ticket:
    """Lock and return a ticket. Raises `Forbidden` unless the actor may decide on it: a person who is an operator."""
    ticket = lock_ticket(actor, ticket_id)
    actor.demand_person()
    actor.demand(Role.OPERATOR, ticket.role, permission=DECIDE)
    return ticket


def lock_ticket(actor: Actor, ticket_id: int) -> Ticket:
    """Lock a ticket and return it with the actor's `role`. Raises `NotFound` if the actor may not see it."""
    ticket = ticket_for(actor, ticket_id)
    rows = Ticket.objects.select_related("project", "created_by").select_for_update(no_key=True, of=("self",))
    locked = rows.get(pk=ticket.pk)
    locked.role = ticket.role
    return locked


def change_status(ticket: Ticket, verb: str, *, at: datetime, since: datetime | None = None, **columns: object) -> None:
    """Change the ticket's status by a conditional update. Raises `WrongState` with the verbs that are possible."""
    before, after = TRANSITIONS[verb]
    rows = Ticket.objects.filter(pk=ticket.pk, status__in=before)
    if since is not None:
        rows = rows.filter(state_since=since)
    if rows.update(status=after, state_since=at, **columns) != 1:
        detail = f"A ticket that is {ticket.status} cannot be changed so."
        if ticket.status in before:
            detail = "It has been decided on since you looked."
        raise WrongState(detail, state=ticket.status, allowed=possible_verbs(ticket.status))
    ticket.status, ticket.state_since = after, at
    for name, value in columns.items():
        setattr(ticket, name, value)


def free_scope(ticket: Ticket) -> None:
    """Free the leases of the ticket's scope, after locking their rows in order."""
    resources = [key.resource for key in ticket.scope.all()]
    leases.lock(resources)
    leases.free(Lease.objects.filter(resource__in=resources, holder=ticket.holder))


def normalised_scope(scope: object) -> dict[str, str]:
    """Return place → spelling for the keys of a scope, in their order. Of equal keys the first spelling counts.

    Raises `Invalid` on `scope` for no key, for more than MOST_KEYS, and for a malformed key.
    """
    if isinstance(scope, str) or not isinstance(scope, Sequence) or not scope:
        raise Invalid.of("scope", "Name at least one key.")
    if len(scope) > MOST_KEYS:
        raise Invalid.of("scope", f"At most {MOST_KEYS} keys.")
    keys: dict[str, str] = {}
    for key in scope:
        spelled = names.normalised(key, "scope")
        keys.setdefault(names.comparing_form(spelled), spelled)
    return keys


def declare_scope(ticket: Ticket, keys: dict[str, str]) -> None:
    """Insert the keys of a ticket's scope, given as place → spelling."""
    ScopeKey.objects.bulk_create([ScopeKey(ticket=ticket, key=key, place=place) for place, key in keys.items()])


def demand_role_in_named_projects(actor: Actor, places: Iterable[str], needed: Role) -> None:
    """Raise `Forbidden` unless the actor has the role `needed` in every project whose slug begins one of `places`.

    Such a key reserves files of that project.
    """
    slugs = {place.partition("/")[0] for place in places}
    roles = dict(
        Membership.objects.filter(user=actor.user, project__slug__in=slugs).values_list("project__slug", "role")
    )
    for slug in Project.objects.filter(slug__in=slugs).order_by("slug").values_list("slug", flat=True):
        if not includes(actor.effective(roles.get(slug)), needed):
            raise Forbidden(f"A key in the project “{slug}” needs the role “{needed}” there.")


def write_ticket_entry(kind: str, actor: Actor, ticket: Ticket, at: datetime, **data: Any) -> None:
    """Append a journal entry about a ticket."""
    journal.write(kind, at=at, actor=actor, subject=f"ticket:{ticket.pk}", project_id=ticket.project_id, **data)
