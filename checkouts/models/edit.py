import uuid

from django.conf import settings
from django.db import models
from django.db.models import Q

from checkouts.models.artifact import Artifact, Version
from leasehold.models.ticket import Session


class Edit(models.Model):
    """The record of an agent's short lease on an artifact, so that a late call is answered truthfully."""

    class State(models.TextChoices):
        OPEN = "open"
        CLOSED = "closed"

    class Outcome(models.TextChoices):
        COMMITTED = "committed"
        UNCHANGED = "unchanged"
        PROPOSED = "proposed"
        DISCARDED = "discarded"

    uuid = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    artifact = models.ForeignKey(Artifact, on_delete=models.PROTECT, related_name="edits")
    base_version = models.ForeignKey(Version, on_delete=models.PROTECT, related_name="+")
    base_digest = models.CharField(max_length=80)
    actor = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="edits")
    participant = models.CharField(max_length=200)
    purpose = models.CharField(max_length=500, blank=True)
    client = models.CharField(max_length=20, help_text="The door: api, command.")
    ttl = models.PositiveIntegerField(help_text="Seconds; never renewed.")
    session = models.ForeignKey(Session, null=True, on_delete=models.PROTECT, related_name="edits")
    opened_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    state = models.CharField(max_length=10, choices=State, default=State.OPEN)
    outcome = models.CharField(max_length=10, choices=Outcome, blank=True)
    closed_at = models.DateTimeField(null=True)
    result_digest = models.CharField(max_length=80, blank=True)
    result_version = models.ForeignKey(Version, null=True, on_delete=models.PROTECT, related_name="+")
    result_proposal = models.ForeignKey("Proposal", null=True, on_delete=models.PROTECT, related_name="+")

    class Meta:
        ordering = ["-opened_at", "-uuid"]
        constraints = [
            models.CheckConstraint(
                condition=Q(state="open", outcome="", closed_at=None)
                | (Q(state="closed", closed_at__isnull=False) & ~Q(outcome="")),
                name="edit_closed_has_outcome",
            )
        ]
        indexes = [
            models.Index(fields=["artifact", "opened_at"], name="edit_artifact"),
            models.Index(fields=["actor", "opened_at"], name="edit_actor"),
        ]

    def __str__(self) -> str:
        return f"edit {self.uuid}"

    @property
    def holder(self) -> str:
        """This attempt's name on the lease row."""
        return f"edit:{self.uuid}:{self.participant}"

    @property
    def is_open(self) -> bool:
        return self.state == self.State.OPEN
