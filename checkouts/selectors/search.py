"""Files by what people call them: a path with or without the project's slug, or a name alone. Archived ones too."""

from collections.abc import Sequence

from django.db import connection
from django.db.models import Q

from checkouts.models import Artifact
from checkouts.selectors import artifacts_for
from leasehold import names
from leasehold.actors import Actor
from leasehold.models import Project

MOST = 50  # of one name; the rest is found by path
TABLE = Artifact._meta.db_table


def files_called(actor: Actor, projects: Sequence[Project], words: str) -> list[int]:
    """Ids, of the files that lie in `projects` and that the actor may see; by index, at most MOST."""
    key = names.comparing(words.replace("\\", "/").strip("/"))
    if not key or not projects:
        return []
    ids = [project.pk for project in projects]
    if "/" not in key:
        return named(ids, key)
    slug, _, below = key.partition("/")
    found = at(key, project__in=ids)
    found |= at(below, project__in=[project.pk for project in projects if project.slug == slug])
    return list(artifacts_for(actor).filter(found).order_by("pk").values_list("pk", flat=True)[:MOST])


def at(key: str, **where: list[int]) -> Q:
    return Q(folder_key=key.rpartition("/")[0], path_key=key, **where)


def named(projects: list[int], name: str) -> list[int]:
    """The files of this name in any folder: it goes from folder to folder by the index, and looks once into each."""
    marks = ", ".join(["%s"] * len(projects))
    step = f"SELECT min(folder_key) FROM {TABLE} WHERE project_id"  # noqa: S608 - identifiers of ours, values apart
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
