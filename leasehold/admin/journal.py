"""Leases, and journal entries."""

import json
from typing import Any

from django.contrib import admin
from django.db.models import Q, QuerySet
from django.utils.html import format_html
from django.utils.safestring import SafeString

from leasehold import leases
from leasehold.actions.passes import PREFIX, break_pass
from leasehold.actors import BREAK, Actor
from leasehold.admin import filters
from leasehold.admin.actions import ActionCall, ActionResult, AdminAction, Reason, by_id, holders_of
from leasehold.admin.base import ReadOnlyAdmin
from leasehold.admin.columns import lease_state, time_text, until_text
from leasehold.admin.reconcile import RECONCILE
from leasehold.exceptions import WrongState
from leasehold.journal import KINDS
from leasehold.models import Entry, Lease
from leasehold.names import comparing_form
from leasehold.selectors import entries_for, has_resource_kind, is_in_project, leases_for

STATES = {"live": "Live", "lapsed": "Lapsed"}
RESOURCES = {"artifact": "Files", "scope": "Scope keys", "role": "Passes"}


def leases_in(rows: QuerySet[Any], state: str) -> QuerySet[Any]:
    return rows.filter(leases.is_live() if state == "live" else leases.is_lapsed())


def break_row(call: ActionCall) -> ActionResult:
    if not break_pass(actor=call.actor, resource=call.row.resource, **call.values):
        raise WrongState("There was nothing left to break: it has ended already.")
    return ActionResult(f"The pass on {call.row.resource} is broken.")


@admin.register(Lease)
class LeaseAdmin(ReadOnlyAdmin):
    """Leases that are held. Only passes end here; a check-out ends in its own list, a reservation by a decision."""

    list_display = ("where", "who", "state", "until", "since", "purpose", "resource", "fence")
    fields = ("resource", "holder", "participant", "state", "since", "until", "purpose", "place", "fence")
    ordering = ("resource",)
    list_filter = (
        filters.choices("state", "state", STATES, leases_in),
        filters.choices("kind", "kind", RESOURCES, lambda rows, kind: rows.filter(has_resource_kind(kind))),
    )
    search_help_text = "A resource (artifact:12), an account (user:alice), or a place and what lies below (art/heroes)."
    columns = ("where", "who", "state", "until", "since")
    admin_actions = (
        AdminAction(
            name="break",
            label="Break the pass…",
            may=holders_of(BREAK),
            form=Reason,
            run=break_row,
            is_grave=True,
            fits=lambda actor, row: row.resource.startswith(PREFIX) and BREAK in actor.permissions,
            consequences=(
                "Another pass may begin for this role and context at once. The one that runs is not stopped by "
                "this: it learns of it when it renews."
            ),
        ),
        RECONCILE,
    )

    def rows(self, actor: Actor) -> QuerySet[Any]:
        return leases_for(actor)

    def find(self, rows: QuerySet[Any], term: str) -> QuerySet[Any]:
        at_or_below = is_in_project(comparing_form(term))
        return rows.filter(Q(resource=term) | Q(participant__in=[term, f"user:{term}", f"agent:{term}"]) | at_or_below)

    def subject(self, row: Lease) -> str:
        return row.resource

    @admin.display(description="place")
    def where(self, row: Lease) -> str:
        """The lease's place. A pass has none and is shown by its resource."""
        return row.place or row.resource

    @admin.display(description="who")
    def who(self, row: Lease) -> str:
        return row.participant or row.holder

    @admin.display(description="state")
    def state(self, row: Lease) -> SafeString:
        return lease_state(leases.as_held(row))

    @admin.display(description="since")
    def since(self, row: Lease) -> str:
        return time_text(row.acquired_at)

    @admin.display(description="until")
    def until(self, row: Lease) -> str:
        return until_text(leases.as_held(row))


@admin.register(Entry)
class EntryAdmin(ReadOnlyAdmin):
    list_display = ("at", "kind", "participant", "subject_", "project", "data_text")
    fields = ("at", "kind", "participant", "actor", "subject_", "project", "request_id", "data_text")
    ordering = ("-id",)
    search_help_text = "A subject: artifact:12, ticket:7, project:3, user:5."

    def get_list_filter(self, request: Any) -> Any:
        """Build the filters late: the kinds are complete only when all apps are loaded."""
        kinds = {kind: kind.replace("_", " ") for kind in sorted(KINDS)}
        return (
            filters.choices("kind", "kind", kinds, lambda rows, kind: rows.filter(kind=kind)),
            filters.project(),
        )

    def lookup_allowed(self, lookup: str, value: str, request: Any = None) -> bool:
        return lookup in ("kind", "project")

    def rows(self, actor: Actor) -> QuerySet[Any]:
        return entries_for(actor).select_related("actor")

    def find(self, rows: QuerySet[Any], term: str) -> QuerySet[Any]:
        return by_id(rows, term) if term.isdecimal() else rows.filter(subject=term)

    def subject(self, row: Entry) -> str:
        return row.subject

    @admin.display(description="subject")
    def subject_(self, row: Entry) -> str:
        return row.subject

    @admin.display(description="data")
    def data_text(self, row: Entry) -> SafeString:
        pairs = (
            f"{name}: {value if isinstance(value, str) else json.dumps(value)}" for name, value in row.data.items()
        )
        return format_html('<span class="said">{}</span>', " · ".join(pairs))
