"""Slots know which guidelines their document was checked out with."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("judging", "0011_plan_state")]

    operations = [
        migrations.AddField(
            model_name="slot",
            name="guideline_version",
            field=models.PositiveIntegerField(blank=True, null=True),
        ),
    ]
