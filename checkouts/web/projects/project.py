"""A project's page: its folders and files with their holders, and adding a file; counts for the list of projects."""

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_safe

from checkouts import wording
from checkouts.actions.artifacts import add_artifact
from checkouts.bytes.intake import Upload
from checkouts.doubts import doubts_about
from checkouts.http.uploads import streamed_form
from checkouts.selectors import ArtifactWithLease, loose_checkouts, own_open_checkouts
from checkouts.selectors.counts import Counts, counts_in
from checkouts.selectors.folders import FOLDERS, files_in, folders_in
from checkouts.selectors.ordering import ORDERINGS
from checkouts.web.holds import reservations_over
from checkouts.web.links import artifact_url, folder_url, project_crumbs
from checkouts.web.polling import lease_data, render_polled
from checkouts.web.projects.file_rows import FileRow
from checkouts.web.projects.headings import column_headings
from checkouts.web.promised_downloads import start_zip_download
from checkouts.web.views import signed_in
from leasehold import names
from leasehold.actors import Actor
from leasehold.exceptions import Invalid
from leasehold.leases import HeldLease
from leasehold.models import Project, Role
from leasehold.rules import includes
from leasehold.selectors import project_for
from leasehold.selectors.counts import count_rows
from leasehold.web.reader import actor_of, is_script, sign_in_first

MAX_LOOSE = 1_000  # of the reader's check-outs without a lease are counted, at most
#: the tab's name in the URL → `which` of `files_in`
TABS = {"all": "all", "free": "free", "mine": "me", "others": "others", "expiring": "expiring", "archived": "archived"}


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder in a list, with counts of its files. `sort`: the order that its links keep."""

    project: Project
    path: str
    counts: Counts
    sort: str

    @property
    def name(self) -> str:
        return self.path.rpartition("/")[2]

    @property
    def url(self) -> str:
        return folder_url(self.project, self.path, sort=self.sort)

    @property
    def mine_url(self) -> str:
        return folder_url(self.project, self.path, show="mine", sort=self.sort)

    @property
    def others_url(self) -> str:
        return folder_url(self.project, self.path, show="others", sort=self.sort)


@dataclass(frozen=True, slots=True)
class ProjectCounts:
    """Counts of one project in the list of projects. `loose`: the reader's check-outs open without a lease."""

    counts: Counts
    loose: int


def count_by_project(actor: Actor, projects: Sequence[Project]) -> dict[int, ProjectCounts]:
    """Return the counts for the list of projects, by project id. Two statements."""
    loose = Counter(loose_checkouts(actor).values_list("artifact__project", flat=True)[:MAX_LOOSE])
    counts = counts_in(actor, [(project, "") for project in projects])
    return {
        project.pk: ProjectCounts(found, loose[project.pk]) for project, found in zip(projects, counts, strict=True)
    }


@signed_in
@require_safe
def project(request: HttpRequest, slug: str) -> HttpResponse:
    actor = actor_of(request)
    home = project_for(actor, slug)
    folder = names.normalised(request.GET["folder"], "folder") if request.GET.get("folder") else ""
    search = names.checked_text(request.GET.get("q"), "q", 200)
    after = names.checked_text(
        request.GET.get("after"), "after", names.MAX_COMPARING + 200
    )  # a key, an id and a holder
    show = choice_from_query(request, "show", TABS, "all")
    sort = choice_from_query(request, "sort", ORDERINGS, "path")
    is_unfiltered = show == "all" and not search

    files = files_in(actor, home, folder, which=TABS[show], search=search, ordering=sort, after=after)
    reserved = reservations_over(actor, files.rows)
    folders = folders_in(home, folder)
    lists_folders = is_unfiltered and not after
    counts = counts_in(actor, [(home, path) for path in (folder, *folders)]) if lists_folders else []
    unknown = [Counts(0, 0, 0)] * len(folders)  # beside a search result, the folders have no counts
    own = count_rows(check_ins=own_open_checkouts(actor, home), loose=loose_checkouts(actor, home))
    kept_sort = "" if sort == "path" else sort
    crumbs = project_crumbs(home, folder, sort=kept_sort)
    here = {"show": "" if show == "all" else show, "q": search, "sort": kept_sort}
    may_add = includes(actor.effective(home.role), Role.EDITOR)
    context: dict[str, Any] = {
        "at": files.rows[0].at if files.rows else None,
        "section": "files",
        "project": home,
        "folder": folder,
        "title": folder.rpartition("/")[2] or home.name,
        "crumbs": crumbs[:-1],
        "above": crumbs[1:],
        "folders": [
            Folder(home, path, found, kept_sort) for path, found in zip(folders, counts[1:] or unknown, strict=False)
        ],
        "list_folders": lists_folders,
        "all": counts[0] if counts else None,
        "has_more_folders": len(folders) == FOLDERS,
        "rows": [FileRow.of(actor, row, below=folder, reserved=reserved.get(row.artifact.pk)) for row in files.rows],
        "show": show,
        "tabs": [(name, folder_url(home, folder, **here | {"show": name if name != "all" else ""})) for name in TABS],
        "headings": column_headings(sort, lambda order: folder_url(home, folder, **here | {"sort": order})),
        "sort": kept_sort,
        "search": search,
        "everything": folder_url(home, folder, sort=kept_sort),
        "first": folder_url(home, folder, **here) if after else "",
        "more": folder_url(home, folder, **here, after=files.after) if files.after else "",
        "may_add": may_add,
        "may_pick": may_add and show != "archived",
        **own,
    }
    rows = [row_data(row, reserved.get(row.artifact.pk)) for row in files.rows]
    data = [home.role, own, folders, counts, files.after, rows]
    response = render_polled(request, "projects/project.html", context, data=data)
    start_zip_download(request, response, slug)
    return response


def choice_from_query(request: HttpRequest, name: str, choices: Collection[str], default: str) -> str:
    """Return a choice in the query, or `default` if it is missing. Raises `Invalid` for another value."""
    value = request.GET.get(name, default)
    if value not in choices:
        raise Invalid.of(name, f"Expected one of {', '.join(choices)}.")
    return value


def row_data(file: ArtifactWithLease, reserved: HeldLease | None) -> tuple[object, ...]:
    """Return what the page displays of one file, for `render_polled`."""
    artifact = file.artifact
    return (
        artifact.pk,
        artifact.path,
        artifact.head_id,
        artifact.archived_at,
        lease_data(file.lease),
        lease_data(reserved),
    )


def guard_add(request: HttpRequest, slug: str) -> HttpResponse | None:
    """Before the body is read: redirect to sign in, or refuse a reader who is no editor."""
    if not request.user.is_authenticated:
        return sign_in_first("project", slug)
    if request.method != "POST":
        return redirect("project", slug)
    actor = actor_of(request)
    actor.demand(Role.EDITOR, project_for(actor, slug).role)
    return None


@streamed_form(guard_add)
def add(request: HttpRequest, slug: str, upload: Upload) -> HttpResponse:
    """Add one file in the form's folder. A file of zero bytes needs the checkbox “It may be empty”."""
    actor = actor_of(request)
    folder, typed_path = upload.fields.get("folder", ""), upload.fields.get("path", "").strip()
    for doubt in doubts_about(upload):
        raise Invalid.of("file", wording.doubt_with_box(doubt, filename=upload.filename))
    name = typed_path or upload.filename
    artifact = upload.commit_with(
        lambda received: add_artifact(
            actor=actor,
            project=slug,
            path=f"{folder}/{name}" if folder else name,
            upload=received,
            comment=upload.fields.get("comment", ""),
        )
    )
    if is_script(request):
        return JsonResponse({"url": artifact_url(artifact), "title": "Added"}, status=201)
    messages.success(request, f"{artifact.name} is added as version 1.\nIt is free to check out.", extra_tags="is-free")
    return redirect(folder_url(artifact.project, names.folder_of(artifact.path)))
