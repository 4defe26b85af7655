"""The admin of files: who holds each, and the admin's actions on them."""

from typing import Any

from django import forms
from django.conf import settings
from django.contrib import admin
from django.db.models import QuerySet, Subquery
from django.http import HttpRequest
from django.urls import reverse
from django.utils.safestring import SafeString

from checkouts import wording
from checkouts.actions.breaks import take_over
from checkouts.actions.check_out import check_out
from checkouts.admin.files import FileAdmin
from checkouts.models import Artifact, Blob
from checkouts.outcomes import Granted
from checkouts.selectors import ArtifactWithLease, artifacts_for, beginning_with, filter_by_holder, with_leases
from checkouts.selectors.reservations import reservation_of_others
from leasehold.actors import BREAK, Actor
from leasehold.admin import filters
from leasehold.admin.actions import ActionCall, ActionResult, AdminAction, actor_of, holders_of, reason_field
from leasehold.admin.columns import lease_state, size_text, state_mark, time_text, until_text
from leasehold.database.ids import id_in
from leasehold.leases import HeldLease
from leasehold.models import Role
from leasehold.rules import includes
from leasehold.wording import as_text

HOUR = 3600
MOST_HOURS = 720
HELD = {"free": "Free", "me": "Mine", "others": "Others'", "expiring": "Expiring soon", "archived": "Archived"}


class CheckOutForm(forms.Form):
    purpose = forms.CharField(max_length=500, required=False, help_text="What for; everybody sees it.")
    hours = forms.IntegerField(min_value=1, max_value=MOST_HOURS, initial=settings.LEASEHOLD_CHECKOUT_TTL // HOUR or 1)


class TakeOverForm(CheckOutForm):
    reason = reason_field(help_text="The old holder reads it.")
    field_order = ("reason", "purpose", "hours")


def run_check_out(call: ActionCall) -> ActionResult:
    granted = check_out(
        actor=call.actor,
        artifact_id=call.row.pk,
        ttl=call.values["hours"] * HOUR,
        purpose=call.values["purpose"],
    )
    return granted_result(granted)


def run_take_over(call: ActionCall) -> ActionResult:
    granted = take_over(
        actor=call.actor,
        artifact_id=call.row.pk,
        reason=call.values["reason"],
        ttl=call.values["hours"] * HOUR,
        purpose=call.values["purpose"],
    )
    return granted_result(granted)


def granted_result(granted: Granted) -> ActionResult:
    """Return the message, with the URL of the check-out's page, where its file is downloaded."""
    checkout = granted.checkout
    return ActionResult(
        f"{wording.held_until(checkout.artifact.path, 'yours', time_text(granted.lease.expires_at))} Download version "
        f"{checkout.base_version.number} here, and check it in here when you are done.",
        url=reverse("admin:checkouts_checkout_change", args=[checkout.pk]),
    )


def lease_on(row: Any) -> HeldLease | None:
    """Return the lease on a row of the list, live or lapsed."""
    return ArtifactWithLease.from_row(row).lease


def live_lease_on(row: Any) -> HeldLease | None:
    return ArtifactWithLease.from_row(row).live_lease


def may_check_out(actor: Actor, row: Any) -> bool:
    can_edit = includes(actor.effective(row.role), Role.EDITOR)
    return can_edit and row.archived_at is None and live_lease_on(row) is None and not row.reserved_by


def is_reserved(row: Any) -> bool:
    """Return whether another participant's ticket reserves the file while nobody holds it."""
    return row.reserved_by is not None and row.archived_at is None and live_lease_on(row) is None


def may_take_over(actor: Actor, row: Any) -> bool:
    lease = live_lease_on(row)
    return BREAK in actor.permissions and lease is not None and lease.participant != actor.participant


class HeldFilter(admin.SimpleListFilter):
    """Filters by holder. The result depends on the reader."""

    title, parameter_name = "held", "held"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return list(HELD.items())

    def queryset(self, request: HttpRequest, rows: QuerySet[Any]) -> QuerySet[Any]:
        match self.value():
            case "archived":
                return rows.filter(archived_at__isnull=False)
            case "free" | "me" | "others" | "expiring" as which:
                return filter_by_holder(rows.filter(archived_at=None), which, actor_of(request))
        return rows


@admin.register(Artifact)
class ArtifactAdmin(FileAdmin):
    list_display = ("path", "project", "version", "state", "who", "until", "purpose", "file")
    columns = ("path", "project", "version", "state", "who", "until")
    fields = (
        "path", "project", "version", "state", "who", "since", "until", "purpose", "created_by", "created_at",
        "archived_at",
    )  # fmt: skip
    ordering = ("-id",)
    list_filter = (HeldFilter, filters.project())
    search_help_text = "The beginning of a path, with or without its project (art/heroes/hero), or a number."
    admin_actions = (
        AdminAction(
            name="check-out",
            label="Check out…",
            form=CheckOutForm,
            run=run_check_out,
            fits=may_check_out,
            consequences="The file is yours alone until then. The next page has its bytes for you to download.",
        ),
        AdminAction(
            name="take-over",
            label="Take over…",
            form=TakeOverForm,
            run=run_take_over,
            fits=may_take_over,
            is_grave=True,
            may=holders_of(BREAK),
            consequences=as_text(wording.take_over_effects(wording.HOLDER)),
        ),
    )

    def rows(self, actor: Actor) -> QuerySet[Any]:
        """Return the files, each with its lease and the ticket that reserves it for somebody else."""
        reserved = reservation_of_others(actor).order_by("-place").values("holder")[:1]
        rows = artifacts_for(actor).select_related("project", "head__blob", "created_by")
        return with_leases(rows.annotate(reserved_by=Subquery(reserved)))

    def find(self, rows: QuerySet[Any], term: str) -> QuerySet[Any]:
        if (number := id_in(term)) is not None:
            return rows.filter(pk=number)
        slug, _, below = term.partition("/")
        if below and (found := beginning_with(rows.filter(project__slug=slug), below)).exists():
            return found
        return beginning_with(rows, term)

    def subject(self, row: Artifact) -> str:
        return row.resource

    def file_of(self, row: Artifact) -> tuple[Blob, str] | None:
        return (row.head.blob, row.name) if row.head else None

    @admin.display(description="version")
    def version(self, row: Artifact) -> str:
        return f"{row.head.number} ({size_text(row.head.size)})" if row.head else "–"

    @admin.display(description="state")
    def state(self, row: Any) -> SafeString:
        if row.archived_at:
            return state_mark("archived", "lapsed")
        return state_mark("reserved", "person") if is_reserved(row) else lease_state(lease_on(row))

    @admin.display(description="who")
    def who(self, row: Any) -> str:
        if is_reserved(row):
            return str(row.reserved_by).replace(":", " ")
        return lease.participant if (lease := lease_on(row)) else ""

    @admin.display(description="since")
    def since(self, row: Any) -> str:
        return time_text(lease.acquired_at) if (lease := lease_on(row)) and not is_reserved(row) else ""

    @admin.display(description="until")
    def until(self, row: Any) -> str:
        if is_reserved(row):
            return "until somebody decides"
        return until_text(lease) if (lease := lease_on(row)) else ""

    @admin.display(description="purpose")
    def purpose(self, row: Any) -> str:
        return lease.purpose if (lease := lease_on(row)) and not is_reserved(row) else ""
