"""`transactional`: run a function in one durable transaction, and again after an error that may not recur."""

import re
from collections.abc import Callable
from functools import wraps
from traceback import clear_frames
from typing import ParamSpec, TypeVar

from django.db import IntegrityError, OperationalError, connection, transaction

from leasehold.exceptions import TryAgain

P = ParamSpec("P")
R = TypeVar("R")

TRIES = 4  # the first, and at most three more
DEADLOCK, SERIALISATION, LOCK_TIMEOUT, UNIQUE_VIOLATION = "40P01", "40001", "55P03", "23505"


def transactional(verb: Callable[P, R]) -> Callable[P, R]:
    """Decorate `verb` to run in one durable transaction, again after a deadlock, a locked database or a lost insert.

    A violated unique constraint means that another transaction inserted the row first. The second run sees that row and
    refuses with its facts, so the refusal is written only once, in the verb. Raises `TryAgain` after the last try, and
    at once when a lock was not granted within its time limit.
    """

    @wraps(verb)
    def run(*args: P.args, **kwargs: P.kwargs) -> R:
        for tries_left in reversed(range(TRIES)):
            try:
                with transaction.atomic(durable=True):
                    return verb(*args, **kwargs)
            except IntegrityError as error:
                if not tries_left or violated_constraint(error) is None:
                    raise
            except OperationalError as error:
                if not is_transient(error):
                    raise
                release_cursors(error)
                if not tries_left or sqlstate(error) == LOCK_TIMEOUT:
                    raise TryAgain from error
        raise AssertionError("unreachable")

    return run


def release_cursors(error: BaseException | None) -> None:
    """Clear the frames of an error's traceback in this thread, so that the cursors in them are closed here.

    Django's errors refer to themselves, so the garbage collector frees their frames, and it may run in another thread.
    That thread would have to wait for this connection to close a cursor. If it holds SQLite's one write lock, for which
    this connection waits, both would wait until a timeout.
    """
    while error is not None:
        clear_frames(error.__traceback__)
        error = error.__cause__


def violated_constraint(error: IntegrityError) -> str | None:
    """Return the violated unique constraint's name, on SQLite its columns; None for any other integrity error."""
    if diagnosis := getattr(error.__cause__, "diag", None):
        return diagnosis.constraint_name if diagnosis.sqlstate == UNIQUE_VIOLATION else None
    columns = re.search(r"UNIQUE constraint failed: (.+)", str(error))
    return columns[1] if columns else None


def is_transient(error: OperationalError) -> bool:
    """Return whether the same transaction could succeed if it ran again."""
    if connection.vendor == "sqlite":
        return "database is locked" in str(error) or "database table is locked" in str(error)
    return sqlstate(error) in (DEADLOCK, SERIALISATION, LOCK_TIMEOUT)


def sqlstate(error: OperationalError) -> str:
    """Return PostgreSQL's code of an error; empty on SQLite."""
    return getattr(error.__cause__, "sqlstate", None) or ""
