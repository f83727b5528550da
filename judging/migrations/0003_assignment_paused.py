from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("judging", "0002_purposes"),
    ]

    operations = [
        migrations.AddField(
            model_name="assignment",
            name="paused",
            field=models.BooleanField(default=False),
        ),
    ]
