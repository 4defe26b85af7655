"""Tickets, and the operators' decisions on them."""

from collections.abc import Callable
from typing import Any

from django import forms
from django.conf import settings
from django.contrib import admin
from django.db.models import QuerySet, Value
from django.utils.html import format_html_join
from django.utils.safestring import SafeString

from leasehold import leases, wording
from leasehold.actions import sessions, tickets
from leasehold.actors import APPROVE, DECIDE, Actor
from leasehold.admin import filters
from leasehold.admin.actions import ActionCall, ActionResult, AdminAction, Reason, by_id, holders_of
from leasehold.admin.base import ReadOnlyAdmin
from leasehold.admin.columns import state_mark, time_text
from leasehold.admin.reconcile import RECONCILE
from leasehold.database import clock
from leasehold.database.clock import DatabaseNow
from leasehold.models import Ticket, User
from leasehold.names import comparing_form
from leasehold.rules import TRANSITIONS, WAITING, is_stale
from leasehold.scopes.meanings import meanings
from leasehold.selectors import tickets_for
from leasehold.wording import as_text, ticket_result

ROLES = {
    Ticket.Status.DRAFT: "plain",
    Ticket.Status.APPROVED: "free",
    Ticket.Status.IN_PROGRESS: "person",
    Ticket.Status.BLOCKED: "stale",
    Ticket.Status.REVIEW: "proposal",
    Ticket.Status.DONE: "lapsed",
    Ticket.Status.CANCELLED: "lapsed",
}


class Resume(forms.Form):
    worker = forms.CharField(max_length=150, required=False, help_text="An account's name; empty: the last worker.")


def approve(call: ActionCall) -> ActionResult:
    tickets.approve(actor=call.actor, ticket_id=call.row.pk, since=call.since)
    return ActionResult(ticket_result("approve", call.row.pk))


def accept(call: ActionCall) -> ActionResult:
    tickets.accept(actor=call.actor, ticket_id=call.row.pk, since=call.since)
    return ActionResult(ticket_result("accept", call.row.pk))


def send_back(call: ActionCall) -> ActionResult:
    tickets.send_back(actor=call.actor, ticket_id=call.row.pk, since=call.since, **call.values)
    return ActionResult(ticket_result("send_back", call.row.pk))


def release_stale(call: ActionCall) -> ActionResult:
    tickets.send_back(
        actor=call.actor,
        ticket_id=call.row.pk,
        since=call.since,
        stale_after=settings.LEASEHOLD_STALE_AFTER,
        **call.values,
    )
    return ActionResult(ticket_result("send_back", call.row.pk))


def cancel(call: ActionCall) -> ActionResult:
    decided = tickets.cancel(actor=call.actor, ticket_id=call.row.pk, since=call.since, **call.values)
    still = wording.still_checked_out([checkout.path for checkout in decided.open_checkouts])
    return ActionResult(f"{ticket_result('cancel', call.row.pk)} {still}".rstrip())


def resume(call: ActionCall) -> ActionResult:
    session = sessions.resume(
        actor=call.actor, ticket_id=call.row.pk, since=call.since, worker=call.values["worker"] or None
    )
    return ActionResult(f"{session.worker.participant} may go on until {time_text(session.lease_until)}.")


def state_since(row: Ticket) -> str:
    """Return what the pages keep of a ticket's state: the time of its last change."""
    return clock.as_iso(row.state_since) or ""


def decision(
    verb: str, label: str, run: Callable[[ActionCall], ActionResult], permission: str = DECIDE, **options: Any
) -> AdminAction:
    """Return the action for a decision: for staff with the permission, on tickets in a state from which it is possible.

    verb: its name in TRANSITIONS. options: the other fields of `AdminAction`.
    """
    return AdminAction(
        name=verb.replace("_", "-"),
        label=label,
        run=run,
        may=holders_of(permission),
        fits=lambda actor, row: permission in actor.permissions and row.status in TRANSITIONS[verb][0],
        seen_state=state_since,
        **options,
    )


def seems_stale(row: Any) -> bool:
    return is_stale(row.status, row.state_since, at=clock.as_utc(row.at), after=settings.LEASEHOLD_STALE_AFTER)


def stale(rows: QuerySet[Any]) -> QuerySet[Any]:
    return rows.filter(status__in=WAITING, state_since__lte=DatabaseNow(-settings.LEASEHOLD_STALE_AFTER))


@admin.register(Ticket)
class TicketAdmin(ReadOnlyAdmin):
    list_display = ("id", "title", "project", "state", "since", "keys")
    columns = ("title", "project", "state", "since", "keys")
    fields = (
        "title", "description", "project", "state", "since", "keys", "reserves", "workers", "created_by", "created_at",
        "approved_by",
    )  # fmt: skip
    ordering = ("-id",)
    list_filter = (
        filters.choices("stale", "stale", {"yes": "Waits too long"}, lambda rows, _: stale(rows)),
        filters.choices("state", "state", dict(Ticket.Status.choices), lambda rows, state: rows.filter(status=state)),
        filters.project(),
    )
    search_help_text = "A number, or a scope key that a ticket holds now."
    admin_actions = (
        decision(
            "approve",
            "Approve…",
            approve,
            permission=APPROVE,
            is_bulk=True,
            consequences=as_text(wording.approve_effects()),
        ),
        decision("accept", "Accept…", accept, is_bulk=True, consequences=as_text(wording.accept_effects())),
        decision(
            "send_back",
            "Send back…",
            send_back,
            is_bulk=True,
            form=Reason,
            consequences=as_text(wording.send_back_effects()),
        ),
        AdminAction(
            name="release-stale",
            label="Release stale reviews…",
            is_bulk=True,
            may=holders_of(DECIDE),
            form=Reason,
            run=release_stale,
            seen_state=state_since,
            fits=lambda actor, row: DECIDE in actor.permissions and seems_stale(row),
            consequences=(
                "Those that have waited too long for a decision are sent back. "
                f"{as_text(wording.send_back_effects())} "
                "One that is not stale, or that was decided on since you looked, is left alone."
            ),
        ),
        decision("resume", "Let it go on…", resume, form=Resume, consequences=as_text(wording.resume_effects())),
        decision(
            "cancel",
            "Cancel…",
            cancel,
            is_bulk=True,
            is_grave=True,
            form=Reason,
            consequences=as_text(wording.cancel_effects()),
        ),
        RECONCILE,
    )

    def rows(self, actor: Actor) -> QuerySet[Any]:
        """Each row carries its reader's id, because `reserves` depends on what the reader may see."""
        return tickets_for(actor).annotate(at=DatabaseNow(), reader=Value(actor.user.pk)).prefetch_related("scope")

    def find(self, rows: QuerySet[Any], term: str) -> QuerySet[Any]:
        if term.isdecimal():
            return by_id(rows, term)
        return rows.filter(pk__in=holders_of_key(term))

    def subject(self, row: Ticket) -> str:
        return f"ticket:{row.pk}"

    @admin.display(description="state")
    def state(self, row: Ticket) -> SafeString:
        word = row.get_status_display().lower()
        if seems_stale(row):
            return state_mark(f"{word}, stale", "danger")
        return state_mark(word, ROLES[Ticket.Status(row.status)])

    @admin.display(description="since")
    def since(self, row: Ticket) -> str:
        return time_text(row.state_since)

    @admin.display(description="scope")
    def keys(self, row: Ticket) -> SafeString:
        return format_html_join(" ", "<code>{}</code>", ((key.key,) for key in row.scope.all()))

    @admin.display(description="reserves")
    def reserves(self, row: Any) -> SafeString:
        """What each key covers: files of a project, or only a name."""
        reader = Actor(User.objects.get(pk=row.reader), client="admin")
        found = meanings(reader, row.project, {key.place: key.key for key in row.scope.all()})
        lines = (
            (meaning.key, meaning.words, f"; {row.project} has {meaning.instead}" if meaning.instead else "")
            for meaning in found
        )
        return format_html_join("", "<div><code>{}</code>: {}{}</div>", lines)

    @admin.display(description="sessions")
    def workers(self, row: Ticket) -> SafeString:
        sessions = row.sessions.select_related("worker")[:20]
        lines = (
            (f"{session}: {session.worker.participant}, {session.status}, until {time_text(session.lease_until)}",)
            for session in sessions
        )
        return format_html_join("", "<div>{}</div>", lines)


def holders_of_key(key: str) -> list[int]:
    """Return the ticket that reserves exactly this key, as a list of one id or none."""
    held = leases.read([f"scope:{comparing_form(key)}"])
    return [int(lease.holder.partition(":")[2]) for lease in held if lease.kind == "ticket"]
