from django.conf import settings
from django.db import models
from django.db.models import Q

from checkouts.models.artifact import Artifact
from checkouts.models.attempt import Attempt
from leasehold.models.ticket import Session


class Checkout(Attempt):
    """One check-out: who took which version, and how it ended.

    One whose lease was broken stays open: it can no longer be extended, but what is checked in on it is still kept.
    """

    class Loss(models.TextChoices):
        """How a lease was ended against its holder."""

        BROKEN = "broken", "broken"
        TAKEN_OVER = "taken_over", "taken over"
        HANDED_OVER = "handed_over", "handed over"

    kind = "checkout"
    RELATED = (*Attempt.RELATED, "broken_by")

    artifact = models.ForeignKey(Artifact, on_delete=models.PROTECT, related_name="checkouts")
    actor = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="checkouts")
    client = models.CharField(max_length=20, help_text="The door: browser, api, admin, command.")
    ttl = models.PositiveIntegerField(help_text="Seconds first asked for.")
    session = models.ForeignKey(Session, null=True, on_delete=models.PROTECT, related_name="checkouts")
    expires_at = models.DateTimeField(help_text="The last grant.")
    result_digest = models.CharField(max_length=80, blank=True, help_text="What was checked in; a retry is told by it.")
    next_checkout = models.OneToOneField(
        "self", null=True, on_delete=models.PROTECT, related_name="previous", help_text="Opened by *keep* at check-in."
    )
    broken_at = models.DateTimeField(null=True)
    broken_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+")
    broken_how = models.CharField(max_length=12, choices=Loss, blank=True)
    broken_reason = models.CharField(max_length=500, blank=True)

    class Meta(Attempt.Meta):
        verbose_name = "check-out"
        ordering = ["-id"]
        constraints = [
            *Attempt.Meta.constraints,
            models.CheckConstraint(
                condition=Q(broken_at=None, broken_by=None) | Q(broken_at__isnull=False, broken_by__isnull=False),
                name="checkout_broken_by_somebody",
            ),
        ]
        indexes = [
            models.Index(fields=["artifact", "id"], condition=Q(state="open"), name="checkout_open"),
            models.Index(fields=["actor", "id"], name="checkout_actor"),
        ]
