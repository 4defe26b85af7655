"""The ground floor's part of the REST API: one module of endpoints for each noun.

urls.py               the addresses below `/api/v1/`
health.py             `/healthz`, `/readyz`, and 404 for unknown API paths
me.py                 the caller's own account
tokens.py             the caller's tokens
projects.py           projects and their members
tickets.py            tickets
sessions.py           sessions: checkpoint, submit, block, stop
leases.py             live leases, and breaking one
passes.py             role passes
journal.py            journal entries, and their export
base/                 what all endpoints share
serializers/          the fields of requests and responses
representations/      rows as JSON
"""
