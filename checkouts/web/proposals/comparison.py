"""The columns of a proposal's page: the base version, the newest version and the proposal."""

from dataclasses import dataclass
from datetime import datetime

from django.urls import reverse

from checkouts.models import Blob, Proposal, Version
from checkouts.previews import images
from checkouts.selectors import versions_of
from leasehold.models import User


@dataclass(frozen=True, slots=True)
class ComparisonColumn:
    """One column. `role`: the stylesheet's. `icon`: the icon. `base`: the blob that this one is compared with."""

    heading: str
    tag: str
    role: str
    icon: str
    blob: Blob
    author: User
    at: datetime
    comment: str
    download: str
    preview: str
    base: Blob | None = None

    @property
    def is_changed(self) -> bool:
        return self.base is not None and self.base.digest != self.blob.digest

    @property
    def growth(self) -> int:
        """Return how many bytes this one has more than the base."""
        return self.blob.size - self.base.size if self.base else 0


def comparison_of(proposal: Proposal) -> list[ComparisonColumn]:
    """Return the base, the newest version if it is another one, and the proposal."""
    numbers = {proposal.provenance.get("base_version"), proposal.artifact.head.number}
    found = {version.number: version for version in versions_of(proposal.artifact).filter(number__in=numbers - {None})}
    head = found[proposal.artifact.head.number]
    base = found.get(proposal.provenance.get("base_version", 0), head)
    columns = [_version_column(proposal, base, tag=f"Base, where {proposal.author.username} began")]
    if base.pk != head.pk:
        columns.append(_version_column(proposal, head, tag="Newest", role="is-free", icon="done", base=base.blob))
    is_open = proposal.state == Proposal.State.OPEN
    has_preview = images.may_have_preview(proposal.artifact.name)
    columns.append(
        ComparisonColumn(
            heading=f"Proposal {proposal.pk}",
            tag=f"Would be version {head.number + 1}" if is_open else proposal.get_state_display(),
            role="is-proposal",
            icon="proposal",
            blob=proposal.blob,
            author=proposal.author,
            at=proposal.created_at,
            comment=proposal.comment,
            download=reverse("proposal-content", args=[proposal.pk]),
            preview=reverse("proposal-preview", args=[proposal.pk]) if has_preview else "",
            base=base.blob,
        )
    )
    return columns


def _version_column(
    proposal: Proposal, version: Version, *, tag: str, role: str = "", icon: str = "", base: Blob | None = None
) -> ComparisonColumn:
    args = [proposal.artifact_id, version.number]
    return ComparisonColumn(
        heading=f"Version {version.number}",
        tag=tag,
        role=role,
        icon=icon,
        blob=version.blob,
        author=version.author,
        at=version.created_at,
        comment=version.comment,
        download=reverse("version-content", args=args),
        preview=reverse("version-preview", args=args) if images.may_have_preview(proposal.artifact.name) else "",
        base=base,
    )
