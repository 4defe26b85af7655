"""Break a lease by the name of its resource, whatever kind of resource it is."""

from leasehold import ports
from leasehold.actions.passes import break_pass
from leasehold.actors import Actor
from leasehold.exceptions import NotFound, WrongState
from leasehold.leases import HeldLease
from leasehold.pass_names import PREFIX
from leasehold.scopes.reservations import SCOPE


def break_lease(*, actor: Actor, resource: str, reason: str) -> HeldLease | None:
    """End the lease on `resource` and return it; None if nobody held it.

    This only finds the action for the kind of resource. Staff break passes, operators break the leases of the floor
    above. A reservation cannot be broken, since it ends by a decision on its ticket: that raises `WrongState`. Raises
    `NotFound` for an unknown kind.
    """
    if resource.startswith(SCOPE):
        raise WrongState(
            "A reservation ends by a decision on its ticket.",
            state="reserved",
            allowed=["accept", "send_back", "cancel"],
        )
    if resource.startswith(PREFIX):
        return break_pass(actor=actor, resource=resource, reason=reason)
    if (break_it := ports.BREAKERS.get(resource.partition(":")[0])) is None:
        raise NotFound
    return break_it(actor, resource, reason)
