from typing import Any

from django.db import models
from django.db.models import Q


class ByteOrderedText(models.TextField):
    """Text that PostgreSQL orders and compares by bytes, as Python and SQLite do.

    `db_collation="C"` would do the same but break SQLite, which has no such collation.
    """

    def db_parameters(self, connection: Any) -> dict[str, Any]:
        parameters: dict[str, Any] = super().db_parameters(connection)
        if connection.vendor == "postgresql":
            parameters["collation"] = "C"
        return parameters


class Lease(models.Model):
    """The exclusive right to a named resource. Each resource has one row, never deleted, so the fence never restarts.

    A holder of `''` means that the resource is free. A held lease without an expiry never expires. Only
    `leasehold/leases/` writes this table, by conditional statements and never by `.save()`.
    """

    resource = ByteOrderedText()
    place = ByteOrderedText(default="", help_text="Where in the namespace of scope keys it lies; empty for a pass.")
    holder = ByteOrderedText(default="")
    participant = models.TextField(default="")
    fence = models.BigIntegerField(default=0)
    acquired_at = models.DateTimeField(null=True)
    expires_at = models.DateTimeField(null=True)
    purpose = models.TextField(default="")

    class Meta:
        ordering = ["resource"]
        permissions = [("break_lease", "Can break leases of every project in the admin")]
        constraints = [
            models.UniqueConstraint(fields=["resource"], name="lease_resource_unique"),
            models.CheckConstraint(condition=~Q(holder="") | Q(expires_at=None), name="lease_free_has_no_expiry"),
            models.CheckConstraint(condition=Q(fence__gte=0), name="lease_fence_not_negative"),
        ]
        indexes = [
            models.Index(fields=["place"], condition=~Q(holder=""), name="lease_held_place"),
            models.Index(fields=["expires_at"], condition=~Q(holder=""), name="lease_due"),
            models.Index(fields=["participant"], condition=~Q(holder=""), name="lease_participant"),
        ]

    def __str__(self) -> str:
        return f"{self.resource} {self.holder or 'free'}"
