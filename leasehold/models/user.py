from typing import Self

from django.contrib.auth.models import AbstractUser, UserManager
from django.db import models
from django.db.models.functions import Lower


class AccountManager(UserManager["User"]):
    """Looks up accounts without regard to case; their names are unique in the same way."""

    def named(self, username: str) -> models.QuerySet["User"]:
        """Return the account of this name as a queryset, which is empty without one."""
        return self.alias(name_key=Lower("username")).filter(name_key=username.lower())

    def get_by_natural_key(self, username: str | None) -> "User":
        return self.named(username or "").get()


class User(AbstractUser):
    """An account: a person who signs in, or an agent (a program), which only has tokens. Names never change."""

    class Kind(models.TextChoices):
        PERSON = "person"
        AGENT = "agent"

    first_name = None  # type: ignore[assignment]
    last_name = None  # type: ignore[assignment]
    name = models.CharField("full name", max_length=150, blank=True)
    kind = models.CharField(max_length=10, choices=Kind, default=Kind.PERSON)
    time_zone = models.CharField(max_length=64, blank=True, help_text="For example Europe/Berlin; empty: the server's.")

    objects = AccountManager()
    REQUIRED_FIELDS: list[str] = []

    class Meta:
        verbose_name = "account"
        ordering = ["username"]
        constraints = [models.UniqueConstraint(Lower("username"), name="user_name_taken")]

    @property
    def is_agent(self) -> bool:
        return self.kind == self.Kind.AGENT

    @property
    def participant(self) -> str:
        """The account as leases and journal name it: `user:alice`, `agent:planner`."""
        return f"{'agent' if self.is_agent else 'user'}:{self.username}"

    def get_full_name(self) -> str:
        return self.name or self.username

    def get_short_name(self: Self) -> str:
        return self.username
