"""Acquire, renew, release and break role passes on the lease table, across processes and machines.

For a dispatcher, `leasehold.passes.lease_table` wraps these actions into the protocol of `leasehold.passes`.

A pass's token contains resource, holder and fence, and whoever has it may renew and release the pass. It is signed, and
the holder contains a random UUID, so it can be neither forged nor guessed.
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
from leasehold.pass_names import PREFIX, demand_names, pass_id_of, pass_resource, role_and_context
from leasehold.selectors import held_passes

SALT = "leasehold.pass"


@dataclass(frozen=True, slots=True)
class Pass:
    """A pass by its lease, live or lapsed."""

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
        """The signed text of resource, holder and fence."""
        return signing.dumps([self.lease.resource, self.lease.holder, self.lease.fence], salt=SALT)

    def as_facts(self) -> dict[str, Any]:
        """The pass as the API and the commands show it."""
        return {
            "role": self.role,
            "context": self.context,
            "pass_id": self.pass_id,
            "participant": self.lease.participant,
            "resource": self.lease.resource,
            "fence": self.lease.fence,
            "acquired_at": clock.as_iso(self.lease.acquired_at),
            "expires_at": clock.as_iso(self.lease.expires_at),
            "expires_in": self.lease.expires_in,
            "is_lapsed": self.lease.is_lapsed,
        }


@action
def acquire_pass(*, actor: Actor, role: str, context: str, pass_id: str, ttl: int) -> Pass:
    """Acquire the lock of (role, context) for `ttl` seconds; 0 means until its release.

    For any account whose token may write. Raises `RoleContextBusy` with the facts of a live holder, also if it has the
    same pass_id.
    """
    actor.demand_writing()
    demand_names(role=role, context=context, pass_id=pass_id)
    ttl = leases.checked_ttl(ttl, least=0)
    resource = pass_resource(role, context)
    if held := leases.read([resource]):
        raise busy_refusal(held[0])
    try:
        lease = leases.acquire_one(
            resource, holder=f"pass:{uuid.uuid4()}:{pass_id}", participant=actor.participant, ttl=ttl, purpose=role
        )
    except Busy as lost:
        # The winner may have released since; then the refusal names nobody, and the caller may try again at once.
        raise busy_refusal(next(iter(lost.leases), None), role, context) from lost
    write_pass_entry("pass_acquired", actor, lease, lease.acquired_at)
    return Pass(lease)


@action
def renew_pass(*, actor: Actor, token: str, ttl: int) -> Pass:
    """Renew a pass for `ttl` seconds from now. Raises `LeaseLost` if the pass does not hold its lock any more."""
    actor.demand_writing()
    ttl = leases.checked_ttl(ttl, least=0)
    resource, holder, fence = read_token(token)
    if (lease := leases.renew(resource, holder=holder, fence=fence, ttl=ttl)) is None:
        raise LeaseLost("This pass does not hold its lock any more.", lease=next(iter(leases.read([resource])), None))
    return Pass(lease)


@action
def release_pass(*, actor: Actor, token: str) -> bool:
    """Release a pass and return whether it held its lock. A stale or unreadable token changes nothing."""
    actor.demand_writing()
    try:
        resource, holder, fence = read_token(token)
    except Invalid:
        return False  # perhaps signed with a former SECRET_KEY, which makes it stale too
    if not leases.release(resource, holder=holder, fence=fence):
        return False
    journal.write("pass_released", at=clock.now(), actor=actor, subject=resource, holder=holder)
    return True


@action
def break_pass(*, actor: Actor, resource: str, reason: str) -> HeldLease | None:
    """End somebody's pass and return its lease; None if nobody held it. Only for staff."""
    reason = names.checked_text(reason, "reason", 500, needed=True)
    demand_staff(actor)
    if not resource.startswith(PREFIX):
        raise Invalid.of("resource", "Not the resource of a pass.")
    if not leases.read([resource]):
        return None
    row = leases.lock_one(resource)
    at = clock.now()
    broken = leases.live_lease(row, at)
    if broken is None:
        return None
    leases.release(resource, holder=broken.holder)
    write_pass_entry("pass_broken", actor, broken, at, holder=broken.participant, reason=reason)
    return broken


@action
def expire_passes(*, actor: Actor | None, at: datetime | None = None) -> int:
    """Free the passes that expire at or before `at` (by default now) and return their number.

    Passes without an expiry stay. Only for staff and for the command line (actor None).
    """
    if actor:
        demand_staff(actor)
    limit = at or clock.now()
    due = held_passes().filter(expires_at__lte=limit).order_by("resource")
    resources = list(due.values_list("resource", flat=True))
    leases.lock(resources)
    # Read again under the locks: a pass that was renewed or acquired in between is not due any more.
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
    """Return the pass_id of the live holder, or None. For monitoring only: it may be outdated when you read it."""
    demand_names(role=role, context=context)
    held = leases.read([pass_resource(role, context)])
    return pass_id_of(held[0].holder) if held else None


def busy_refusal(lease: HeldLease | None, role: str = "", context: str = "") -> RoleContextBusy:
    """Make the refusal that names the holder of `lease`; without a lease, it names only role and context."""
    if lease is None:
        return RoleContextBusy("The pass that held this has just ended; try again.", role=role, context=context)
    role, context = role_and_context(lease.resource)
    return RoleContextBusy(pass_id=pass_id_of(lease.holder), role=role, context=context, acquired_at=lease.acquired_at)


def read_token(token: object) -> tuple[str, str, int]:
    """Return resource, holder and fence of a signed token. Raises `Invalid` on `token`."""
    try:
        resource, holder, fence = signing.loads(token if isinstance(token, str) else "", salt=SALT)
    except (signing.BadSignature, ValueError):
        raise Invalid.of("token", "Not a token of a pass.") from None
    return resource, holder, fence


def demand_staff(actor: Actor) -> None:
    """Raise `Forbidden` unless the actor is staff with the scope `admin`: a weaker token must not end others' work."""
    is_staff = actor.user.is_staff or actor.user.is_superuser
    if not is_staff or actor.user.is_agent or actor.scope != Scope.ADMIN:
        raise Forbidden("Only staff may do this.")


def write_pass_entry(kind: str, actor: Actor, lease: HeldLease, at: datetime, **data: Any) -> None:
    """Append a journal entry about a pass."""
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
