from django.conf import settings
from django.db import models
from django.db.models import Q

from checkouts.models.artifact import Artifact, Blob, Version


class Proposal(models.Model):
    """Checked-in bytes that did not become a version, kept against the head until an operator decides."""

    class State(models.TextChoices):
        OPEN = "open"
        ACCEPTED = "accepted"
        REJECTED = "rejected"
        WITHDRAWN = "withdrawn"
        SUPERSEDED = "superseded"

    artifact = models.ForeignKey(Artifact, on_delete=models.PROTECT, related_name="proposals")
    base_version = models.ForeignKey(Version, on_delete=models.PROTECT, related_name="+")
    test_digest = models.CharField(max_length=80, help_text="The head's digest when it was kept.")
    blob = models.ForeignKey(Blob, on_delete=models.PROTECT, related_name="+")
    author = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="proposals")
    comment = models.TextField(blank=True)
    provenance = models.JSONField(default=dict, help_text="kind, base_version, base_digest, source")
    state = models.CharField(max_length=12, choices=State, default=State.OPEN)
    created_at = models.DateTimeField()
    decided_at = models.DateTimeField(null=True)
    decided_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+")
    reason = models.TextField(blank=True)

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.CheckConstraint(
                condition=Q(state="open", decided_at=None) | (~Q(state="open") & Q(decided_at__isnull=False)),
                name="proposal_decided_has_time",
            )
        ]
        indexes = [
            models.Index(fields=["artifact", "id"], condition=Q(state="open"), name="proposal_open"),
            models.Index(fields=["author", "id"], name="proposal_author"),
        ]

    def __str__(self) -> str:
        return f"proposal {self.pk}"
