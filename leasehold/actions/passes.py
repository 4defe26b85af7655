"""Role passes on the lease table: across processes and machines; what the API and the board show.

For a dispatcher, `leasehold.passes.lease_table` wraps these verbs into the protocol of `leasehold.passes`.

A token carries resource, holder and fence; whoever has it may renew and give back. Over HTTP it is signed, and its
holder contains a random UUID, so it can be neither forged nor guessed.
"""

import uuid
from dataclasses import dataclass
from datetime import datetime
from itertools import chain
from typing import Any

from django.core import signing

from leasehold import journal, leases, names
from leasehold.actions import action
from leasehold.actions.accounts import COMMAND_LINE
from leasehold.actors import Actor
from leasehold.database import clock
from leasehold.exceptions import Busy, Forbidden, Invalid, LeaseLost, RoleContextBusy
from leasehold.leases import HeldLease
from leasehold.models import Scope
from leasehold.pass_names import PREFIX, demand_names, pass_id_of, resource_of, role_and_context
from leasehold.selectors import held_passes

SALT = "leasehold.pass"


@dataclass(frozen=True, slots=True)
class Pass:
    """A pass as it was granted or renewed."""

    lease: HeldLease

    @property
    def role(self) -> str:
        return role_and_context(self.lease.resource)[0]

    @property
    def context(self) -> str:
        return role_and_context(self.lease.resource)[1]

    @property
    def pass_id(self) -> str:
        return pass_id_of(self.lease.holder)

    @property
    def token(self) -> str:
        """Signed: resource, holder, fence."""
        return signing.dumps([self.lease.resource, self.lease.holder, self.lease.fence], salt=SALT)


@action
def acquire_pass(*, actor: Actor, role: str, context: str, pass_id: str, ttl: int) -> Pass:
    """Take the lock of (role, context) for `ttl` seconds, 0 = until its release.

    By any account whose token may write. Raises `RoleContextBusy` with the live holder's facts, the same pass_id
    included.
    """
    actor.demand_writing()
    demand_names(role=role, context=context, pass_id=pass_id)
    ttl = leases.seconds(ttl, least=0)
    resource = resource_of(role, context)
    if standing := leases.read([resource]):
        raise busy(standing[0])
    try:
        lease = leases.acquire_one(
            resource, holder=f"pass:{uuid.uuid4()}:{pass_id}", participant=actor.participant, ttl=ttl, purpose=role
        )
    except Busy as lost:
        # The winner may have let go since; then nobody is named, and the caller may try again at once.
        raise busy(next(iter(lost.leases), None), role, context) from lost
    tell("pass_acquired", actor, lease, lease.acquired_at)
    return Pass(lease)


@action
def renew_pass(*, actor: Actor, token: str, ttl: int) -> Pass:
    """Go on for `ttl` seconds from now. `LeaseLost`, and nothing changed, if the pass does not hold its lock."""
    actor.demand_writing()
    ttl = leases.seconds(ttl, least=0)
    resource, holder, fence = opened(token)
    if (lease := leases.renew(resource, holder=holder, fence=fence, ttl=ttl)) is None:
        raise LeaseLost("This pass does not hold its lock any more.", lease=next(iter(leases.read([resource])), None))
    return Pass(lease)


@action
def release_pass(*, actor: Actor, token: str) -> bool:
    """Let go, silently: again, or with a stale or an unreadable token, it changes nothing. Did it change anything?"""
    actor.demand_writing()
    try:
        resource, holder, fence = opened(token)
    except Invalid:
        return False  # made with a key of former times, perhaps: as stale as the others
    if not leases.release(resource, holder=holder, fence=fence):
        return False
    journal.write("pass_released", at=clock.now(), actor=actor, subject=resource, holder=holder)
    return True


@action
def break_pass(*, actor: Actor, resource: str, reason: str) -> HeldLease | None:
    """Staff end a pass, with a reason; answers what was ended, none if nobody held it."""
    reason = names.text(reason, "reason", 500, needed=True)
    demand_staff(actor)
    if not resource.startswith(PREFIX):
        raise Invalid.of("resource", "Not the resource of a pass.")
    if not leases.read([resource]):
        return None
    row = leases.lock_one(resource)
    at = clock.now()
    standing = leases.live_lease(row, at)
    if standing is None:
        return None
    leases.release(resource, holder=standing.holder)
    tell("pass_broken", actor, standing, at, holder=standing.participant, reason=reason)
    return standing


@action
def expire_passes(*, actor: Actor | None, at: datetime | None = None) -> int:
    """Free the passes whose expiry is at or before `at` (now by default); those without an expiry are left alone.

    Staff's, or without an actor the command line's.
    """
    if actor:
        demand_staff(actor)
    limit = at or clock.now()
    due = held_passes().filter(expires_at__lte=limit).order_by("resource")
    resources = list(due.values_list("resource", flat=True))
    leases.lock(resources)
    # Read again behind the locks: what was renewed or taken meanwhile is not due any more.
    batches = list(leases.batches(resources))
    expired = list(chain.from_iterable(due.filter(resource__in=batch) for batch in batches))
    for batch in batches:
        leases.free(due.filter(resource__in=batch).order_by())
    at = clock.now()
    journal.write_many(
        [
            {
                "kind": "lease_lapsed",
                "at": at,
                "actor": actor,
                "participant": "" if actor else COMMAND_LINE,
                "subject": lease.resource,
                "holder": lease.holder,
                "held_by": lease.participant,
                "expired_at": lease.expires_at.isoformat(),
            }
            for lease in expired
        ]
    )
    return len(expired)


def inspect_holder(role: str, context: str) -> str | None:
    """The pass_id of the live holder, or none. For monitoring only: by the time you read it, it may be false."""
    demand_names(role=role, context=context)
    standing = leases.read([resource_of(role, context)])
    return pass_id_of(standing[0].holder) if standing else None


def busy(lease: HeldLease | None, role: str = "", context: str = "") -> RoleContextBusy:
    if lease is None:
        return RoleContextBusy("The pass that held this has just ended; try again.", role=role, context=context)
    role, context = role_and_context(lease.resource)
    return RoleContextBusy(pass_id=pass_id_of(lease.holder), role=role, context=context, acquired_at=lease.acquired_at)


def opened(token: object) -> tuple[str, str, int]:
    """What a signed token says, or `Invalid`."""
    try:
        resource, holder, fence = signing.loads(token if isinstance(token, str) else "", salt=SALT)
    except (signing.BadSignature, ValueError):
        raise Invalid.of("token", "Not a token of a pass.") from None
    return resource, holder, fence


def demand_staff(actor: Actor) -> None:
    """People who run the server, with all of their reach: a token that only edits does not end others' work."""
    is_staff = actor.user.is_staff or actor.user.is_superuser
    if not is_staff or actor.user.is_agent or actor.scope != Scope.ADMIN:
        raise Forbidden("Only staff may do this.")


def tell(kind: str, actor: Actor, lease: HeldLease, at: datetime, **data: Any) -> None:
    role, context = role_and_context(lease.resource)
    journal.write(
        kind,
        at=at,
        actor=actor,
        subject=lease.resource,
        role=role,
        context=context,
        pass_id=pass_id_of(lease.holder),
        **data,
    )
