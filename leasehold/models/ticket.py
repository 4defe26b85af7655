from django.conf import settings
from django.db import models
from django.db.models import F, Q

from leasehold.models.lease import ByteOrderedText
from leasehold.models.project import Project


class Ticket(models.Model):
    """A piece of work that a person approves. It declares the scope keys that it will touch."""

    class Status(models.TextChoices):
        DRAFT = "DRAFT", "Draft"
        APPROVED = "APPROVED", "Approved"
        IN_PROGRESS = "IN_PROGRESS", "In progress"
        BLOCKED = "BLOCKED", "Blocked"
        REVIEW = "REVIEW", "Review"
        DONE = "DONE", "Done"
        CANCELLED = "CANCELLED", "Cancelled"

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="tickets")
    title = models.CharField(max_length=200)
    description = models.TextField(blank=True)
    status = models.CharField(max_length=12, choices=Status, default=Status.DRAFT)
    state_since = models.DateTimeField(help_text="When the status last changed; staleness counts from here.")
    created_at = models.DateTimeField()
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="tickets")
    approved_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+")

    role: str | None  # the reader's role in the project, if a selector has annotated it

    class Meta:
        ordering = ["-id"]
        permissions = [
            ("approve_ticket", "Can approve tickets of every project in the admin"),
            ("decide_ticket", "Can decide on tickets of every project in the admin"),
        ]
        constraints = [
            models.CheckConstraint(
                condition=Q(status__in=["DRAFT", "APPROVED", "IN_PROGRESS", "BLOCKED", "REVIEW", "DONE", "CANCELLED"]),
                name="ticket_status_known",
            ),
            models.CheckConstraint(
                condition=Q(status__in=["DRAFT", "CANCELLED"]) | Q(approved_by__isnull=False),
                name="ticket_approved_by_somebody",
            ),
        ]
        indexes = [
            models.Index(fields=["project", "status", "id"], name="ticket_project_status"),
            models.Index(fields=["status", "state_since"], name="ticket_status_since"),
        ]

    def __str__(self) -> str:
        return f"ticket {self.pk}"

    @property
    def holder(self) -> str:
        """The ticket as the holder of its scope's leases."""
        return f"ticket:{self.pk}"


#: the states in which a ticket has its scope reserved
LIVE = (Ticket.Status.IN_PROGRESS, Ticket.Status.BLOCKED, Ticket.Status.REVIEW)


class ScopeKey(models.Model):
    """A resource that a ticket will touch. The key covers itself and everything below it."""

    ticket = models.ForeignKey(Ticket, on_delete=models.CASCADE, related_name="scope")
    key = models.TextField(help_text="As spelled.")
    place = ByteOrderedText(help_text="The key in comparing form.")

    class Meta:
        ordering = ["place"]
        constraints = [models.UniqueConstraint(fields=["ticket", "place"], name="scope_key_unique")]

    def __str__(self) -> str:
        return self.key

    @property
    def resource(self) -> str:
        return f"scope:{self.place}"


class Session(models.Model):
    """One worker's timed run at a ticket. Checkpoints renew its lease; it has lapsed when `lease_until` has passed."""

    class Status(models.TextChoices):
        ACTIVE = "active"
        SUBMITTED = "submitted"
        BLOCKED = "blocked"
        EXPIRED = "expired"
        CANCELLED = "cancelled"

    ticket = models.ForeignKey(Ticket, on_delete=models.PROTECT, related_name="sessions")
    worker = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="sessions")
    label = models.CharField(max_length=200, blank=True, help_text="What the worker calls this run.")
    status = models.CharField(max_length=10, choices=Status, default=Status.ACTIVE)
    ttl = models.PositiveIntegerField(help_text="Seconds first asked for.")
    started_at = models.DateTimeField()
    lease_until = models.DateTimeField()
    ended_at = models.DateTimeField(null=True)
    outcome = models.TextField(blank=True, help_text="The worker's last word, or the reason of the end.")
    stop_requested_at = models.DateTimeField(null=True)
    stop_requested_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+"
    )
    stop_reason = models.CharField(max_length=500, blank=True)

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.UniqueConstraint(
                fields=["ticket"], condition=Q(status="active"), name="session_one_active_on_a_ticket"
            ),
            models.CheckConstraint(
                condition=Q(status__in=["active", "submitted", "blocked", "expired", "cancelled"]),
                name="session_status_known",
            ),
            models.CheckConstraint(
                condition=Q(status="active", ended_at=None) | (~Q(status="active") & Q(ended_at__isnull=False)),
                name="session_ended_has_time",
            ),
            models.CheckConstraint(condition=Q(lease_until__gt=F("started_at")), name="session_lease_after_start"),
        ]
        indexes = [
            models.Index(fields=["lease_until"], condition=Q(status="active"), name="session_due"),
            models.Index(fields=["worker", "id"], name="session_worker"),
        ]

    def __str__(self) -> str:
        return f"session {self.pk}"

    @property
    def place(self) -> str:
        """The session's gate, not a scope key: what relies on the session waits here for what ends it."""
        return f"session:{self.pk}"

    @property
    def soon(self) -> int:
        """Seconds before the end from which pages show it as urgent: 30 minutes, or a third of a shorter `ttl`."""
        return min(30 * 60, self.ttl // 3)


class Checkpoint(models.Model):
    """A sign of life: the session's lease was renewed until `lease_until`."""

    session = models.ForeignKey(Session, on_delete=models.PROTECT, related_name="checkpoints")
    at = models.DateTimeField()
    lease_until = models.DateTimeField()
    note = models.TextField(blank=True)
    details = models.JSONField(default=dict)

    class Meta:
        ordering = ["-id"]

    def __str__(self) -> str:
        return f"checkpoint {self.pk}"


class Failure(models.Model):
    """Why work at a ticket failed: the lease expired, or the ticket was blocked, sent back or cancelled."""

    class Kind(models.TextChoices):
        LEASE_EXPIRED = "lease_expired"
        BLOCKED = "blocked"
        SENT_BACK = "sent_back"
        CANCELLED = "cancelled"

    ticket = models.ForeignKey(Ticket, on_delete=models.PROTECT, related_name="failures")
    session = models.ForeignKey(Session, null=True, on_delete=models.PROTECT, related_name="failures")
    kind = models.CharField(max_length=20, choices=Kind)
    detail = models.TextField(blank=True)
    at = models.DateTimeField()

    class Meta:
        ordering = ["-id"]

    def __str__(self) -> str:
        return f"{self.kind} on {self.ticket}"
