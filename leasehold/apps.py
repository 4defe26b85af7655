"""The Django app of the ground floor, and its admin."""

from django.apps import AppConfig
from django.contrib.admin import apps as admin


class LeaseholdConfig(AppConfig):
    name = "leasehold"
    verbose_name = "Leasehold"
    default_auto_field = "django.db.models.BigAutoField"
    default = True

    def ready(self) -> None:
        from django.db.models.signals import post_migrate

        from leasehold.api.base import (
            converters,
            schema,  # noqa: F401  (registers how the OpenAPI document names the ways to sign in)
        )
        from leasehold.database import checks  # noqa: F401  (registers the start-up checks)
        from leasehold.models.journal import seal_journal
        from leasehold.models.site import found_site

        converters.register()

        # SQLite drops a table's triggers when a migration rebuilds the table, so they are created again.
        post_migrate.connect(seal_journal, sender=self, dispatch_uid="seal_journal")
        post_migrate.connect(found_site, sender=self, dispatch_uid="found_site")


class LeaseholdAdmin(admin.AdminConfig):
    """Django's admin, with Leasehold's own site."""

    default_site = "leasehold.admin_site.LeaseholdSite"
    default = False
