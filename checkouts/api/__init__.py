"""The upper floor's part of the REST API: one module of endpoints for each noun.

urls.py               the addresses below `/api/v1/`
artifacts.py          files: list, add, read, download, rename, archive
versions.py           a file's versions, and restoring one
checkouts.py          check-outs: open one or many, extend, discard, break, take over, hand over
check_ins.py          check in
edits.py              an agent's short lease: open, put, discard
proposals.py          proposals, and the decisions on them
zips.py               several files as one zip
content.py            what the endpoints that send bytes share
preconditions.py      If-Match, and the fields beside an upload
serializers/          the fields of requests and responses
representations/      rows as JSON
"""
