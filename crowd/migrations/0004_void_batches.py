"""A batch can be void; payments have their bonuses in rows; webhooks are kept without contents."""

from typing import Any

from django.db import migrations, models


def empty_webhooks(apps: Any, _editor: Any) -> None:
    events = apps.get_model("crowd", "ProviderEvent").objects.filter(kind__startswith="hook.")
    events.update(body={})


class Migration(migrations.Migration):
    dependencies = [("crowd", "0003_withdrawal_and_consent_template")]

    operations = [
        migrations.AddField(
            model_name="paymentbatch",
            name="voided_at",
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.RemoveField(model_name="payment", name="bonus"),
        migrations.RunPython(empty_webhooks, migrations.RunPython.noop),
    ]
