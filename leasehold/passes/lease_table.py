"""The `RoleContextLocks` protocol on the lease table, for a dispatcher that runs beside the database."""

from datetime import datetime

from leasehold.actions.passes import Pass, acquire_pass, expire_passes, inspect_holder, release_pass, renew_pass
from leasehold.actors import Actor
from leasehold.exceptions import LeaseLost
from leasehold.passes.protocol import ReleasedAtExit


class LeaseRoleContextLocks:
    """The `RoleContextLocks` protocol on the lease table, for one actor."""

    def __init__(self, actor: Actor) -> None:
        self.actor = actor

    def try_acquire(self, role: str, context: str, pass_id: str, ttl: int = 0) -> "LeasePassToken":
        granted = acquire_pass(actor=self.actor, role=role, context=context, pass_id=pass_id, ttl=ttl)
        return LeasePassToken(self.actor, granted)

    def inspect_holder(self, role: str, context: str) -> str | None:
        """See `RoleContextLocks.inspect_holder`."""
        return inspect_holder(role, context)

    def expire_older_than(self, at: datetime) -> int:
        return expire_passes(actor=self.actor, at=at)


class LeasePassToken(ReleasedAtExit):
    """A `PassToken` of `LeaseRoleContextLocks`."""

    def __init__(self, actor: Actor, granted: Pass) -> None:
        self._actor, self._pass = actor, granted
        self.role, self.context, self.pass_id = granted.role, granted.context, granted.pass_id
        self.fence = granted.lease.fence

    @property
    def acquired_at(self) -> datetime:
        return self._pass.lease.acquired_at

    @property
    def expires_at(self) -> datetime | None:
        return self._pass.lease.expires_at

    def renew(self, ttl: int) -> bool:
        try:
            self._pass = renew_pass(actor=self._actor, token=self._pass.token, ttl=ttl)
        except LeaseLost:
            return False
        return True

    def release(self) -> None:
        release_pass(actor=self._actor, token=self._pass.token)
