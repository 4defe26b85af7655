from django.conf import settings
from django.db import models


class Scope(models.TextChoices):
    """What a token may do: read, write as an editor does, or all that its owner's role allows."""

    READ = "read"
    WRITE = "write"
    ADMIN = "admin"


class Token(models.Model):
    """A program's credential. Only its digest is stored; the text is shown once, when the token is created."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="tokens")
    name = models.CharField(max_length=100)
    digest = models.CharField(max_length=64, unique=True, editable=False)
    scope = models.CharField(max_length=10, choices=Scope)
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)
    last_used_at = models.DateTimeField(null=True, blank=True, help_text="Written at most once an hour.")

    class Meta:
        ordering = ["-id"]
        constraints = [models.CheckConstraint(condition=models.Q(scope__in=Scope.values), name="token_scope_known")]

    def __str__(self) -> str:
        return f"{self.name} of {self.user}"
