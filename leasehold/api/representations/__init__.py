"""Rows as plain dicts, as the API sends them.

accounts.py    accounts and tokens
projects.py    projects and members
ledger.py      tickets, sessions, checkpoints and failures
leases.py      leases
journal.py     journal entries
"""
