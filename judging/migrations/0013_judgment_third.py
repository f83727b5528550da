"""Judgments know whether they are third ones, also after import and without their slot."""

from django.apps.registry import Apps
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

THIRD_K = 100


def mark_third_judgments(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """The slots of third judgments had this ``k`` from the start."""
    judgments = apps.get_model("judging", "Judgment").objects
    judgments.filter(slot__k=THIRD_K, purpose="judge").update(third=True)


class Migration(migrations.Migration):

    dependencies = [("judging", "0012_slot_guideline_version")]

    operations = [
        migrations.AddField("judgment", "third", models.BooleanField(default=False)),
        migrations.RunPython(mark_third_judgments, migrations.RunPython.noop, elidable=True),
    ]
