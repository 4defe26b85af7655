"""Role passes: at most one run of a role on a bounded context at a time.

A dispatcher takes the lock before the first clause of a pass and gives it back after the last one, or on any error; one
`pass_id` for the whole pass. Evaluating a clause never takes it. One protocol, two implementations held by one suite of
tests: `RoleContextLockTable` here, in one process's memory, for an embedded dispatcher; and on the lease table,
`leasehold.actions.passes.LeaseRoleContextLocks`, across processes and machines.
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

    role: str
    context: str
    pass_id: str
    fence: int

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
    """The locks of one process: a mutex and a dict. `now` gives seconds since the epoch, and tests move it."""

    def __init__(self, now: Callable[[], float] = time.time) -> None:
        self._now = now
        self._mutex = threading.Lock()
        self._held: dict[tuple[str, str], MemoryPassToken] = {}
        self._fences: dict[tuple[str, str], int] = {}

    def try_acquire(self, role: str, context: str, pass_id: str, ttl: int = 0) -> "MemoryPassToken":
        if not (role and context and pass_id):
            demand_names(role=role, context=context, pass_id=pass_id)
        key = (role, context)
        with self._mutex:
            at = self._now()
            holder = self._held.get(key)
            if holder is not None and (holder._until is None or holder._until > at):
                raise RoleContextBusy(
                    pass_id=holder.pass_id, role=role, context=context, acquired_at=holder.acquired_at
                )
            fence = self._fences[key] = self._fences.get(key, 0) + 1
            token = MemoryPassToken(self, role, context, pass_id, fence, at, at + ttl if ttl else None)
            self._held[key] = token
            return token

    def inspect_holder(self, role: str, context: str) -> str | None:
        """The pass_id of the live holder, or none. For monitoring only: by the time you read it, it may be false."""
        with self._mutex:
            holder = self._held.get((role, context))
            is_live = holder is not None and (holder._until is None or holder._until > self._now())
            return holder.pass_id if holder is not None and is_live else None

    def expire_older_than(self, at: datetime) -> int:
        limit = at.timestamp()
        with self._mutex:
            due = [key for key, held in self._held.items() if held._until is not None and held._until <= limit]
            for key in due:
                del self._held[key]
            return len(due)

    def _renew(self, token: "MemoryPassToken", ttl: int) -> bool:
        with self._mutex:
            if self._held.get((token.role, token.context)) is not token:
                return False
            token._until = self._now() + ttl if ttl else None
            return True

    def _release(self, token: "MemoryPassToken") -> None:
        key = (token.role, token.context)
        with self._mutex:
            if self._held.get(key) is token:
                del self._held[key]


class MemoryPassToken:
    """A `PassToken` of `RoleContextLockTable`."""

    __slots__ = ("_at", "_table", "_until", "context", "fence", "pass_id", "role")

    def __init__(
        self,
        table: RoleContextLockTable,
        role: str,
        context: str,
        pass_id: str,
        fence: int,
        at: float,
        until: float | None,
    ) -> None:
        self._table, self._at, self._until = table, at, until
        self.role, self.context, self.pass_id, self.fence = role, context, pass_id, fence

    @property
    def acquired_at(self) -> datetime:
        return datetime.fromtimestamp(self._at, UTC)

    @property
    def expires_at(self) -> datetime | None:
        return None if self._until is None else datetime.fromtimestamp(self._until, UTC)

    def renew(self, ttl: int) -> bool:
        return self._table._renew(self, ttl)

    def release(self) -> None:
        self._table._release(self)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()
