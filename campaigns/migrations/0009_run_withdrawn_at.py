from django.db import migrations, models


def fill_from_the_log(apps, _schema_editor):
    """Earlier withdrawals: their date is in the log."""
    runs, events = apps.get_model("campaigns", "Run"), apps.get_model("campaigns", "Event")
    for event in events.objects.filter(code="run.withdrawn").order_by("pk").iterator():
        withdrawn = runs.objects.filter(pk=event.data.get("run"), state="withdrawn")
        withdrawn.update(withdrawn_at=event.at)


class Migration(migrations.Migration):
    dependencies = [("campaigns", "0008_tokens_and_removed_files")]
    operations = [
        migrations.AddField(
            model_name="run",
            name="withdrawn_at",
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.RunPython(fill_from_the_log, migrations.RunPython.noop),
    ]
