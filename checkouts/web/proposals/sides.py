"""The states of a file that a decision on a proposal compares: where its author began, the newest, and the proposal."""

from dataclasses import dataclass
from datetime import datetime

from django.urls import reverse

from checkouts.models import Blob, Proposal, Version
from checkouts.previews import images
from checkouts.selectors import versions_of
from leasehold.models import User


@dataclass(frozen=True, slots=True)
class Side:
    """One of the states that are compared. `than`: the base, whose facts this one's are held against."""

    heading: str
    tag: str
    role: str
    drawing: str
    blob: Blob
    author: User
    at: datetime
    comment: str
    download: str
    preview: str
    than: Blob | None = None

    @property
    def is_changed(self) -> bool:
        return self.than is not None and self.than.digest != self.blob.digest

    @property
    def growth(self) -> int:
        """Bytes more than the base has."""
        return self.blob.size - self.than.size if self.than else 0


def sides_of(kept: Proposal) -> list[Side]:
    """Where its author began, what it would go on top of, and what it is. The first two may be one."""
    numbers = {kept.provenance.get("base_version"), kept.artifact.head.number}
    found = {version.number: version for version in versions_of(kept.artifact).filter(number__in=numbers - {None})}
    head = found[kept.artifact.head.number]
    base = found.get(kept.provenance.get("base_version", 0), head)
    first = _version_side(kept, base, f"Base, where {kept.author.username} began")
    sides = [first]
    if base.pk != head.pk:
        sides.append(_version_side(kept, head, "Newest", "is-free", "done", than=base.blob))
    is_open = kept.state == Proposal.State.OPEN
    name = kept.artifact.name
    sides.append(
        Side(
            f"Proposal {kept.pk}",
            f"Would be version {head.number + 1}" if is_open else kept.get_state_display(),
            "is-proposal",
            "proposal",
            kept.blob,
            kept.author,
            kept.created_at,
            kept.comment,
            reverse("proposal-content", args=[kept.pk]),
            reverse("proposal-preview", args=[kept.pk]) if images.may_have(name) else "",
            base.blob,
        )
    )
    return sides


def _version_side(
    kept: Proposal, version: Version, tag: str, role: str = "", drawing: str = "", *, than: Blob | None = None
) -> Side:
    at = [kept.artifact_id, version.number]
    return Side(
        f"Version {version.number}",
        tag,
        role,
        drawing,
        version.blob,
        version.author,
        version.created_at,
        version.comment,
        reverse("version-content", args=at),
        reverse("version-preview", args=at) if images.may_have(kept.artifact.name) else "",
        than,
    )
