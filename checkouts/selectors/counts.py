"""Counts of files, and of held files, in folders and projects.

One statement counts all places. Counting stops at MOST, so a folder of 5,000 files costs as much as one of 100.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db import connection

from checkouts.models import Artifact
from leasehold import names
from leasehold.actors import Actor
from leasehold.database import clock
from leasehold.models import Lease, Project

MOST = 100  # a page then says 99+
FILES, LEASES = Artifact._meta.db_table, Lease._meta.db_table


@dataclass(frozen=True, slots=True)
class Counts:
    """Counts below one place: files, files that others hold, and files that the reader holds; each up to MOST."""

    files: int
    others: int
    mine: int

    @property
    def is_free(self) -> bool:
        return not (self.others or self.mine)


def counts_in(actor: Actor, places: Sequence[tuple[Project, str]]) -> list[Counts]:
    """Return the counts for each (project, folder), in that order. An empty folder means the whole project.

    Archived files do not count.
    """
    if not places:
        return []
    rows = [_bounds(number, project, folder) for number, (project, folder) in enumerate(places)]
    listed = ", ".join(["(%s, %s, %s, %s, %s, %s)"] * len(rows))
    live = f"(expires_at IS NULL OR expires_at > {clock.sql()})".replace("%", "%%")
    held = f"""
        SELECT 1 FROM {LEASES} WHERE holder <> '' AND place >= spot.lease_low AND place < spot.lease_high
        AND substr(resource, 1, 9) = 'artifact:' AND {live}
    """  # noqa: S608
    # The identifiers are our own constants; user input is passed as parameters.
    with connection.cursor() as cursor:
        cursor.execute(
            f"""
            WITH spot (number, project, low, high, lease_low, lease_high) AS (VALUES {listed})
            SELECT number,
                (SELECT count(*) FROM (
                    SELECT 1 FROM {FILES} WHERE project_id = spot.project AND archived_at IS NULL
                    AND path_key >= spot.low AND path_key < spot.high LIMIT {MOST}) AS counted),
                (SELECT count(*) FROM ({held} AND participant <> %s LIMIT {MOST}) AS counted),
                (SELECT count(*) FROM ({held} AND participant = %s LIMIT {MOST}) AS counted)
            FROM spot ORDER BY number
            """,  # noqa: S608
            [*(value for row in rows for value in row), actor.participant, actor.participant],
        )
        return [Counts(*found) for _, *found in cursor.fetchall()]


def _bounds(number: int, project: Project, folder: str) -> tuple[int, int, str, str, str, str]:
    """Return two half-open ranges: of paths in the project, and of places in the namespace of scope keys."""
    key = names.comparing_form(folder)
    low, high = names.range_below(key) if key else ("", names.LAST)
    lease_low, lease_high = names.range_below(f"{project.slug}/{key}" if key else project.slug)
    return number, project.pk, low, high, lease_low, lease_high
