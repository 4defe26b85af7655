"""The REST door to files: each view parses, acts and renders.

artifacts.py        files: uploads, downloads, rename, archive
versions.py         their versions, restore
checkouts.py        check out, one or many, extend, discard, break, take over, hand over
check_ins.py        check in
edits.py            an agent's short lease: open, put, give up
proposals.py        what could not be committed, and what is decided on it
zips.py             several files as one zip
preconditions.py    If-Match, and what an upload's fields may be
representations.py  how things look on the wire
shapes.py           how the schema describes that, and what JSON bodies hold
statuses.py         which refusal is answered how
"""
