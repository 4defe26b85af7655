"""The protocols that both implementations of role passes fulfil, and what their tokens share."""

from datetime import datetime
from types import TracebackType
from typing import Protocol, Self


class PassToken(Protocol):
    """The right to run one pass. As a context manager it is released at the end, also after an exception."""

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
        """Renew the lock for `ttl` seconds from now (0 = never expires) and return True.

        Returns False and changes nothing if this pass does not hold the lock any more.
        """

    def release(self) -> None:
        """Release the lock. A second call changes nothing, nor does a call after another pass has the lock."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...


class ReleasedAtExit:
    """The context manager of both tokens: it releases the lock at the end, also after an exception."""

    __slots__ = ()

    def release(self) -> None:
        raise NotImplementedError

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()


class RoleContextLocks(Protocol):
    """The locks of (role, context), as a dispatcher uses them."""

    def try_acquire(self, role: str, context: str, pass_id: str, ttl: int = 0) -> PassToken:
        """Acquire the lock for `ttl` seconds; 0 means until its release.

        Raises `RoleContextBusy` with the facts of a live holder, also if it has the same pass_id: two dispatchers with
        one pass_id must not both run. An expired entry is overwritten. Raises `Invalid` on an empty or invalid field.
        """

    def inspect_holder(self, role: str, context: str) -> str | None:
        """Return the pass_id of the live holder, or None. For monitoring only: it may be outdated when you read it."""

    def expire_older_than(self, at: datetime) -> int:
        """Drop the entries that expire at or before `at` and return their number. Entries with ttl 0 stay."""
