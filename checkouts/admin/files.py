"""The base of admins whose rows have bytes to download: files, versions, proposals, check-outs."""

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import Http404, HttpRequest
from django.http.response import HttpResponseBase
from django.urls import URLPattern, path, reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from checkouts.http.downloads import download
from checkouts.models import Blob
from leasehold.admin.actions import actor_of, by_id
from leasehold.admin.base import ReadOnlyAdmin
from leasehold.database.ids import id_in


def by_file_or_account(rows: QuerySet[Any], term: str, account: str) -> QuerySet[Any]:
    """Return the rows of a file (`artifact:12`), the row with an id, or the rows of the account with this whole name.

    account: the column of the account.
    """
    kind, _, number = term.partition(":")
    if kind == "artifact":
        return by_id(rows, number, "artifact")
    return by_id(rows, term) if id_in(term) else rows.filter(**{f"{account}__username__iexact": term})


class FileAdmin(ReadOnlyAdmin):
    """An admin whose rows can be downloaded, as an attachment that no browser runs. `file_of` gives the bytes."""

    def file_of(self, row: Any) -> tuple[Blob, str] | None:
        """Return the blob and the file name for the download, or None if the row has no bytes."""
        raise NotImplementedError

    def get_urls(self) -> list[URLPattern]:
        name = f"{self.opts.app_label}_{self.opts.model_name}_file"
        return [
            path("<int:pk>/file/", self.admin_site.admin_view(self.file_view), name=name),
            *super().get_urls(),
        ]

    def file_view(self, request: HttpRequest, pk: int) -> HttpResponseBase:
        row = by_id(self.rows(actor_of(request)), str(pk)).first()
        found = self.file_of(row) if row else None
        if found is None:
            raise Http404
        blob, name = found
        return download(request, key=blob.key, name=name, digest=blob.digest, size=blob.size)

    def file_url(self, row: Any) -> str:
        return reverse(f"admin:{self.opts.app_label}_{self.opts.model_name}_file", args=[row.pk])

    @admin.display(description="file")
    def file(self, row: Any) -> SafeString:
        return format_html('<a href="{}">Download</a>', self.file_url(row))
