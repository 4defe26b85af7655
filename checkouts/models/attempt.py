from datetime import datetime
from typing import Any, ClassVar

from django.db import models
from django.db.models import Q

from checkouts.models.artifact import Artifact, Version
from leasehold.models import User
from leasehold.models.ticket import Session


class Attempt(models.Model):
    """What a check-out and an edit have in common: one try at changing an artifact, opened on a version.

    The lease row decides who holds the artifact; `expires_at` is the last grant, and *lapsed* is derived.
    """

    class State(models.TextChoices):
        OPEN = "open"
        CLOSED = "closed"

    class Outcome(models.TextChoices):
        COMMITTED = "committed"
        UNCHANGED = "unchanged"
        PROPOSED = "proposed"
        DISCARDED = "discarded"

    #: `checkout` or `edit`: in the lease's holder, in the journal's kinds and data, and in a version's provenance
    kind: ClassVar[str]
    #: what an API answer shows beside the attempt's own columns; read with `select_related`
    RELATED: ClassVar[tuple[str, ...]] = (
        "artifact__project",
        "base_version",
        "actor",
        "result_version",
        "result_proposal",
    )

    # Each table declares these itself, since each has a name of its own on the other side: `artifact.checkouts`.
    artifact: "models.ForeignKey[Artifact, Artifact]"
    actor: "models.ForeignKey[User, User]"
    session: "models.ForeignKey[Session | None, Session | None]"
    artifact_id: int
    actor_id: int
    session_id: int | None
    expires_at: "models.DateTimeField[datetime, datetime]"
    result_digest: "models.CharField[str, str]"
    ttl: "models.PositiveIntegerField[int, int]"
    client: "models.CharField[str, str]"

    base_version = models.ForeignKey(Version, on_delete=models.PROTECT, related_name="+")
    base_digest = models.CharField(max_length=80)
    participant = models.CharField(max_length=200)
    purpose = models.CharField(max_length=500, blank=True)
    opened_at = models.DateTimeField()
    state = models.CharField(max_length=10, choices=State, default=State.OPEN)
    outcome = models.CharField(max_length=10, choices=Outcome, blank=True)
    closed_at = models.DateTimeField(null=True)
    result_version = models.ForeignKey(Version, null=True, on_delete=models.PROTECT, related_name="+")
    result_proposal = models.ForeignKey("Proposal", null=True, on_delete=models.PROTECT, related_name="+")

    class Meta:
        abstract = True
        constraints = [
            models.CheckConstraint(
                condition=Q(state="open", outcome="", closed_at=None)
                | (Q(state="closed", closed_at__isnull=False) & ~Q(outcome="")),
                name="%(class)s_closed_has_outcome",
            )
        ]

    def __str__(self) -> str:
        return f"{self._meta.verbose_name} {self.pk}"

    @property
    def holder(self) -> str:
        """This attempt's name on the lease row."""
        return f"{self.kind}:{self.pk}:{self.participant}"

    @property
    def named(self) -> dict[str, Any]:
        """This attempt in a journal entry's data and in a provenance: `{"checkout": 17}` or `{"edit": "<uuid>"}`."""
        return {self.kind: self.pk if isinstance(self.pk, int) else str(self.pk)}

    @property
    def is_open(self) -> bool:
        return self.state == self.State.OPEN
