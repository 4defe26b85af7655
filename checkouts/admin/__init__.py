"""The admin of files, and the acts on them; built as `leasehold.admin` says."""

from checkouts.admin import artifacts, checkouts, edits, proposals, versions

__all__ = ["artifacts", "checkouts", "edits", "proposals", "versions"]
