from django.conf import settings
from django.db import models


class Answer(models.Model):
    """The first response to a request with an `Idempotency-Key`, kept for a day; no status while it is in progress."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    key = models.CharField(max_length=255)
    fingerprint = models.CharField(max_length=64, help_text="SHA-256 of method, path, query and body.")
    status = models.PositiveSmallIntegerField(null=True)
    headers = models.JSONField(default=dict)
    body = models.TextField(blank=True)
    created_at = models.DateTimeField(db_index=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["user", "key"], name="answer_key_taken")]

    def __str__(self) -> str:
        return f"answer to {self.key}"
