"""*Reconcile now*, which several lists offer."""

from leasehold.actions.reconcile import reconcile
from leasehold.actors import APPROVE, BREAK, DECIDE
from leasehold.admin.actions import Act, Asked, Said, holders_of


def reconcile_now(asked: Asked) -> Said:
    done = reconcile()
    return Said(f"{len(done.expired)} sessions expired and {len(done.lapsed)} lapsed leases were written down.")


RECONCILE = Act(
    name="reconcile", label="Reconcile now…", of_list=True, may=holders_of(APPROVE, DECIDE, BREAK), run=reconcile_now,
    will="What time alone has decided is written down: sessions past their lease are expired and their tickets "
    "blocked, and lapsed leases are freed. Nothing that is still live is touched.",
)  # fmt: skip
