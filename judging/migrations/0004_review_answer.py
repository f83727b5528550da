from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("judging", "0003_errata"),
    ]

    operations = [
        migrations.AddField(
            model_name="reviewrequest",
            name="answer",
            field=models.TextField(blank=True, default=""),
            preserve_default=False,
        ),
    ]
