"""Breaking a lease by its resource's name, whatever kind of thing that is."""

from leasehold import ports
from leasehold.actions.passes import break_pass
from leasehold.actors import Actor
from leasehold.exceptions import NotFound, WrongState
from leasehold.leases import HeldLease
from leasehold.pass_names import PREFIX
from leasehold.scopes.reservations import SCOPE


def break_lease(*, actor: Actor, resource: str, reason: str) -> HeldLease | None:
    """End whatever holds `resource`, with a reason; answers the lease that was ended, none if nobody held it.

    Passes are staff's to break, and what the floor above has under lease its operators'. A reservation is not broken:
    it ends by a decision on its ticket (`WrongState`). Each kind has an action of its own; this only finds it.
    """
    if resource.startswith(SCOPE):
        raise WrongState(
            "A reservation ends by a decision on its ticket.",
            state="reserved",
            allowed=["accept", "send_back", "cancel"],
        )
    if resource.startswith(PREFIX):
        return break_pass(actor=actor, resource=resource, reason=reason)
    if (break_it := ports.breakers.get(resource.partition(":")[0])) is None:
        raise NotFound
    return break_it(actor, resource, reason)
