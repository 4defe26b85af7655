import uuid

from django.conf import settings
from django.db import models

from checkouts.models.artifact import Artifact
from checkouts.models.attempt import Attempt
from leasehold.models.ticket import Session


class Edit(Attempt):
    """An agent's short lease on an artifact. It is kept, so that a late call is answered truthfully."""

    kind = "edit"

    uuid = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    artifact = models.ForeignKey(Artifact, on_delete=models.PROTECT, related_name="edits")
    actor = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="edits")
    client = models.CharField(max_length=20, help_text="The door: api, command.")
    ttl = models.PositiveIntegerField(help_text="Seconds; never renewed.")
    session = models.ForeignKey(Session, null=True, on_delete=models.PROTECT, related_name="edits")
    expires_at = models.DateTimeField()
    result_digest = models.CharField(max_length=80, blank=True)

    class Meta(Attempt.Meta):
        ordering = ["-opened_at", "-uuid"]
        indexes = [
            models.Index(fields=["artifact", "opened_at"], name="edit_artifact"),
            models.Index(fields=["actor", "opened_at"], name="edit_actor"),
        ]
