"""Search for files by path, with or without the project's slug, or by name. Archived files are found too."""

from collections.abc import Sequence

from django.db import connection
from django.db.models import Q

from checkouts.models import Artifact
from checkouts.selectors import artifacts_for
from leasehold import names
from leasehold.actors import Actor
from leasehold.models import Project

MOST = 50  # files of one name; search by path for the others
TABLE = Artifact._meta.db_table


def artifact_ids_matching(actor: Actor, projects: Sequence[Project], text: str) -> list[int]:
    """Return the ids of at most MOST matching files in `projects` that the actor may see. Uses an index."""
    key = names.comparing_form(text.replace("\\", "/").strip("/"))
    if not key or not projects:
        return []
    ids = [project.pk for project in projects]
    if "/" not in key:
        return artifact_ids_named(ids, key)
    slug, _, below = key.partition("/")
    condition = is_at(key, project__in=ids)
    condition |= is_at(below, project__in=[project.pk for project in projects if project.slug == slug])
    return list(artifacts_for(actor).filter(condition).order_by("pk").values_list("pk", flat=True)[:MOST])


def is_at(key: str, **where: list[int]) -> Q:
    return Q(folder_key=key.rpartition("/")[0], path_key=key, **where)


def artifact_ids_named(projects: list[int], name: str) -> list[int]:
    """Return the files of this name in any folder. The query walks the index of folders and reads once in each."""
    marks = ", ".join(["%s"] * len(projects))
    step = f"SELECT min(folder_key) FROM {TABLE} WHERE project_id"  # noqa: S608 - our own identifiers; values are parameters
    with connection.cursor() as cursor:
        cursor.execute(
            f"""
            WITH RECURSIVE walk (project, key) AS (
                SELECT id, ({step} = {Project._meta.db_table}.id) FROM {Project._meta.db_table} WHERE id IN ({marks})
                UNION ALL
                SELECT project, ({step} = walk.project AND folder_key > walk.key) FROM walk WHERE walk.key IS NOT NULL
            )
            SELECT file.id FROM walk JOIN {TABLE} AS file
            ON file.project_id = walk.project AND file.folder_key = walk.key
            AND file.path_key = CASE WHEN walk.key = '' THEN %s ELSE walk.key || '/' || %s END
            ORDER BY file.id LIMIT {MOST}
            """,  # noqa: S608
            [*projects, name, name],
        )
        return [pk for (pk,) in cursor.fetchall()]
