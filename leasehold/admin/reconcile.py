"""The action *Reconcile now*, which several lists offer."""

from leasehold.actions.reconcile import reconcile
from leasehold.actors import APPROVE, BREAK, DECIDE
from leasehold.admin.actions import ActionCall, ActionResult, AdminAction, holders_of


def reconcile_now(call: ActionCall) -> ActionResult:
    result = reconcile()
    return ActionResult(
        f"{len(result.expired)} sessions expired and {len(result.lapsed)} lapsed leases were written down."
    )


RECONCILE = AdminAction(
    name="reconcile",
    label="Reconcile now…",
    is_rowless=True,
    may=holders_of(APPROVE, DECIDE, BREAK),
    run=reconcile_now,
    consequences=(
        "What time alone has decided is written down: sessions past their lease are expired and their "
        "tickets blocked, and lapsed leases are freed. Nothing that is still live is touched."
    ),
)
