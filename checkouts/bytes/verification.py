"""Verification: every stored blob is read and compared with its row."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field

from checkouts.bytes.storage import PIECE, open_blob
from checkouts.bytes.sweep import without_rows
from checkouts.models import Blob, Proposal, Version
from leasehold.database import clock

SETTLED = 3600  # seconds; a younger blob without a row may belong to an upload in progress


@dataclass(slots=True)
class Fault:
    """A missing or damaged blob. `used_by`: `art/heroes/hero.psd version 3`, or a proposal."""

    key: str
    what: str
    used_by: list[str]


@dataclass(slots=True)
class Verified:
    blobs: int = 0
    size: int = 0  # bytes read
    missing: list[Fault] = field(default_factory=list)
    damaged: list[Fault] = field(default_factory=list)
    orphaned: list[str] = field(default_factory=list)  # remains of uploads, or the database was set back

    @property
    def is_whole(self) -> bool:
        return not self.missing and not self.damaged


def verify(step: Callable[[int], None] = lambda _size: None) -> Verified:
    """Read all blobs. `step` is called with the size of each blob after it is read."""
    found = Verified()
    for blob in Blob.objects.order_by("pk").iterator(chunk_size=500):
        found.blobs += 1
        found.size += blob.size
        try:
            damage = damage_of(blob)
        except OSError as error:
            is_missing = isinstance(error, FileNotFoundError)
            what = "missing" if is_missing else f"cannot be read: {error.strerror}"
            (found.missing if is_missing else found.damaged).append(Fault(str(blob.key), what, users_of(blob)))
        else:
            if damage:
                found.damaged.append(Fault(str(blob.key), damage, users_of(blob)))
        step(blob.size)
    found.orphaned = sorted(str(key) for key in without_rows(clock.now().timestamp() - SETTLED))
    return found


def damage_of(blob: Blob) -> str:
    """Return how the stored bytes differ from the row, or an empty string. Raises OSError."""
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
    """Return the versions and proposals that use the blob, as text for people."""
    versions = Version.objects.filter(blob=blob).select_related("artifact__project").order_by("pk")
    proposals = Proposal.objects.filter(blob=blob).select_related("artifact__project").order_by("pk")
    return [
        *(f"{version.artifact.project.slug}/{version.artifact.path} version {version.number}" for version in versions),
        *(
            f"proposal {proposal.pk} of {proposal.artifact.project.slug}/{proposal.artifact.path}"
            for proposal in proposals
        ),
    ]
