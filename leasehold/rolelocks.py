"""Role passes: at most one run of a role on a bounded context at a time.

A dispatcher takes the lock before the first clause of a pass and gives it back after the last one, or on any error; one
`pass_id` for the whole pass. Evaluating a clause never takes it. One protocol, two implementations held by one suite of
tests: `RoleContextLockTable` here, in one process's memory, for an embedded dispatcher; and on the lease table,
`leasehold.actions.pass_locks.LeaseRoleContextLocks`, across processes and machines.
"""

import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime
from types import TracebackType
from typing import Protocol, Self
from urllib.parse import quote, unquote

from leasehold.exceptions import Invalid, Refusal

PREFIX = "role:"
MAX_TTL = 30 * 24 * 3600  # seconds, as for every lease
MAX_NAME = 200  # bytes of UTF-8 in a role, a context and a pass_id


class RoleContextBusy(Refusal):
    """Another pass of this role runs on this context."""

    code = "role_context_busy"
    facts = ("pass_id", "role", "context", "acquired_at")
    pass_id: str
    role: str
    context: str
    acquired_at: datetime


class PassToken(Protocol):
    """The right to run one pass. As a context manager it is released at the end, however that comes."""

    pass_id: str
    fence: int

    @property
    def role(self) -> str: ...

    @property
    def context(self) -> str: ...

    @property
    def acquired_at(self) -> datetime: ...

    @property
    def expires_at(self) -> datetime | None: ...

    def renew(self, ttl: int) -> bool:
        """Go on for `ttl` seconds from now (0 = for good). False, and nothing changed, if another pass has the lock."""

    def release(self) -> None:
        """Let go, silently: again, or after another pass has the lock, it changes nothing."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...


class RoleContextLocks(Protocol):
    """What a dispatcher needs of either implementation."""

    def try_acquire(self, role: str, context: str, pass_id: str, ttl: int = 0) -> PassToken:
        """Take the lock for `ttl` seconds, 0 = until its release.

        Any live holder refuses, the same pass_id included: two dispatchers with one pass_id must not both run. An entry
        past its expiry is overwritten. Raises `RoleContextBusy` with the holder's facts, and `Invalid` that names an
        empty field.
        """

    def inspect_holder(self, role: str, context: str) -> str | None:
        """The pass_id of the live holder, or none. For monitoring only: by the time you read it, it may be false."""

    def expire_older_than(self, at: datetime) -> int:
        """Drop the entries whose expiry is at or before `at`; how many. Entries with ttl 0 are left alone."""


def demand_ttl(ttl: object) -> None:
    """Raise `Invalid` unless `ttl` is a whole number of seconds, 0…30 days."""
    if isinstance(ttl, bool) or not isinstance(ttl, int):
        raise Invalid.of("ttl", "Expected a whole number of seconds.")
    if not 0 <= ttl <= MAX_TTL:
        raise Invalid.of("ttl", f"Expected 0 to {MAX_TTL} seconds.")


def demand_names(**names: str) -> None:
    """Raise `Invalid` that names the first field that is empty, no text, or too long."""
    for field, value in names.items():
        if not isinstance(value, str) or not value.strip():
            raise Invalid.of(field, "Needed.")
        if "\0" in value or any("\ud800" <= char <= "\udfff" for char in value):
            raise Invalid.of(field, "Contains a character that cannot be stored.")
        if len(value.encode()) > MAX_NAME:
            raise Invalid.of(field, f"Longer than {MAX_NAME} bytes.")


def resource_of(role: str, context: str) -> str:
    """Each part percent-encoded, so that `a/b` + `c` and `a` + `b/c` stay apart."""
    return f"{PREFIX}{quote(role, safe='')}/{quote(context, safe='')}"


def role_and_context(resource: str) -> tuple[str, str]:
    """The two that `resource_of` was given."""
    role, _, context = resource.removeprefix(PREFIX).partition("/")
    return unquote(role), unquote(context)


def pass_id_of(holder: str) -> str:
    """`pass:<uuid>:<pass_id>` → the pass_id."""
    return holder.split(":", 2)[2]


class RoleContextLockTable:
    """The locks of one process: a mutex and a dict. `now` gives seconds since the epoch, and tests move it.

    Like the lease table it has one row for each (role, context), never deleted, so that the fence never restarts. A
    token knows its row, and a release looks nothing up.
    """

    def __init__(self, now: Callable[[], float] = time.time) -> None:
        self._now = now
        self._mutex = threading.Lock()
        self._rows: dict[tuple[str, str], _Row] = {}

    def try_acquire(self, role: str, context: str, pass_id: str, ttl: int = 0) -> "MemoryPassToken":
        """As the protocol says."""
        if ttl.__class__ is not int or not 0 <= ttl <= MAX_TTL:
            demand_ttl(ttl)
        is_short_text = pass_id.__class__ is str and len(pass_id) <= MAX_NAME
        # Plain ASCII that begins with no space needs no longer look than this.
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
        """The pass_id of the live holder, or none. For monitoring only: by the time you read it, it may be false."""
        demand_names(role=role, context=context)
        with self._mutex:
            row = self._rows.get((role, context))
            holder = row.holder if row else None
            is_live = holder is not None and (holder._until is None or holder._until > self._now())
            return holder.pass_id if holder is not None and is_live else None

    def expire_older_than(self, at: datetime) -> int:
        """As the protocol says."""
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
    """One (role, context): the token that holds it, if any, and how many ever did."""

    __slots__ = ("context", "fence", "holder", "mutex", "now", "role")

    def __init__(self, mutex: threading.Lock, now: Callable[[], float], role: str, context: str) -> None:
        self.mutex, self.now, self.role, self.context = mutex, now, role, context
        self.fence = 0
        self.holder: MemoryPassToken | None = None


class MemoryPassToken:
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

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()
