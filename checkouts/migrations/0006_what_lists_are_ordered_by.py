from django.db import migrations, models
from django.db.models import F, OuterRef, Subquery
from django.db.models.functions import Coalesce


def fill(apps, schema_editor):
    """From the heads; a file without one, which no action leaves behind, counts as empty and as old as itself."""
    artifacts = apps.get_model("checkouts", "Artifact").objects.using(schema_editor.connection.alias)
    head = apps.get_model("checkouts", "Version").objects.filter(pk=OuterRef("head_id"))
    artifacts.update(
        head_size=Coalesce(Subquery(head.values("size")), 0),
        changed_at=Coalesce(Subquery(head.values("created_at")), F("created_at")),
    )


class Migration(migrations.Migration):
    dependencies = [("checkouts", "0005_policies_and_edits")]

    operations = [
        migrations.AddField("artifact", "head_size", models.BigIntegerField(null=True)),
        migrations.AddField("artifact", "changed_at", models.DateTimeField(null=True)),
        migrations.RunPython(fill, migrations.RunPython.noop),
        migrations.AlterField(
            "artifact", "head_size", models.BigIntegerField(help_text="The head's, in bytes.")
        ),
        migrations.AlterField(
            "artifact", "changed_at", models.DateTimeField(help_text="When the head was made.")
        ),
        *(
            migrations.AddIndex(
                "artifact",
                models.Index(
                    fields=["folder_key", "project", column, "id"], condition=models.Q(archived_at=None), name=name
                ),
            )
            for column, name in [("changed_at", "artifact_changed"), ("head_size", "artifact_size")]
        ),
    ]
