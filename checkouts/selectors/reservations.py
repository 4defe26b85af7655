"""Files that other participants' tickets reserve: as a filter for lists, and as a subquery for one row."""

from django.db import connection
from django.db.models import BigIntegerField, OuterRef, QuerySet, TextField, Value
from django.db.models.expressions import RawSQL
from django.db.models.functions import Concat

from checkouts.models import Artifact
from leasehold import names
from leasehold.actors import Actor
from leasehold.database import clock
from leasehold.models import Lease, Project, Session
from leasehold.scopes.reservations import reservation_leases_over

FILES, LEASES = Artifact._meta.db_table, Lease._meta.db_table
PROJECTS, SESSIONS = Project._meta.db_table, Session._meta.db_table


def reserved_files(actor: Actor, project: Project | None = None) -> RawSQL:
    """Return ids for `pk__in`: files at or below a scope key of a ticket on which the actor is not working.

    In one project, or in all. The query goes from the keys, which are few, to the files by an index.
    `reservation_of_others` decides the same for one file; for 5,000 files and 200 keys it takes more than a second.
    Archived files are never reserved.
    """
    low, high = names.range_below(project.slug) if project else ("", names.LAST)
    end_of_slug = "strpos" if connection.vendor == "postgresql" else "instr"
    now = clock.sql().replace("%", "%%")
    # SQLite keeps the order of a CROSS JOIN; with a plain JOIN it compared every file with every key.
    # The identifiers are our own constants; user input is passed as parameters.
    sql = f"""
        WITH held (project_id, path) AS (
            SELECT project.id, substr(key.place, length(project.slug) + 2)
            FROM {LEASES} key
            JOIN {PROJECTS} project ON project.slug = substr(key.place, 1, {end_of_slug}(key.place || '/', '/') - 1)
            WHERE key.holder <> '' AND key.resource >= 'scope:' AND key.resource < 'scope;'
            AND (key.place = %s OR key.place >= %s AND key.place < %s)
            AND key.holder NOT IN (
                SELECT 'ticket:' || CAST(ticket_id AS text) FROM {SESSIONS}
                WHERE worker_id = %s AND status = 'active' AND lease_until > {now})
        ), spans (project_id, path, low, high) AS (
            SELECT project_id, path,
                CASE path WHEN '' THEN '' ELSE path || '/' END, CASE path WHEN '' THEN %s ELSE path || '0' END
            FROM held
        )
        SELECT file.id FROM spans CROSS JOIN {FILES} file
        WHERE file.project_id = spans.project_id AND file.archived_at IS NULL AND file.path_key = spans.path
        UNION ALL
        SELECT file.id FROM spans CROSS JOIN {FILES} file
        WHERE file.project_id = spans.project_id AND file.archived_at IS NULL
        AND file.path_key >= spans.low AND file.path_key < spans.high
    """  # noqa: S608
    params = (project.slug if project else "", low, high, actor.user.pk, names.LAST)
    return RawSQL(sql, params, output_field=BigIntegerField())  # noqa: S611  # nosec B611


def reservation_of_others(actor: Actor) -> QuerySet[Lease]:
    """Return reservations by tickets on which the actor is not working, for `Exists` and `Subquery` over artifacts."""
    slug = OuterRef("project__slug")
    return reservation_leases_over(
        Concat(slug, Value("/"), OuterRef("path_key"), output_field=TextField()), slug, actor.user
    )
