from django.db import models


class SignInFailure(models.Model):
    """Failed sign-ins for one account name or one address, in the current window; shared by all workers."""

    key = models.CharField(max_length=64, unique=True)
    failures = models.PositiveIntegerField()
    window_ends_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.failures} until {self.window_ends_at}"
