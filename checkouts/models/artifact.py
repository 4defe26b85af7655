from django.conf import settings
from django.db import models
from django.db.models import Q

from leasehold import names
from leasehold.models.lease import ByteOrderedText
from leasehold.models.project import Project, WritePolicy
from leasehold.models.ticket import Session

LIVE = Q(archived_at=None)


class Blob(models.Model):
    """Stored bytes under a key of their own: the same bytes sent twice are two blobs, so collection never races."""

    key = models.UUIDField(unique=True)
    digest = models.CharField(max_length=80, help_text="sha256:<64 hex digits>")
    size = models.BigIntegerField(help_text="Bytes.")
    created_at = models.DateTimeField()

    class Meta:
        constraints = [models.CheckConstraint(condition=Q(size__gte=0), name="blob_size_not_negative")]

    def __str__(self) -> str:
        return str(self.key)


class Artifact(models.Model):
    """One native file under care. Its id is its name for good; its path may change."""

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="artifacts")
    path = models.TextField(help_text="As first spelled.")
    path_key = ByteOrderedText(help_text="The path in comparing form.")
    folder_key = ByteOrderedText(default="", help_text="The folder of path_key; empty at the top.")
    head = models.ForeignKey("Version", null=True, on_delete=models.PROTECT, related_name="+")
    # What lists are ordered by stands here too, for an index: written with the head, and by nothing else.
    head_size = models.BigIntegerField(help_text="The head's, in bytes.")
    changed_at = models.DateTimeField(help_text="When the head was made.")
    created_at = models.DateTimeField()
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    write_policy = models.CharField(
        max_length=10, choices=WritePolicy, blank=True, help_text="Binds agents; empty: as the project says."
    )
    archived_at = models.DateTimeField(null=True)

    role: str | None  # the reader's, where a selector has put it there

    class Meta:
        ordering = ["project", "path_key"]
        constraints = [
            models.UniqueConstraint(fields=["project", "path_key"], condition=LIVE, name="artifact_path_taken")
        ]
        indexes = [
            models.Index(fields=["project", "folder_key", "path_key"], name="artifact_folder"),
            # The folder first: before its first ANALYZE, PostgreSQL takes any index that begins with the project to be
            # as good as the one by path.
            models.Index(fields=["folder_key", "project", "changed_at", "id"], condition=LIVE, name="artifact_changed"),
            models.Index(fields=["folder_key", "project", "head_size", "id"], condition=LIVE, name="artifact_size"),
        ]

    def __str__(self) -> str:
        return self.path

    @property
    def name(self) -> str:
        return self.path.rpartition("/")[2]

    @property
    def resource(self) -> str:
        return f"artifact:{self.pk}"

    @property
    def place(self) -> str:
        """Where it lies in the namespace of scope keys; needs `project` loaded."""
        return f"{self.project.slug}/{self.path_key}"

    @property
    def policy(self) -> str:
        """The write policy that counts here; needs `project` loaded."""
        return self.write_policy or self.project.write_policy

    @property
    def places(self) -> list[str]:
        """Where a scope key covers it: its place and all above."""
        return [self.place, *names.ancestors(self.place)]


class Version(models.Model):
    """One committed state of an artifact."""

    artifact = models.ForeignKey(Artifact, on_delete=models.PROTECT, related_name="versions")
    number = models.PositiveBigIntegerField()
    blob = models.ForeignKey(Blob, on_delete=models.PROTECT, related_name="+")
    digest = models.CharField(max_length=80)
    size = models.BigIntegerField()
    author = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    comment = models.TextField(blank=True)
    session = models.ForeignKey(Session, null=True, on_delete=models.PROTECT, related_name="+")
    provenance = models.JSONField(default=dict, help_text="How it came to be: kind, base_version, base_digest, …")
    created_at = models.DateTimeField()

    class Meta:
        ordering = ["-number"]
        constraints = [models.UniqueConstraint(fields=["artifact", "number"], name="version_number_taken")]

    def __str__(self) -> str:
        return f"version {self.number}"
