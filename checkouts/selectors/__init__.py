"""The upper floor's queries. Each starts from what the actor may see, so a foreign id is an unknown id.

artifacts.py       files with their leases, and their versions
folders.py         the folders and files of a project, page by page
ordering.py        the orders of a list of files
counts.py          how many files are somewhere, and how many are held
search.py          files by path or name
matches.py         the open check-out that an uploaded file belongs to
checkouts.py       check-outs with their leases
edits.py           agents' edits
proposals.py       proposals, and those that the actor may decide
bases.py           the versions that a proposal's author never saw
queue.py           what waits for an operator
reservations.py    which files other people's tickets reserve
"""

from checkouts.selectors.artifacts import (
    ArtifactWithLease,
    artifact_at,
    artifact_for,
    artifacts_for,
    beginning_with,
    containing,
    filter_by_holder,
    live_leases,
    role_of,
    version_of,
    versions_of,
    with_leases,
)
from checkouts.selectors.checkouts import (
    checkout_for,
    checkout_with_lease,
    checkouts_for,
    in_state,
    lease_of_checkout,
    loose_checkouts,
    open_checkout_of,
    own_lease,
    own_open_checkouts,
    with_own_leases,
)
from checkouts.selectors.edits import edit_for, edit_with_lease, edits_for
from checkouts.selectors.proposals import proposal_for, proposals_for, proposals_to_decide

__all__ = [
    "ArtifactWithLease",
    "artifact_at",
    "artifact_for",
    "artifacts_for",
    "beginning_with",
    "checkout_for",
    "checkout_with_lease",
    "checkouts_for",
    "containing",
    "edit_for",
    "edit_with_lease",
    "edits_for",
    "filter_by_holder",
    "in_state",
    "lease_of_checkout",
    "live_leases",
    "loose_checkouts",
    "open_checkout_of",
    "own_lease",
    "own_open_checkouts",
    "proposal_for",
    "proposals_for",
    "proposals_to_decide",
    "role_of",
    "version_of",
    "versions_of",
    "with_leases",
    "with_own_leases",
]
