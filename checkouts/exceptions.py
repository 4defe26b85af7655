"""The upper floor's refusals: like the ground floor's, each has a stable code and facts as attributes, but no HTTP."""

from leasehold.exceptions import Refusal
from leasehold.leases import HeldLease


class ArtifactBusy(Refusal):
    """Somebody has this file checked out."""

    code = "artifact_busy"
    facts = ("lease", "leases")
    lease: HeldLease | None
    leases: list[HeldLease] | None


class CheckoutClosed(Refusal):
    """This check-out has ended."""

    code = "checkout_closed"
    facts = ("outcome",)


class EditClosed(Refusal):
    """This edit has ended."""

    code = "edit_closed"
    facts = ("outcome",)


class StaleProposal(Refusal):
    """The file has a newer version than the one that this proposal was kept against."""

    code = "stale_proposal"
    facts = ("base", "head")


class StaleBase(Refusal):
    """The file has a newer version than the one that you started from."""

    code = "stale_base"
    facts = ("base", "head")


class PathTaken(Refusal):
    """There is a file at this path already."""

    code = "path_taken"
    facts = ("artifact",)
    artifact: int


class DigestMismatch(Refusal):
    """The bytes that arrived are not the bytes that were announced."""

    code = "digest_mismatch"
    facts = ("expected", "actual")
    expected: str
    actual: str


class TooLarge(Refusal):
    """The file is larger than this server takes.

    limit: bytes.
    """

    code = "too_large"
    facts = ("limit",)
    limit: int


class BytesMissing(Refusal):
    """The stored bytes are missing or damaged. Tell whoever runs this server.

    version: the number of the version that they belong to; None for a proposal's.
    """

    code = "bytes_missing"
    facts = ("version",)
    version: int | None


class StorageUnavailable(Refusal):
    """There is no room to store this. Nothing was kept; try again later."""

    code = "storage_unavailable"
