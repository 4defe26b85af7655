"""The engine of attempts: check-outs and edits are opened, locked, ended and lost by one code.

An attempt is one try at changing an artifact. It is opened on a version, and it ends as committed, unchanged, proposed
or discarded. Every function runs inside the caller's transaction, in one lock order: gate, lease row, attempt,
artifact, then the clock.

The usual order is: `own_checkout` or `own_edit`, then `lock_attempt`, then `Situation.facts_for` and a verdict of
`checkouts.rules`, then one of the endings.

    openings.py      open an attempt: look, gate, lease, look again, write
    locks.py         find one's own attempt, and lock it
    situations.py    what an attempt is judged by, read once under the locks
    successors.py    `keep`: the check-out that goes on from a check-in
    acquisition.py   acquire an artifact's lease, or raise `ArtifactBusy`
    endings.py       end an attempt: committed, unchanged, proposed, discarded
    losses.py        end its lease against its holder: break, take over, hand over
"""
