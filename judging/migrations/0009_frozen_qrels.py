"""Qrels are frozen; what participants may see is released."""

from django.db import migrations


class Migration(migrations.Migration):

    dependencies = [("judging", "0008_stopping_rules")]

    operations = [
        migrations.RenameField("qrels", "released_by", "frozen_by"),
        migrations.RenameField("qrels", "released_at", "frozen_at"),
    ]
