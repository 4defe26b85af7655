"""The locks of one process, in memory, for an embedded dispatcher."""

import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime

from leasehold.exceptions import RoleContextBusy
from leasehold.pass_names import MAX_NAME, MAX_TTL, demand_names, demand_ttl
from leasehold.passes.protocol import ReleasedAtExit


class RoleContextLockTable:
    """The locks of one process: a mutex and a dict. `now` returns seconds since the epoch; tests replace it.

    Like the lease table it has one row for each (role, context), never deleted, so that the fence never restarts. A
    token refers to its row, so a release needs no look-up.
    """

    def __init__(self, now: Callable[[], float] = time.time) -> None:
        self._now = now
        self._mutex = threading.Lock()
        self._rows: dict[tuple[str, str], _Row] = {}

    def try_acquire(self, role: str, context: str, pass_id: str, ttl: int = 0) -> "MemoryPassToken":
        """See `RoleContextLocks.try_acquire`. The usual checks are inlined for speed (`bench/passes.py`)."""
        if ttl.__class__ is not int or not 0 <= ttl <= MAX_TTL:
            demand_ttl(ttl)
        is_short_text = pass_id.__class__ is str and len(pass_id) <= MAX_NAME
        # Printable ASCII that does not begin with a space is valid; anything else gets the full check.
        if not (is_short_text and pass_id >= "!" and pass_id.isascii() and pass_id.isprintable()):  # noqa: S105
            demand_names(role=role, context=context, pass_id=pass_id)
        row = self._rows.get((role, context)) or self._new_row(role, context)
        with self._mutex:
            at = self._now()
            holder = row.holder
            if holder is not None and ((until := holder._until) is None or until > at):
                raise RoleContextBusy(
                    pass_id=holder.pass_id, role=role, context=context, acquired_at=holder.acquired_at
                )
            row.fence = fence = row.fence + 1
            row.holder = token = MemoryPassToken(row, pass_id, fence, at, at + ttl if ttl else None)
            return token

    def inspect_holder(self, role: str, context: str) -> str | None:
        """See `RoleContextLocks.inspect_holder`."""
        demand_names(role=role, context=context)
        with self._mutex:
            row = self._rows.get((role, context))
            holder = row.holder if row else None
            is_live = holder is not None and (holder._until is None or holder._until > self._now())
            return holder.pass_id if holder is not None and is_live else None

    def expire_older_than(self, at: datetime) -> int:
        """See `RoleContextLocks.expire_older_than`."""
        with self._mutex:
            held = [(row, row.holder.expires_at) for row in self._rows.values() if row.holder]
            due = [row for row, expires_at in held if expires_at is not None and expires_at <= at]
            for row in due:
                row.holder = None
            return len(due)

    def _new_row(self, role: str, context: str) -> "_Row":
        demand_names(role=role, context=context)
        with self._mutex:
            return self._rows.setdefault((role, context), _Row(self._mutex, self._now, role, context))


class _Row:
    """One (role, context): the token that holds it, if any, and the fence, which counts the holders so far."""

    __slots__ = ("context", "fence", "holder", "mutex", "now", "role")

    def __init__(self, mutex: threading.Lock, now: Callable[[], float], role: str, context: str) -> None:
        self.mutex, self.now, self.role, self.context = mutex, now, role, context
        self.fence = 0
        self.holder: MemoryPassToken | None = None


class MemoryPassToken(ReleasedAtExit):
    """A `PassToken` of `RoleContextLockTable`."""

    __slots__ = ("_at", "_row", "_until", "fence", "pass_id")

    def __init__(self, row: _Row, pass_id: str, fence: int, at: float, until: float | None) -> None:
        self._row = row
        self.pass_id = pass_id
        self.fence = fence
        self._at = at
        self._until = until

    @property
    def role(self) -> str:
        return self._row.role

    @property
    def context(self) -> str:
        return self._row.context

    @property
    def acquired_at(self) -> datetime:
        return datetime.fromtimestamp(self._at, UTC)

    @property
    def expires_at(self) -> datetime | None:
        return None if self._until is None else datetime.fromtimestamp(self._until, UTC)

    def renew(self, ttl: int) -> bool:
        demand_ttl(ttl)
        row = self._row
        with row.mutex:
            if row.holder is not self:
                return False
            self._until = row.now() + ttl if ttl else None
            return True

    def release(self) -> None:
        row = self._row
        with row.mutex:
            if row.holder is self:
                row.holder = None
