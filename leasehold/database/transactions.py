"""One verb, one durable transaction: tried again where the same work could succeed."""

import re
from collections.abc import Callable
from functools import wraps
from traceback import clear_frames
from typing import ParamSpec, TypeVar

from django.db import IntegrityError, OperationalError, connection, transaction

from leasehold.exceptions import TryAgain

P = ParamSpec("P")
R = TypeVar("R")

TRIES = 4  # once, and again at most three times
DEADLOCK, SERIALISATION, LOCK_TIMEOUT, UNIQUE_VIOLATION = "40P01", "40001", "55P03", "23505"


def transactional(verb: Callable[P, R]) -> Callable[P, R]:
    """Run `verb` in one durable transaction; run it again after a deadlock, a locked database or a lost insert race.

    A unique constraint that is violated means that somebody else's row came first: judged again, the verb sees that row
    and refuses with its facts. So the refusal is written once, in the verb. Raises `TryAgain` when a lock is not had
    within its time limit.
    """

    @wraps(verb)
    def run(*args: P.args, **kwargs: P.kwargs) -> R:
        for tries_left in reversed(range(TRIES)):
            try:
                with transaction.atomic(durable=True):
                    return verb(*args, **kwargs)
            except IntegrityError as error:
                if not tries_left or violated(error) is None:
                    raise
            except OperationalError as error:
                if not is_transient(error):
                    raise
                let_go_of_cursors(error)
                if not tries_left or sqlstate(error) == LOCK_TIMEOUT:
                    raise TryAgain from error
        raise AssertionError("unreachable")

    return run


def let_go_of_cursors(error: BaseException | None) -> None:
    """Empty the frames that an error has passed through, in the thread whose connection they used.

    Django's errors refer to themselves, so their frames wait for the garbage collector, and it may run in another
    thread. That thread would wait for this connection to close a cursor; while it holds SQLite's one lock and this
    connection waits for just that, both stand still until a timeout.
    """
    while error is not None:
        clear_frames(error.__traceback__)
        error = error.__cause__


def violated(error: IntegrityError) -> str | None:
    """What unique constraint was violated: its name, or on SQLite its columns; none for anything else."""
    if diagnosis := getattr(error.__cause__, "diag", None):
        return diagnosis.constraint_name if diagnosis.sqlstate == UNIQUE_VIOLATION else None
    columns = re.search(r"UNIQUE constraint failed: (.+)", str(error))
    return columns[1] if columns else None


def is_transient(error: OperationalError) -> bool:
    """Could the same work succeed if it were tried again?"""
    if connection.vendor == "sqlite":
        return "database is locked" in str(error) or "database table is locked" in str(error)
    return sqlstate(error) in (DEADLOCK, SERIALISATION, LOCK_TIMEOUT)


def sqlstate(error: OperationalError) -> str:
    return getattr(error.__cause__, "sqlstate", None) or ""
