"""The fields of API requests, which validate bodies, and of responses, which only document them.

accounts.py    the caller's account, and tokens
projects.py    projects and members
ledger.py      tickets, sessions, checkpoints and failures
leases.py      leases
passes.py      role passes
journal.py     journal entries
"""
