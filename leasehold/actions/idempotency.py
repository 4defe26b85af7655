"""The first answers to requests with an `Idempotency-Key`: the same request again is answered, and not done again.

A request claims its key before it acts. While it is under way, the same one is told to wait; what has answered nothing
within a minute has died, and the next may act. Only answers below 500 are kept, for a day.
"""

from dataclasses import dataclass

from django.db import connection
from django.db.models import Q

from leasehold.database import clock
from leasehold.database.clock import DatabaseNow
from leasehold.exceptions import IdempotencyMismatch, InProgress
from leasehold.models import Answer, User

DAY = 24 * 3600
DEAD_AFTER = 60  # seconds; a request waits at most four times five for its locks
TRIES = 5
TABLE = Answer._meta.db_table


@dataclass(frozen=True, slots=True)
class Claim:
    """Either the row that this request has claimed (`answer` is none), or the answer that was given before."""

    pk: int
    answer: Answer | None = None


def claim(*, user: User, key: str, fingerprint: str) -> Claim:
    """Raises `IdempotencyMismatch` if the key belongs to another request, `InProgress` if the same one is under way."""
    for _ in range(TRIES):
        if (pk := _claimed(user, key, fingerprint)) is not None:
            return Claim(pk)
        if (found := Answer.objects.filter(user=user, key=key).first()) is None:
            continue  # the other has failed just now and given the key back
        if found.fingerprint != fingerprint:
            raise IdempotencyMismatch
        if found.status is not None:
            return Claim(found.pk, found)
        raise InProgress
    raise InProgress


def keep(claim: Claim, *, status: int, headers: dict[str, str], body: str) -> None:
    Answer.objects.filter(pk=claim.pk, status=None).update(status=status, headers=headers, body=body)


def give_back(claim: Claim) -> None:
    """Nothing came of it: the same request may be tried again."""
    Answer.objects.filter(pk=claim.pk, status=None).delete()


def outdated() -> int:
    """How many are past their day."""
    return Answer.objects.filter(_past_its_day()).count()


def sweep() -> int:
    """Forget those past their day; how many."""
    return Answer.objects.filter(_past_its_day()).delete()[0]


def _past_its_day() -> Q:
    return Q(created_at__lte=DatabaseNow(-DAY))


def _claimed(user: User, key: str, fingerprint: str) -> int | None:
    """One statement decides between requests at one instant: a new row, or one that is past its day or has died."""
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
