from django.apps import AppConfig


class CheckoutsConfig(AppConfig):
    name = "checkouts"
    verbose_name = "Files"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from checkouts import wiring
        from checkouts.api.refusals import STATUSES
        from leasehold.api.base import problems

        wiring.register()
        problems.answer(STATUSES)
