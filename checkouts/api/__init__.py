"""The REST door to files: each view parses, acts and renders.

artifacts.py        files and their versions, uploads, downloads
checkouts.py        check out, extend, discard, break
check_ins.py        check in
proposals.py        what could not be committed
preconditions.py    If-Match, and what an upload's fields may be
representations.py  how things look on the wire
shapes.py           how the schema describes that, and what JSON bodies hold
statuses.py         which refusal is answered how
"""
