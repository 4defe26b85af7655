"""The admin of versions and of stored blobs."""

from typing import Any

from django import forms
from django.contrib import admin
from django.db.models import Q, QuerySet
from django.http import HttpRequest

from checkouts.admin.files import FileAdmin
from checkouts.models import Blob, Version
from leasehold.actors import Actor
from leasehold.admin import filters
from leasehold.admin.actions import by_id
from leasehold.admin.base import ReadOnlyAdmin
from leasehold.admin.columns import size_text
from leasehold.selectors import limit_to_projects


@admin.register(Version)
class VersionAdmin(FileAdmin):
    list_display = ("artifact", "number", "size_", "author", "created_at", "comment", "file")
    fields = (
        "artifact", "number", "size_", "digest", "author", "created_at", "comment", "session", "provenance",
    )  # fmt: skip
    ordering = ("-id",)
    list_filter = (filters.project("artifact__project"),)
    search_help_text = "The number of a file."

    def rows(self, actor: Actor) -> QuerySet[Any]:
        versions = Version.objects.select_related("artifact__project", "author", "blob", "session")
        return limit_to_projects(actor, versions, "artifact__project")

    def find(self, rows: QuerySet[Any], term: str) -> QuerySet[Any]:
        return by_id(rows, term, "artifact")

    def subject(self, row: Version) -> str:
        return f"artifact:{row.artifact_id}"

    def file_of(self, row: Version) -> tuple[Blob, str] | None:
        return row.blob, row.artifact.name

    @admin.display(description="size")
    def size_(self, row: Version) -> str:
        return size_text(row.size)


@admin.register(Blob)
class BlobAdmin(ReadOnlyAdmin):
    """For superusers, and staff with Django's permission to view blobs: a blob belongs to no project."""

    list_display = ("key", "digest", "size", "created_at")
    fields = ("key", "digest", "size", "created_at")
    ordering = ("-id",)
    search_help_text = "A number, or a key (a UUID)."

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return super().has_view_permission(request, obj) and request.user.has_perm("checkouts.view_blob")

    def rows(self, actor: Actor) -> QuerySet[Any]:
        return Blob.objects.all()

    def find(self, rows: QuerySet[Any], term: str) -> QuerySet[Any]:
        try:
            return rows.filter(Q(key=forms.UUIDField().clean(term)))
        except forms.ValidationError:
            return by_id(rows, term)
