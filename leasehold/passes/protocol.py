"""What a dispatcher needs of either implementation of role passes."""

from datetime import datetime
from types import TracebackType
from typing import Protocol, Self


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
