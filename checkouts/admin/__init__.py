"""The admin of files, built as `leasehold.admin` describes.

artifacts.py    files: check out, take over
checkouts.py    check-outs: check in, discard, break, hand over
edits.py        agents' edits
proposals.py    proposals: accept, reject, rebuild
versions.py     versions, and stored bytes
files.py        the base class for rows that have bytes
"""

from checkouts.admin import artifacts, checkouts, edits, proposals, versions

__all__ = ["artifacts", "checkouts", "edits", "proposals", "versions"]
