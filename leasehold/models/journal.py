from typing import Any

from django.conf import settings
from django.db import connections, models

from leasehold.models.project import Project


class Entry(models.Model):
    """One entry of the journal: what happened, who did it, to what. Triggers in the database keep it append-only."""

    at = models.DateTimeField()
    kind = models.CharField(max_length=40)
    actor = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+")
    participant = models.CharField(max_length=200)
    subject = models.TextField(help_text="What it is about: artifact:12, project:3.")
    project = models.ForeignKey(Project, null=True, on_delete=models.PROTECT, related_name="+")
    request_id = models.CharField(max_length=64, blank=True)
    data = models.JSONField(default=dict)

    class Meta:
        verbose_name_plural = "entries"
        ordering = ["-id"]
        indexes = [
            models.Index(fields=["subject", "id"], name="entry_subject"),
            models.Index(fields=["project", "id"], name="entry_project"),
            models.Index(fields=["kind", "id"], name="entry_kind"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.subject}"


SEALS = {
    "sqlite": """
        CREATE TRIGGER IF NOT EXISTS journal_no_update BEFORE UPDATE ON leasehold_entry
        BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END;
        CREATE TRIGGER IF NOT EXISTS journal_no_delete BEFORE DELETE ON leasehold_entry
        BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END;
    """,
    "postgresql": """
        CREATE OR REPLACE FUNCTION journal_is_append_only() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN RAISE EXCEPTION 'the journal is append-only' USING ERRCODE = 'integrity_constraint_violation'; END $$;
        CREATE OR REPLACE TRIGGER journal_no_change BEFORE UPDATE OR DELETE ON leasehold_entry
        FOR EACH ROW EXECUTE FUNCTION journal_is_append_only();
    """,
}


def seal_journal(using: str = "default", **_: Any) -> None:
    """Create the triggers that refuse updates and deletes.

    This runs after every migrate, since SQLite drops the triggers of a table that a migration rebuilds.
    """
    connection = connections[using]
    if Entry._meta.db_table not in connection.introspection.table_names():
        return
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            for statement in filter(str.strip, SEALS["sqlite"].split("END;")):
                cursor.execute(statement + "END;")
        else:
            cursor.execute(SEALS["postgresql"])
