from django.apps import AppConfig


class CheckoutsConfig(AppConfig):
    name = "checkouts"
    verbose_name = "Files"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from checkouts import wiring

        wiring.connect()
