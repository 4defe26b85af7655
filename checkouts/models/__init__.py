"""The upper floor's tables. Only `checkouts.actions` writes them, and what it calls: `attempts` and `versions`.

artifact.py    artifacts, versions and blobs
attempt.py     what a check-out and an edit have in common
checkout.py    check-outs
edit.py        agents' edits
proposal.py    proposals
"""

from checkouts.models.artifact import Artifact, Blob, Version
from checkouts.models.attempt import Attempt
from checkouts.models.checkout import Checkout
from checkouts.models.edit import Edit
from checkouts.models.proposal import Proposal

__all__ = ["Artifact", "Attempt", "Blob", "Checkout", "Edit", "Proposal", "Version"]
