"""The rows of a new version, and moving the head. The actions call this behind the artifact's lock."""

from datetime import datetime

from checkouts.bytes.storage import Received
from checkouts.models import Artifact, Blob, Version
from leasehold.actors import Actor


def add_version(
    artifact: Artifact,
    *,
    upload: Received,
    number: int,
    author: Actor,
    comment: str,
    at: datetime,
    session_id: int | None,
    provenance: dict[str, object],
) -> Version:
    """Create the rows of a version whose bytes are durable already. The caller moves the head."""
    return Version.objects.create(
        artifact=artifact,
        number=number,
        blob=create_blob(upload, at=at),
        digest=upload.digest,
        size=upload.size,
        author=author.user,
        comment=comment,
        session_id=session_id,
        provenance=provenance,
        created_at=at,
    )


def create_blob(upload: Received, *, at: datetime) -> Blob:
    """Create the row that keeps stored bytes. Bytes without a row are swept after a day."""
    return Blob.objects.create(key=upload.key, digest=upload.digest, size=upload.size, created_at=at)


def advance_head(artifact: Artifact, *, base: Version | None, head: Version) -> None:
    """Move the head from `base`, under the artifact's lock. The condition in the update decides.

    RuntimeError if the head is not `base`: then somebody wrote past the lock.
    """
    at, size = head.created_at, head.size
    if Artifact.objects.filter(pk=artifact.pk, head=base).update(head=head, head_size=size, changed_at=at) != 1:
        raise RuntimeError(f"the head of {artifact.resource} moved under its lock")
    artifact.head, artifact.head_size, artifact.changed_at = head, size, at
