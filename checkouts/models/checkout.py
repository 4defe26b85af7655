from django.conf import settings
from django.db import models
from django.db.models import Q

from checkouts.models.artifact import Artifact, Version
from leasehold.models.ticket import Session


class Checkout(models.Model):
    """The record of one check-out: who took which version, and how it ended.

    The lease row decides who holds the artifact; `expires_at` here is the last grant, and *lapsed* is derived. A record
    whose lease was broken stays open: it can no longer be extended, but what is checked in on it is still kept.
    """

    class State(models.TextChoices):
        OPEN = "open"
        CLOSED = "closed"

    class Outcome(models.TextChoices):
        COMMITTED = "committed"
        UNCHANGED = "unchanged"
        PROPOSED = "proposed"
        DISCARDED = "discarded"

    class Loss(models.TextChoices):
        """How a lease was ended against its holder."""

        BROKEN = "broken", "broken"
        TAKEN_OVER = "taken_over", "taken over"
        HANDED_OVER = "handed_over", "handed over"

    artifact = models.ForeignKey(Artifact, on_delete=models.PROTECT, related_name="checkouts")
    base_version = models.ForeignKey(Version, on_delete=models.PROTECT, related_name="+")
    base_digest = models.CharField(max_length=80)
    actor = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="checkouts")
    participant = models.CharField(max_length=200)
    purpose = models.CharField(max_length=500, blank=True)
    client = models.CharField(max_length=20, help_text="The door: browser, api, admin, command.")
    ttl = models.PositiveIntegerField(help_text="Seconds first asked for.")
    session = models.ForeignKey(Session, null=True, on_delete=models.PROTECT, related_name="checkouts")
    opened_at = models.DateTimeField()
    expires_at = models.DateTimeField(help_text="The last grant.")
    state = models.CharField(max_length=10, choices=State, default=State.OPEN)
    outcome = models.CharField(max_length=10, choices=Outcome, blank=True)
    closed_at = models.DateTimeField(null=True)
    result_digest = models.CharField(max_length=80, blank=True, help_text="What was checked in; a retry is told by it.")
    result_version = models.ForeignKey(Version, null=True, on_delete=models.PROTECT, related_name="+")
    result_proposal = models.ForeignKey("Proposal", null=True, on_delete=models.PROTECT, related_name="+")
    next_checkout = models.OneToOneField(
        "self", null=True, on_delete=models.PROTECT, related_name="previous", help_text="Opened by *keep* at check-in."
    )
    broken_at = models.DateTimeField(null=True)
    broken_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+")
    broken_how = models.CharField(max_length=12, choices=Loss, blank=True)
    broken_reason = models.CharField(max_length=500, blank=True)

    class Meta:
        verbose_name = "check-out"
        ordering = ["-id"]
        constraints = [
            models.CheckConstraint(
                condition=Q(state="open", outcome="", closed_at=None)
                | (Q(state="closed", closed_at__isnull=False) & ~Q(outcome="")),
                name="checkout_closed_has_outcome",
            ),
            models.CheckConstraint(
                condition=Q(broken_at=None, broken_by=None) | Q(broken_at__isnull=False, broken_by__isnull=False),
                name="checkout_broken_by_somebody",
            ),
        ]
        indexes = [
            models.Index(fields=["artifact", "id"], condition=Q(state="open"), name="checkout_open"),
            models.Index(fields=["actor", "id"], name="checkout_actor"),
        ]

    def __str__(self) -> str:
        return f"check-out {self.pk}"

    @property
    def holder(self) -> str:
        """This attempt's name on the lease row."""
        return f"checkout:{self.pk}:{self.participant}"

    @property
    def is_open(self) -> bool:
        return self.state == self.State.OPEN
