from django.conf import settings
from django.db import models


class Role(models.TextChoices):
    """What a member may do. Each role includes those before it."""

    VIEWER = "viewer"
    EDITOR = "editor"
    OPERATOR = "operator"


class WritePolicy(models.TextChoices):
    """What an agent's check-in becomes: a version at once, or a proposal that a person decides on."""

    DIRECT = "direct"
    PROPOSE = "propose"


class Project(models.Model):
    """Files and tickets with their members. The slug never changes, since scope keys begin with it."""

    slug = models.SlugField(max_length=50, unique=True)
    name = models.CharField(max_length=200)
    write_policy = models.CharField(
        max_length=10, choices=WritePolicy, default=WritePolicy.DIRECT, help_text="Binds agents; people always commit."
    )
    two_person = models.BooleanField(default=False, help_text="A ticket's author may not approve it.")
    created_at = models.DateTimeField()

    role: str | None  # the reader's role, if a selector has annotated it

    class Meta:
        ordering = ["slug"]

    def __str__(self) -> str:
        return self.name


class Membership(models.Model):
    """An account's role in a project."""

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="memberships")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="memberships")
    role = models.CharField(max_length=10, choices=Role)
    created_at = models.DateTimeField()

    class Meta:
        ordering = ["project__slug", "user__username"]
        constraints = [
            models.UniqueConstraint(fields=["project", "user"], name="membership_unique"),
            models.CheckConstraint(condition=models.Q(role__in=Role.values), name="membership_role_known"),
        ]

    def __str__(self) -> str:
        return f"{self.user} is {self.role} in {self.project}"
