"""This floor's answers to the questions of `leasehold.ports`, and its kinds of journal entries."""

from leasehold import journal

KINDS = {
    "artifact_added": "A new file was added.",
    "artifact_archived": "A file was archived; its path is free.",
    "artifact_renamed": "A file was renamed or moved.",
    "artifact_unarchived": "A file came back from the archive.",
    "checkout_broken": "An operator ended somebody's check-out.",
    "checkout_discarded": "A check-out ended without a check-in.",
    "checkout_extended": "A check-out's lease was extended.",
    "checkout_handed_over": "A check-out passed to somebody else.",
    "checkout_opened": "A file was checked out.",
    "checkout_taken_over": "An operator took over what somebody held.",
    "proposal_kept": "Bytes that could not be committed were kept as a proposal.",
    "version_committed": "A file was checked in as a new version.",
    "version_restored": "An old version was restored as a new one.",
    "version_unchanged": "A file was checked in as it was.",
}


def register() -> None:
    journal.KINDS.update(KINDS)
