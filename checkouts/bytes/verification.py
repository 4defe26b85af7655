"""Every stored byte is read back and compared with what its row says."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field

from checkouts.bytes.storage import PIECE, open_blob
from checkouts.bytes.sweep import without_rows
from checkouts.models import Blob, Proposal, Version
from leasehold.database import clock

SETTLED = 3600  # seconds; what is younger and has no row may be an upload that is about to get one


@dataclass(slots=True)
class Fault:
    """A blob that is missing or damaged, and whose bytes it is: `art/heroes/hero.psd version 3`, or a proposal."""

    key: str
    what: str
    used_by: list[str]


@dataclass(slots=True)
class Verified:
    blobs: int = 0
    size: int = 0  # bytes read
    missing: list[Fault] = field(default_factory=list)
    damaged: list[Fault] = field(default_factory=list)
    orphaned: list[str] = field(default_factory=list)  # harmless: `collect` sweeps them after a day

    @property
    def is_whole(self) -> bool:
        return not self.missing and not self.damaged


def verify(step: Callable[[int], None] = lambda _size: None) -> Verified:
    """Read it all. `step` is told the size of each blob once it is read."""
    found = Verified()
    for blob in Blob.objects.order_by("pk").iterator(chunk_size=500):
        found.blobs += 1
        found.size += blob.size
        try:
            fault = fault_of(blob)
        except OSError as error:
            is_missing = isinstance(error, FileNotFoundError)
            what = "missing" if is_missing else f"cannot be read: {error.strerror}"
            (found.missing if is_missing else found.damaged).append(Fault(str(blob.key), what, users_of(blob)))
        else:
            if fault:
                found.damaged.append(Fault(str(blob.key), fault, users_of(blob)))
        step(blob.size)
    found.orphaned = sorted(str(key) for key in without_rows(clock.now().timestamp() - SETTLED))
    return found


def fault_of(blob: Blob) -> str:
    sha, size = hashlib.sha256(), 0
    with open_blob(blob.key) as file:
        while piece := file.read(PIECE):
            sha.update(piece)
            size += len(piece)
    if size != blob.size:
        return f"{size} bytes in place of {blob.size}"
    digest = f"sha256:{sha.hexdigest()}"
    return "" if digest == blob.digest else f"{digest} in place of {blob.digest}"


def users_of(blob: Blob) -> list[str]:
    """Whose bytes these are, in words for people."""
    versions = Version.objects.filter(blob=blob).select_related("artifact__project").order_by("pk")
    proposals = Proposal.objects.filter(blob=blob).select_related("artifact__project").order_by("pk")
    return [
        *(f"{one.artifact.project.slug}/{one.artifact.path} version {one.number}" for one in versions),
        *(f"proposal {one.pk} of {one.artifact.project.slug}/{one.artifact.path}" for one in proposals),
    ]
