"""Queries for a project's page: the folders in a folder, and its files page by page.

Folders are not stored: a folder exists while a file's path is below it.
"""

from collections.abc import Collection
from dataclasses import dataclass

from django.db import connection

from checkouts.models import Artifact
from checkouts.selectors import ArtifactWithLease, artifacts_for, filter_by_holder, with_leases
from checkouts.selectors.ordering import Ordering
from leasehold import names
from leasehold.actors import Actor
from leasehold.models import Project

PAGE = 50  # files on one page
FOLDERS = 200  # folders listed in one folder; the search finds files in the others
TABLE = Artifact._meta.db_table


@dataclass(frozen=True, slots=True)
class FilePage:
    """One page of files. `after`: the cursor for the next page; empty on the last page."""

    rows: list[ArtifactWithLease]
    after: str


def folders_in(project: Project, folder: str) -> list[str]:
    """Return the paths of the folders directly below `folder` (empty: the top of the project).

    Each is spelled as in its first file by path. The query walks the index from folder to folder, so the cost depends
    on the number of folders, not of files. A folder's key may come twice, for itself and for a folder below it, since
    `a.b` sorts between `a` and `a/c`.
    """
    key = names.comparing_form(folder)
    low, high = names.range_below(key) if key else ("", "")
    bound = "AND folder_key < %(high)s" if high else ""
    child = _first_segment("walk.key", len(low))
    # The identifiers are our own constants; user input is passed as parameters.
    step = f"""
        SELECT min(folder_key) FROM {TABLE}
        WHERE project_id = %(project)s AND archived_at IS NULL AND folder_key <> '' {bound}
    """  # noqa: S608
    with connection.cursor() as cursor:
        cursor.execute(
            f"""
            WITH RECURSIVE walk (key) AS (
                SELECT ({step} AND folder_key >= %(low)s)
                UNION ALL
                SELECT ({step} AND folder_key > walk.key
                        AND folder_key >= CASE WHEN {child} = walk.key THEN walk.key ELSE {child} || '0' END)
                FROM walk WHERE walk.key IS NOT NULL
            )
            SELECT walk.key, (SELECT path FROM {TABLE} WHERE project_id = %(project)s AND archived_at IS NULL
                              AND folder_key = walk.key ORDER BY path_key LIMIT 1)
            FROM walk WHERE walk.key IS NOT NULL LIMIT {2 * FOLDERS}
            """,  # noqa: S608
            {"project": project.pk, "low": low, "high": high},
        )
        rows = cursor.fetchall()
    depth = folder.count("/") + 2 if folder else 1
    found: dict[str, str] = {}
    for _, path in rows:
        spelled = "/".join(path.split("/")[:depth])
        found.setdefault(names.comparing_form(spelled), spelled)
    return [found[key] for key in sorted(found)][:FOLDERS]


def files_in(
    actor: Actor,
    project: Project,
    folder: str,
    *,
    which: str = "all",
    search: str = "",
    ordering: str = "path",
    after: str = "",
) -> FilePage:
    """Return one page of the files in `folder` itself, or, with `which` or `search`, anywhere below it.

    `which`: all, free, me, others, expiring or archived. `ordering`: one of ORDERINGS. `after`: the cursor from the
    page before. One statement.
    """
    order, key = Ordering(ordering), names.comparing_form(folder)
    files = artifacts_for(actor).filter(project=project, archived_at__isnull=which != "archived")
    if which == "all" and not search:
        files = files.filter(folder_key=key)
    elif key:
        low, high = names.range_below(key)
        files = files.filter(path_key__gte=low, path_key__lt=high)
    if which not in ("all", "archived"):
        files = filter_by_holder(files, which, actor, project=project)
    if search:
        files = files.filter(path_key__contains=names.comparing_form(search))
    files = order.prepared(files, actor, project)
    if after:
        files = order.after(files, after)
    rows = list(with_leases(files).order_by(*order.columns)[: PAGE + 1])
    cursor = order.cursor_of(rows[PAGE - 1]) if len(rows) > PAGE else ""
    return FilePage([ArtifactWithLease.from_row(row) for row in rows[:PAGE]], cursor)


@dataclass(frozen=True, slots=True)
class Selection:
    """Files to check out together: how many there are, how many are free, and the held ones.

    A file that another participant's ticket reserves is neither free nor held.
    """

    files: int
    free: int
    busy: list[ArtifactWithLease]


def selection_of(
    actor: Actor, project: Project, *, folder: str = "", ids: Collection[int] = (), most: int
) -> Selection:
    """Select the files of a folder, or by id; counted up to one more than `most`. Three statements."""
    files = artifacts_for(actor).filter(project=project, archived_at=None)
    if folder:
        low, high = names.range_below(names.comparing_form(folder))
        files = files.filter(path_key__gte=low, path_key__lt=high)
    else:
        files = files.filter(pk__in=ids)
    busy = filter_by_holder(files, "anyone", actor)
    count = files.order_by().values("pk")[: most + 1].count()
    free = filter_by_holder(files, "free", actor, project=project).order_by().values("pk")[: most + 1].count()
    rows = with_leases(busy).order_by("path_key")[:most]
    return Selection(count, free, [ArtifactWithLease.from_row(row) for row in rows])


def _first_segment(key: str, start: int) -> str:
    """Return SQL for `key` up to the first slash after its first `start` characters, or all of it if there is none."""
    rest = f"substr({key}, {start + 1})"
    slash = f"strpos({rest}, '/')" if connection.vendor == "postgresql" else f"instr({rest}, '/')"
    return f"(CASE WHEN {slash} = 0 THEN {key} ELSE substr({key}, 1, {start} + {slash} - 1) END)"
