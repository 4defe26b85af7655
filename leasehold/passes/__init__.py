"""Role passes for a dispatcher: at most one run of a role on a bounded context at a time.

A dispatcher takes the lock before the first clause of a pass and releases it after the last one, or on any error; one
`pass_id` for the whole pass. Evaluating a clause never takes it. One protocol, two implementations, and one suite of
tests that holds both.

    protocol.py     RoleContextLocks and PassToken: what a dispatcher needs
    memory.py       RoleContextLockTable: in one process's memory, for an embedded dispatcher
    lease_table.py  LeaseRoleContextLocks: on the lease table, across processes and machines

The verbs on the lease table are `leasehold.actions.passes`; `leasehold.pass_names` names a pass there.
"""
