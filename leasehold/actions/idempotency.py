"""Store the first response to a request with an `Idempotency-Key`, so that a repeated request is not done twice.

A request claims its key before it does anything. A repetition gets the stored response. While the first request is in
progress, a repetition is refused. After a minute without a response the first one counts as dead, and a repetition may
take over its claim. Only responses with a status below 500 are stored, for a day.
"""

from dataclasses import dataclass

from django.db import connection
from django.db.models import Q

from leasehold.database import clock
from leasehold.database.clock import DatabaseNow
from leasehold.exceptions import IdempotencyMismatch, InProgress
from leasehold.models import Answer, User

DAY = 24 * 3600
DEAD_AFTER = 60  # seconds; a live request needs less: it waits for locks at most four times five seconds
TRIES = 5
TABLE = Answer._meta.db_table


@dataclass(frozen=True, slots=True)
class Claim:
    """The row of a key: claimed by this request if `answer` is None, else with the response that was stored before."""

    pk: int
    answer: Answer | None = None


def claim(*, user: User, key: str, fingerprint: str) -> Claim:
    """Claim a user's key for a request, or return the stored response.

    Raises `IdempotencyMismatch` if the key belongs to another request, `InProgress` if the same request is running.
    """
    for _ in range(TRIES):
        if (pk := _insert_claim(user, key, fingerprint)) is not None:
            return Claim(pk)
        if (found := Answer.objects.filter(user=user, key=key).first()) is None:
            continue  # the other request has just failed and released its claim
        if found.fingerprint != fingerprint:
            raise IdempotencyMismatch
        if found.status is not None:
            return Claim(found.pk, found)
        raise InProgress
    raise InProgress


def store(claim: Claim, *, status: int, headers: dict[str, str], body: str) -> None:
    """Store the response to a claimed request."""
    Answer.objects.filter(pk=claim.pk, status=None).update(status=status, headers=headers, body=body)


def release_claim(claim: Claim) -> None:
    """Delete the claim of a request that failed, so that the same request may be tried again."""
    Answer.objects.filter(pk=claim.pk, status=None).delete()


def count_outdated() -> int:
    """Return how many rows are more than a day old."""
    return Answer.objects.filter(_is_outdated()).count()


def delete_outdated() -> int:
    """Delete the rows that are more than a day old, and return their number."""
    return Answer.objects.filter(_is_outdated()).delete()[0]


def _is_outdated() -> Q:
    return Q(created_at__lte=DatabaseNow(-DAY))


def _insert_claim(user: User, key: str, fingerprint: str) -> int | None:
    """Claim the key by one statement, so that of concurrent requests only one succeeds. Returns the row's id or None.

    It inserts a row, or takes over one that is more than a day old or whose request is dead.
    """
    now, day, dead = (clock.sql(seconds).replace("%", "%%") for seconds in (0, -DAY, -DEAD_AFTER))
    with connection.cursor() as cursor:
        cursor.execute(
            f"""
            INSERT INTO {TABLE} AS answer (user_id, key, fingerprint, headers, body, created_at)
            VALUES (%s, %s, %s, '{{}}', '', {now})
            ON CONFLICT (user_id, key) DO UPDATE SET
                fingerprint = excluded.fingerprint, status = NULL, headers = '{{}}', body = '', created_at = {now}
            WHERE answer.created_at <= {day}
               OR (answer.status IS NULL AND answer.created_at <= {dead} AND answer.fingerprint = excluded.fingerprint)
            RETURNING id
            """,
            [user.pk, key, fingerprint],
        )
        row = cursor.fetchone()
    return row[0] if row else None
