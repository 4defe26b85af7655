"""The engine of attempts: check-outs and edits are opened, locked, ended and lost by one code.

An attempt is one try at changing an artifact. It is opened on a version, and it ends as committed, unchanged, proposed
or discarded. Every function runs inside the caller's transaction, in one lock order: gate, lease row, attempt,
artifact, then the clock.

The usual order is: `own_checkout` or `own_edit`, then `lock_attempt`, then `Situation.facts_for` and a verdict of
`checkouts.rules`, then one of the endings.

    locks.py         find one's own attempt, and lock it; `Situation`: what is true of it under the locks
    openings.py      open an attempt: look, gate, lease, look again, write
    acquisition.py   acquire an artifact's lease, or raise `ArtifactBusy`
    endings.py       end an attempt: committed, unchanged, proposed, discarded
    losses.py        end its lease against its holder: break, take over, hand over
"""

from checkouts.attempts.acquisition import acquire_for_attempt, acquire_for_operation
from checkouts.attempts.endings import Changes, end_committed, end_discarded, end_proposed, end_unchanged
from checkouts.attempts.locks import (
    Situation,
    checkout_behind,
    lock_artifact,
    lock_attempt,
    lock_without_artifact,
    own_checkout,
    own_edit,
    refuse_archived,
    refuse_closed,
)
from checkouts.attempts.losses import how_it_was_lost, lose, lose_short_lease
from checkouts.attempts.openings import draft, open_all, open_attempt, open_behind_lock

__all__ = [
    "Changes",
    "Situation",
    "acquire_for_attempt",
    "acquire_for_operation",
    "checkout_behind",
    "draft",
    "end_committed",
    "end_discarded",
    "end_proposed",
    "end_unchanged",
    "how_it_was_lost",
    "lock_artifact",
    "lock_attempt",
    "lock_without_artifact",
    "lose",
    "lose_short_lease",
    "open_all",
    "open_attempt",
    "open_behind_lock",
    "own_checkout",
    "own_edit",
    "refuse_archived",
    "refuse_closed",
]
