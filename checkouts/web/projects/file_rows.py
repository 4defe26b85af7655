"""A file as a row of a project's list."""

from dataclasses import dataclass

from django.urls import reverse

from checkouts.models import Artifact
from checkouts.previews.images import may_have_preview
from checkouts.selectors import ArtifactWithLease
from checkouts.web.holds import hold_for
from checkouts.web.rights import may_edit
from leasehold.actors import Actor
from leasehold.leases import HeldLease
from leasehold.web.holds import Hold


@dataclass(frozen=True, slots=True)
class FileRow:
    """A file in a list. `folder`: the part of its path between the listed folder and its name."""

    artifact: Artifact
    folder: str
    hold: Hold | None
    may_edit: bool

    @classmethod
    def of(
        cls, actor: Actor, file: ArtifactWithLease, *, below: str = "", reserved: HeldLease | None = None
    ) -> "FileRow":
        """`below`: the listed folder. `reserved`: from `reservations_over`; it counts while nobody holds the file."""
        inner = file.artifact.path[len(below) + 1 :] if below else file.artifact.path
        hold = hold_for(actor, file.live_lease or reserved or file.lease)
        return cls(file.artifact, inner[: -len(file.artifact.name)], hold, may_edit(actor, file))

    @property
    def thumbnail(self) -> str:
        """Return the URL of the newest version's thumbnail, or an empty string if its type has none.

        The URL contains the digest, so that browsers may cache it for good: after a restore of the database, an old
        version number may be given again.
        """
        if not may_have_preview(self.artifact.name):
            return ""
        digest = self.artifact.head.digest.partition(":")[2]
        return f"{reverse('thumbnail', args=[self.artifact.pk, self.artifact.head.number])}?{digest[:12]}"

    @property
    def state(self) -> str:
        """Return what the row's one button says: `mine`, `held`, `reserved`, `free`, `lapsed` or `archived`."""
        if self.artifact.archived_at:
            return "archived"
        if self.hold is None:
            return "free"
        if self.hold.is_reservation:
            return "reserved"
        if self.hold.is_mine:
            return "mine"
        return "lapsed" if self.hold.is_lapsed else "held"
