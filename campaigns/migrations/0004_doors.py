from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [("campaigns", "0003_errata")]

    operations = [
        migrations.AddField(
            model_name="run",
            name="upload_key",
            field=models.CharField(blank=True, default="", max_length=64),
        ),
        migrations.AddConstraint(
            model_name="run",
            constraint=models.UniqueConstraint(
                "team",
                "upload_key",
                name="upload_key_of_one_run",
                condition=models.Q(("upload_key", ""), _negated=True),
            ),
        ),
    ]
