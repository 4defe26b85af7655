"""What may be seen, by name. Every look-up starts from what the actor may see: a foreign slug is an unknown slug."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from django.db.models import Case, Exists, OuterRef, Q, QuerySet, Subquery, TextField, Value, When
from django.db.models.functions import Cast, Concat, Lower, Right

from leasehold import leases, names
from leasehold.actors import Actor
from leasehold.clock import DatabaseNow
from leasehold.exceptions import Invalid, NotFound
from leasehold.ids import BIGGEST_ID
from leasehold.leases import HeldLease
from leasehold.models import Entry, Lease, Membership, Project, Session, Ticket, Token, User
from leasehold.models.ticket import LIVE
from leasehold.ports import Holding, holdings_of
from leasehold.rolelocks import PREFIX, resource_of

COUNTED = 1_000  # nobody's own leases are counted further


def projects_for(actor: Actor) -> QuerySet[Project]:
    """The actor's projects, each with its `role` there (none for a superuser who is no member)."""
    role = Membership.objects.filter(project=OuterRef("pk"), user=actor.user).values("role")[:1]
    projects = Project.objects.annotate(role=Subquery(role))
    return projects if actor.sees_everything else projects.filter(memberships__user=actor.user)


def of_projects(actor: Actor, rows: QuerySet[Any], path: str) -> QuerySet[Any]:
    """Those that belong to a project which the actor sees; `path` leads there."""
    return rows if actor.sees_everything else rows.filter(**{f"{path}__in": projects_for(actor).values("pk")})


def project_for(actor: Actor, slug: str) -> Project:
    """One project; `NotFound` if it is unknown or foreign."""
    if (project := projects_for(actor).filter(slug=slug).first()) is None:
        raise NotFound
    return project


def memberships_of(actor: Actor) -> QuerySet[Membership]:
    return Membership.objects.filter(user=actor.user).select_related("project").order_by("project__slug")


def members_of(project: Project) -> QuerySet[Membership]:
    return project.memberships.select_related("user").order_by("id")


def member_of(project: Project, name: str) -> User:
    """The member of this name; `NotFound` for everybody else."""
    member = members_of(project).alias(key=Lower("user__username")).filter(key=name.lower()).first()
    if member is None:
        raise NotFound
    return member.user


def leases_for(actor: Actor) -> QuerySet[Lease]:
    """Held leases, live and lapsed, that the actor may see: in the actor's projects, of the tickets there, passes, and
    the actor's own."""
    seen = leases.all_held()
    if actor.sees_everything:
        return seen
    visible = Q(participant=actor.participant) | _with_prefix("resource", "role:")
    tickets = Ticket.objects.filter(project__memberships__user=actor.user, status__in=LIVE)
    name = Concat(Value("ticket:"), Cast("pk", TextField()), output_field=TextField())
    visible |= Q(holder__in=tickets.values(name=name))
    for slug in projects_for(actor).values_list("slug", flat=True):
        visible |= in_project(slug)
    return seen.filter(visible)


def held_by(actor: Actor) -> Counter[str]:
    """How many live leases the actor holds below each project's slug."""
    mine = Lease.objects.filter(leases.is_live(), participant=actor.participant).exclude(place="")
    return Counter(place.partition("/")[0] for place in mine.values_list("place", flat=True)[:COUNTED])


def in_project(slug: str) -> Q:
    """Leases that lie in a project: on its files, and on scope keys at or below its slug."""
    first, beyond = names.within(slug)
    return Q(place=slug) | Q(place__gte=first, place__lt=beyond)


def of_kind(kind: str) -> Q:
    """Leases whose holder is a checkout, edit, ticket, pass or op."""
    return _with_prefix("holder", f"{kind}:")


def on_kind(kind: str) -> Q:
    """Leases whose resource is an artifact, a scope (key) or a role('s pass)."""
    return _with_prefix("resource", f"{kind}:")


def passes(role: str = "", context: str = "") -> QuerySet[Lease]:
    """The passes that hold their lock, live and lapsed, with the database's time as `at`: all, or those of a role, of a
    context, or of both. Every account may see them."""
    held = leases.all_held()
    if role:
        held = held.filter(_with_prefix("resource", resource_of(role, "")))
    else:
        held = held.filter(_with_prefix("resource", PREFIX))
    if context:
        last = resource_of("", context).removeprefix(PREFIX)
        held = held.alias(ending=Right("resource", len(last))).filter(ending=last)
    return held


def of_holder(holder: str) -> Q:
    """Leases of an account (`alice`, `user:alice`), or of one attempt (`checkout:17:user:alice`)."""
    return Q(holder=holder) | Q(participant__in=[holder, f"user:{holder}", f"agent:{holder}"])


def entries_for(actor: Actor) -> QuerySet[Entry]:
    """The journal of the actor's projects, and what the actor did elsewhere."""
    entries = Entry.objects.select_related("project")
    if actor.sees_everything:
        return entries
    return entries.filter(Q(project__in=projects_for(actor).values("pk")) | Q(actor=actor.user))


def _with_prefix(column: str, prefix: str) -> Q:
    """A range, never LIKE: an index serves it, and no character of a user's means more than itself."""
    return Q(**{f"{column}__gte": prefix, f"{column}__lt": prefix[:-1] + chr(ord(prefix[-1]) + 1)})


def tickets_for(actor: Actor) -> QuerySet[Ticket]:
    """The tickets of the actor's projects, each with the actor's `role` there."""
    role = Membership.objects.filter(project=OuterRef("project"), user=actor.user).values("role")[:1]
    tickets = Ticket.objects.select_related("project", "created_by", "approved_by").annotate(role=Subquery(role))
    return tickets if actor.sees_everything else tickets.filter(project__memberships__user=actor.user)


def with_workers(actor: Actor, found: Sequence[HeldLease]) -> list[HeldLease]:
    """The same leases, those of tickets each with its active worker. A foreign ticket shows its id and key only."""
    holders = {lease.holder for lease in found if lease.kind == "ticket"}
    if not holders:
        return list(found)
    active = Session.objects.filter(ticket=OuterRef("pk"), status=Session.Status.ACTIVE, lease_until__gt=DatabaseNow())
    seen = tickets_for(actor).filter(pk__in=[int(holder.removeprefix("ticket:")) for holder in holders])
    seen = seen.annotate(at_work=active.values(name=participant_of("worker"))[:1])
    told = {f"ticket:{pk}": (title, worker or "") for pk, title, worker in seen.values_list("pk", "title", "at_work")}

    def shown(lease: HeldLease) -> HeldLease:
        purpose, participant = told.get(lease.holder, ("", ""))
        return replace(lease, purpose=purpose, participant=participant)

    return [shown(lease) if lease.holder in holders else lease for lease in found]


def participant_of(account: str) -> Any:
    """The expression for an account's name as a participant, `user:alice`, by the name of its foreign key."""
    kind = Case(When(**{f"{account}__kind": User.Kind.AGENT}, then=Value("agent:")), default=Value("user:"))
    return Concat(kind, f"{account}__username", output_field=TextField())


def ticket_for(actor: Actor, ticket_id: int) -> Ticket:
    """One ticket; `NotFound` if it is unknown or foreign."""
    found = tickets_for(actor).filter(pk=ticket_id).first() if 0 < ticket_id <= BIGGEST_ID else None
    if found is None:
        raise NotFound
    return found


def sessions_for(actor: Actor) -> QuerySet[Session]:
    """Sessions on the tickets of the actor's projects, and the actor's own; each with `at` and `is_lapsed`."""
    sessions = Session.objects.select_related("ticket__project", "worker", "stop_requested_by").annotate(
        at=DatabaseNow(), is_lapsed=Q(status=Session.Status.ACTIVE, lease_until__lte=DatabaseNow())
    )
    if actor.sees_everything:
        return sessions
    memberships = Membership.objects.filter(project=OuterRef("ticket__project"), user=actor.user)
    return sessions.filter(Q(worker=actor.user) | Exists(memberships))


def sessions_in(sessions: QuerySet[Session], status: str) -> QuerySet[Session]:
    """Those of a status; `active` is what still runs, and `lapsed` what nobody has written down as expired yet."""
    if status == "lapsed":
        return sessions.filter(is_lapsed=True)
    if status == Session.Status.ACTIVE:
        return sessions.filter(status=status, is_lapsed=False)
    return sessions.filter(status=status)


def session_for(actor: Actor, session_id: int) -> Session:
    """One session; `NotFound` if it is unknown or foreign."""
    found = sessions_for(actor).filter(pk=session_id).first() if 0 < session_id <= BIGGEST_ID else None
    if found is None:
        raise NotFound
    return found


def is_own_session(actor: Actor, session_id: int) -> bool:
    """Is this an active session of the actor's?"""
    mine = Session.objects.filter(worker=actor.user, status=Session.Status.ACTIVE, lease_until__gt=DatabaseNow())
    return 0 < session_id <= BIGGEST_ID and mine.filter(pk=session_id).exists()


def own_session(actor: Actor, session_id: int) -> int:
    """The id, if it is an active session of the actor's; `Invalid` on `session` otherwise."""
    if not is_own_session(actor, session_id):
        raise Invalid.of("session", "Not an active session of yours.")
    return session_id


def in_hand(user: User) -> list[Holding]:
    """What an account has on its hands on every floor: sessions at work, passes, and what the floor above adds."""
    sessions = Session.objects.filter(worker=user, status=Session.Status.ACTIVE).order_by("pk")
    passes = Lease.objects.filter(_with_prefix("resource", "role:"), participant=user.participant).exclude(holder="")
    return [
        *(Holding(f"session {session.pk} at ticket {session.ticket_id}", "") for session in sessions),
        *(Holding(f"the pass {lease.resource.removeprefix('role:')}", "") for lease in passes.order_by("resource")),
        *holdings_of(user),
    ]


def tokens_of(actor: Actor) -> QuerySet[Token]:
    """The actor's own tokens, those that ended too."""
    return Token.objects.filter(user=actor.user).select_related("user").order_by("-id")


def token_of(actor: Actor, token_id: int) -> Token:
    """One of the actor's own; `NotFound` for every other."""
    if (found := tokens_of(actor).filter(pk=token_id).first()) is None:
        raise NotFound
    return found
