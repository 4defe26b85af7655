"""The verbs on files, each one transaction (`leasehold.actions.action`).

Every verb locks in one order: gate, project (only where a path is claimed), lease row, check-out or edit, artifact,
proposal, journal. Actions do not call each other. They share the engine of attempts (`checkouts.attempts`), the engine
of leases, and the plain function `artifacts.claim_path`. What calls several actions stands above them: `programs/` and
`trees.py`.

    artifacts.py    add a file
    check_out.py    check out one file, or many
    check_in.py     check in
    edits.py        an agent's short lease: open, put, discard
    holds.py        extend, discard, hand over
    breaks.py       break, take over
    moves.py        rename, archive, unarchive
    restore.py      restore an old version
    policies.py     set the write policy of a file
    proposals.py    accept, reject, withdraw, rebuild
"""
