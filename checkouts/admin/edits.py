"""The admin of agents' edits. They last seconds, so most are closed."""

from typing import Any

from django import forms
from django.contrib import admin
from django.db.models import QuerySet
from django.utils.safestring import SafeString

from checkouts.models import Edit
from leasehold.actors import Actor
from leasehold.admin import filters
from leasehold.admin.actions import by_id
from leasehold.admin.base import ReadOnlyAdmin
from leasehold.admin.columns import is_past, state_mark
from leasehold.database.clock import DatabaseNow
from leasehold.selectors import limit_to_projects


@admin.register(Edit)
class EditAdmin(ReadOnlyAdmin):
    list_display = ("uuid", "artifact", "participant", "state_", "opened_at", "expires_at", "outcome")
    fields = (
        "uuid", "artifact", "participant", "base_version", "state_", "opened_at", "expires_at", "purpose", "client",
        "session", "outcome", "closed_at", "result_version", "result_proposal",
    )  # fmt: skip
    ordering = ("-opened_at",)
    list_filter = (filters.project("artifact__project"),)
    search_help_text = "An id (a UUID), artifact:12, or the whole name of an agent."

    def rows(self, actor: Actor) -> QuerySet[Any]:
        edits = Edit.objects.select_related(
            "artifact__project", "base_version", "result_version", "result_proposal", "session"
        )
        return limit_to_projects(actor, edits.annotate(at=DatabaseNow()), "artifact__project")

    def find(self, rows: QuerySet[Any], term: str) -> QuerySet[Any]:
        kind, _, number = term.partition(":")
        if kind == "artifact":
            return by_id(rows, number, "artifact")
        try:
            return rows.filter(pk=forms.UUIDField().clean(term))
        except forms.ValidationError:
            return rows.filter(actor__username__iexact=term)

    def subject(self, row: Edit) -> str:
        return f"artifact:{row.artifact_id}"

    @admin.display(description="state")
    def state_(self, row: Any) -> SafeString:
        if not row.is_open:
            return state_mark("closed", "lapsed")
        return state_mark("lapsed", "stale") if is_past(row.expires_at, row.at) else state_mark("live", "person")
