from django.conf import settings
from django.db import models
from django.db.models import Q

from leasehold import names
from leasehold.models.lease import ByteOrderedText
from leasehold.models.project import Project, WritePolicy
from leasehold.models.ticket import Session

LIVE = Q(archived_at=None)


class Blob(models.Model):
    """Stored bytes under their own key. The same bytes uploaded twice are two blobs, so `collect` never races."""

    key = models.UUIDField(unique=True)
    digest = models.CharField(max_length=80, help_text="sha256:<64 hex digits>")
    size = models.BigIntegerField(help_text="Bytes.")
    created_at = models.DateTimeField()

    class Meta:
        constraints = [models.CheckConstraint(condition=Q(size__gte=0), name="blob_size_not_negative")]

    def __str__(self) -> str:
        return str(self.key)


class Artifact(models.Model):
    """One file of a project. Its id never changes; its path may."""

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="artifacts")
    path = models.TextField(help_text="As first spelled.")
    path_key = ByteOrderedText(help_text="The path in comparing form.")
    folder_key = ByteOrderedText(default="", help_text="The folder of path_key; empty at the top.")
    head = models.ForeignKey("Version", null=True, on_delete=models.PROTECT, related_name="+")
    # Copies of the head's values, for the indexes of ordered lists. Only the code that sets the head writes them.
    head_size = models.BigIntegerField(help_text="The head's, in bytes.")
    changed_at = models.DateTimeField(help_text="When the head was made.")
    created_at = models.DateTimeField()
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    write_policy = models.CharField(
        max_length=10, choices=WritePolicy, blank=True, help_text="Binds agents; empty: as the project says."
    )
    archived_at = models.DateTimeField(null=True)

    role: str | None  # the reader's role, if a selector has annotated it

    class Meta:
        ordering = ["project", "path_key"]
        constraints = [
            models.UniqueConstraint(fields=["project", "path_key"], condition=LIVE, name="artifact_path_taken")
        ]
        indexes = [
            models.Index(fields=["project", "folder_key", "path_key"], name="artifact_folder"),
            # The folder is first: before the first ANALYZE, PostgreSQL rates any index that begins with the project as
            # high as the one by path.
            models.Index(fields=["folder_key", "project", "changed_at", "id"], condition=LIVE, name="artifact_changed"),
            models.Index(fields=["folder_key", "project", "head_size", "id"], condition=LIVE, name="artifact_size"),
        ]

    def __str__(self) -> str:
        return self.path

    @property
    def newest(self) -> "Version":
        """The head. Only an artifact that is just being added has none: ValueError."""
        if self.head is None:
            raise ValueError(f"{self.resource} has no version yet")
        return self.head

    @property
    def name(self) -> str:
        return self.path.rpartition("/")[2]

    @property
    def resource(self) -> str:
        return f"artifact:{self.pk}"

    @property
    def place(self) -> str:
        """Return its path in the namespace of scope keys, `slug/path_key`. Needs `project` loaded."""
        return f"{self.project.slug}/{self.path_key}"

    @property
    def policy(self) -> str:
        """Return the write policy that applies: its own, or the project's. Needs `project` loaded."""
        return self.write_policy or self.project.write_policy

    @property
    def places(self) -> list[str]:
        """Return the scope keys that cover it: its place and all folders above."""
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
