"""A ticket's life, as its author and its operators decide it. The sessions of its workers are in `sessions.py`.

Lock order: ticket → session → gate → the leases of its scope. A transition is a conditional update: it happens from the
states that `rules.TRANSITIONS` names, and where `since` is given, only if the ticket has not changed since then.
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
    """The ticket after a decision, and the check-outs of its ended session that are still open: nothing ends those."""

    ticket: Ticket
    open_checkouts: list[OpenCheckout]


@action
def create_ticket(*, actor: Actor, project: str, title: str, scope: Sequence[str], description: str = "") -> Ticket:
    """A draft, by whoever may edit in the project. Raises `Invalid` for a scope that is empty or holds no keys."""
    title = names.text(title, "title", 200, needed=True)
    description = names.text(description, "description", 20_000)
    keys = normalised_scope(scope)
    home = project_for(actor, project)
    actor.demand(Role.EDITOR, home.role)
    demand_role_in_named_projects(actor, keys.keys(), Role.EDITOR)
    at = clock.now()
    ticket = Ticket.objects.create(
        project=home, title=title, description=description, state_since=at, created_at=at, created_by=actor.user
    )
    declare(ticket, keys)
    tell("ticket_created", actor, ticket, at, title=title, scope=list(keys.values()))
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
    """Change a ticket that is not started. By its author or an operator; another scope takes the approval back."""
    ticket = locked(actor, ticket_id)
    if ticket.created_by_id != actor.user.pk or not includes(actor.effective(ticket.role), Role.EDITOR):
        actor.demand(Role.OPERATOR, ticket.role)
    if ticket.status not in EDITABLE:
        raise WrongState(state=ticket.status, allowed=possible_verbs(ticket.status))
    at = clock.now()
    if title is not None:
        ticket.title = names.text(title, "title", 200, needed=True)
    if description is not None:
        ticket.description = names.text(description, "description", 20_000)
    if scope is not None:
        keys = normalised_scope(scope)
        demand_role_in_named_projects(actor, keys.keys(), Role.EDITOR)
        if set(keys) != set(ticket.scope.values_list("place", flat=True)):
            ticket.scope.all().delete()
            declare(ticket, keys)
            if ticket.status == Ticket.Status.APPROVED:
                ticket.status, ticket.approved_by, ticket.state_since = Ticket.Status.DRAFT, None, at
    ticket.save(update_fields=["title", "description", "status", "approved_by", "state_since"])
    declared = [key.key for key in ticket.scope.all()]
    tell("ticket_edited", actor, ticket, at, title=ticket.title, status=ticket.status, scope=declared)
    return ticket


@action
def approve(*, actor: Actor, ticket_id: int, since: datetime | None = None) -> Ticket:
    """A human operator's word that the work may start; not the author's own where the project asks for two people.

    Where a key lies in a project, the operator's role there is needed too.
    """
    ticket = locked(actor, ticket_id)
    actor.demand_person()
    actor.demand(Role.OPERATOR, ticket.role, permission=APPROVE)
    if ticket.project.two_person and ticket.created_by_id == actor.user.pk:
        raise Forbidden("In this project somebody else than its author approves a ticket.")
    if APPROVE not in actor.permissions:
        demand_role_in_named_projects(actor, ticket.scope.values_list("place", flat=True), Role.OPERATOR)
    at = clock.now()
    move(ticket, "approve", at=at, since=since, approved_by=actor.user)
    tell("ticket_approved", actor, ticket, at)
    return ticket


@action
def accept(*, actor: Actor, ticket_id: int, since: datetime | None = None) -> Decided:
    """The work is done; the reservation is freed."""
    ticket = decidable(actor, ticket_id)
    at = clock.now()
    move(ticket, "accept", at=at, since=since)
    free_scope(ticket)
    tell("ticket_accepted", actor, ticket, at)
    return Decided(ticket, open_checkouts_of(ticket.sessions.all()))


@action
def send_back(
    *, actor: Actor, ticket_id: int, reason: str, since: datetime | None = None, stale_after: int | None = None
) -> Decided:
    """To be started anew: a review that did not pass, or a blocked ticket given up. Frees the reservation.

    With `stale_after`, only if it has waited for a decision for so many seconds; `WrongState` otherwise.
    """
    reason = names.text(reason, "reason", 500, needed=True)
    ticket = decidable(actor, ticket_id)
    at = clock.now()
    if stale_after is not None and not is_stale(ticket.status, ticket.state_since, at=at, after=stale_after):
        raise WrongState(
            f"It is {ticket.status}, and not stale.",
            state=ticket.status,
            allowed=possible_verbs(ticket.status),
        )
    move(ticket, "send_back", at=at, since=since)
    free_scope(ticket)
    Failure.objects.create(ticket=ticket, kind=Failure.Kind.SENT_BACK, detail=reason, at=at)
    tell("ticket_sent_back", actor, ticket, at, reason=reason)
    return Decided(ticket, open_checkouts_of(ticket.sessions.all()))


@action
def cancel(*, actor: Actor, ticket_id: int, reason: str, since: datetime | None = None) -> Decided:
    """For good, from any state but the last ones: by an operator, or by the author before it was started."""
    reason = names.text(reason, "reason", 500, needed=True)
    ticket = locked(actor, ticket_id)
    if ticket.created_by_id != actor.user.pk or ticket.status not in EDITABLE:
        actor.demand_person()
        actor.demand(Role.OPERATOR, ticket.role, permission=DECIDE)
    else:
        actor.demand(Role.EDITOR, ticket.role)
    at = clock.now()
    session = ticket.sessions.select_for_update(no_key=True).filter(status=Session.Status.ACTIVE).first()
    move(ticket, "cancel", at=at, since=since)
    if session:
        session.status, session.ended_at, session.outcome = Session.Status.CANCELLED, at, reason
        session.save(update_fields=["status", "ended_at", "outcome"])
    free_scope(ticket)
    Failure.objects.create(ticket=ticket, session=session, kind=Failure.Kind.CANCELLED, detail=reason, at=at)
    tell("ticket_cancelled", actor, ticket, at, reason=reason, session=session.pk if session else None)
    return Decided(ticket, open_checkouts_of(ticket.sessions.all()))


def decidable(actor: Actor, ticket_id: int) -> Ticket:
    ticket = locked(actor, ticket_id)
    actor.demand_person()
    actor.demand(Role.OPERATOR, ticket.role, permission=DECIDE)
    return ticket


def locked(actor: Actor, ticket_id: int) -> Ticket:
    """The ticket with the actor's `role`, locked; `NotFound` if it is unknown or foreign."""
    ticket = ticket_for(actor, ticket_id)
    fresh = Ticket.objects.select_related("project", "created_by").select_for_update(no_key=True, of=("self",))
    fresh_ticket = fresh.get(pk=ticket.pk)
    fresh_ticket.role = ticket.role
    return fresh_ticket


def move(ticket: Ticket, verb: str, *, at: datetime, since: datetime | None = None, **columns: object) -> None:
    """Make the transition, by a conditional update; `WrongState` with what is possible instead."""
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
    """Free the ticket's reservation, its rows locked in order first."""
    resources = [key.resource for key in ticket.scope.all()]
    leases.lock(resources)
    leases.free(Lease.objects.filter(resource__in=resources, holder=ticket.holder))


def normalised_scope(scope: object) -> dict[str, str]:
    """Comparing form → spelling, in order; the first spelling of a key counts."""
    if isinstance(scope, str) or not isinstance(scope, Sequence) or not scope:
        raise Invalid.of("scope", "Name at least one key.")
    if len(scope) > MOST_KEYS:
        raise Invalid.of("scope", f"At most {MOST_KEYS} keys.")
    keys: dict[str, str] = {}
    for key in scope:
        spelled = names.normalised(key, "scope")
        keys.setdefault(names.comparing(spelled), spelled)
    return keys


def declare(ticket: Ticket, keys: dict[str, str]) -> None:
    ScopeKey.objects.bulk_create([ScopeKey(ticket=ticket, key=key, place=place) for place, key in keys.items()])


def demand_role_in_named_projects(actor: Actor, places: Iterable[str], needed: Role) -> None:
    """A key whose first segment is a project's slug reserves files there: that needs a role in that project."""
    slugs = {place.partition("/")[0] for place in places}
    roles = dict(
        Membership.objects.filter(user=actor.user, project__slug__in=slugs).values_list("project__slug", "role")
    )
    for slug in Project.objects.filter(slug__in=slugs).order_by("slug").values_list("slug", flat=True):
        if not includes(actor.effective(roles.get(slug)), needed):
            raise Forbidden(f"A key in the project “{slug}” needs the role “{needed}” there.")


def tell(kind: str, actor: Actor, ticket: Ticket, at: datetime, **data: Any) -> None:
    journal.write(kind, at=at, actor=actor, subject=f"ticket:{ticket.pk}", project_id=ticket.project_id, **data)
