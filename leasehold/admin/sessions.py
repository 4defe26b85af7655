"""Scope keys, sessions, their checkpoints, and failures."""

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.utils.safestring import SafeString

from leasehold.actions import sessions
from leasehold.actors import DECIDE, Actor
from leasehold.admin import filters
from leasehold.admin.actions import ActionCall, ActionResult, AdminAction, Reason, by_id, holders_of
from leasehold.admin.base import ReadOnlyAdmin
from leasehold.admin.columns import is_past, state_mark
from leasehold.admin.reconcile import RECONCILE
from leasehold.database.clock import DatabaseNow
from leasehold.database.ids import id_in
from leasehold.models import Checkpoint, Failure, ScopeKey, Session, Ticket
from leasehold.rules import WAITING
from leasehold.selectors import limit_to_projects, sessions_for
from leasehold.wording import as_text, stop_effects


def stop(call: ActionCall) -> ActionResult:
    sessions.stop(actor=call.actor, session_id=call.row.pk, **call.values)
    return ActionResult(f"Session {call.row.pk} is told so at its next checkpoint.")


@admin.register(ScopeKey)
class ScopeKeyAdmin(ReadOnlyAdmin):
    list_display = ("key", "ticket", "title", "state")
    fields = ("key", "place", "ticket", "title", "state")
    ordering = ("-id",)
    list_filter = (filters.project("ticket__project"),)
    search_help_text = "The number of a ticket."

    def rows(self, actor: Actor) -> QuerySet[Any]:
        keys = ScopeKey.objects.select_related("ticket__project").annotate(at=DatabaseNow())
        return limit_to_projects(actor, keys, "ticket__project")

    def find(self, rows: QuerySet[Any], term: str) -> QuerySet[Any]:
        return by_id(rows, term, "ticket")

    def subject(self, row: ScopeKey) -> str:
        return f"ticket:{row.ticket_id}"

    @admin.display(description="title")
    def title(self, row: ScopeKey) -> str:
        return row.ticket.title

    @admin.display(description="state")
    def state(self, row: ScopeKey) -> SafeString:
        status = row.ticket.status
        is_reserved = status in (Ticket.Status.IN_PROGRESS, *WAITING)
        return state_mark("reserved" if is_reserved else "not reserved", "person" if is_reserved else "lapsed")


def sessions_in(rows: QuerySet[Any], state: str) -> QuerySet[Any]:
    if state == "lapsed":
        return rows.filter(status=Session.Status.ACTIVE, lease_until__lte=DatabaseNow())
    if state == "live":
        return rows.filter(status=Session.Status.ACTIVE, lease_until__gt=DatabaseNow())
    return rows.filter(status=state)


ENDED = {value: label for value, label in Session.Status.choices if value != Session.Status.ACTIVE}


@admin.register(Session)
class SessionAdmin(ReadOnlyAdmin):
    list_display = ("id", "ticket", "worker", "label", "state", "started_at", "lease_until", "ended_at")
    columns = ("ticket", "worker", "state", "lease_until")
    fields = (
        "ticket", "worker", "label", "state", "started_at", "lease_until", "ended_at", "outcome", "stop_requested_by",
        "stop_reason",
    )  # fmt: skip
    ordering = ("-id",)
    list_filter = (
        filters.choices("state", "state", {"live": "Live", "lapsed": "Lapsed", **ENDED}, sessions_in),
        filters.project("ticket__project"),
    )
    search_help_text = "A number, or the whole name of a worker."
    admin_actions = (
        AdminAction(
            name="stop",
            label="Ask to stop…",
            is_bulk=True,
            may=holders_of(DECIDE),
            form=Reason,
            run=stop,
            fits=lambda actor, row: DECIDE in actor.permissions and row.status == Session.Status.ACTIVE,
            consequences=as_text(stop_effects("The worker")),
        ),
        RECONCILE,
    )

    def rows(self, actor: Actor) -> QuerySet[Any]:
        return sessions_for(actor)

    def find(self, rows: QuerySet[Any], term: str) -> QuerySet[Any]:
        return by_id(rows, term) if term.isdecimal() else rows.filter(worker__username__iexact=term)

    def subject(self, row: Session) -> str:
        return f"ticket:{row.ticket_id}"

    @admin.display(description="state")
    def state(self, row: Any) -> SafeString:
        if row.status != Session.Status.ACTIVE:
            return state_mark(row.status, "lapsed")
        if is_past(row.lease_until, row.at):
            return state_mark("lapsed", "stale")
        return state_mark("stop asked for", "stale") if row.stop_requested_at else state_mark("live", "person")


@admin.register(Failure)
class FailureAdmin(ReadOnlyAdmin):
    list_display = ("at", "kind", "ticket", "session", "detail")
    fields = ("at", "kind", "ticket", "session", "detail")
    ordering = ("-id",)
    list_filter = (
        filters.choices("kind", "kind", dict(Failure.Kind.choices), lambda rows, kind: rows.filter(kind=kind)),
        filters.project("ticket__project"),
    )
    search_help_text = "The number of a ticket."

    def rows(self, actor: Actor) -> QuerySet[Any]:
        return limit_to_projects(actor, Failure.objects.select_related("ticket__project", "session"), "ticket__project")

    def find(self, rows: QuerySet[Any], term: str) -> QuerySet[Any]:
        return by_id(rows, term, "ticket")

    def subject(self, row: Failure) -> str:
        return f"ticket:{row.ticket_id}"


@admin.register(Checkpoint)
class CheckpointAdmin(ReadOnlyAdmin):
    list_display = ("at", "session", "lease_until", "note")
    fields = ("at", "session", "lease_until", "note", "details")
    ordering = ("-id",)
    search_help_text = "The number of a session."

    def rows(self, actor: Actor) -> QuerySet[Any]:
        found = Checkpoint.objects.select_related("session__ticket__project")
        return limit_to_projects(actor, found, "session__ticket__project")

    def find(self, rows: QuerySet[Any], term: str) -> QuerySet[Any]:
        return rows.none() if (number := id_in(term)) is None else rows.filter(session=number)

    def subject(self, row: Checkpoint) -> str:
        return f"ticket:{row.session.ticket_id}"
