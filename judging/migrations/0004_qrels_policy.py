from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("judging", "0003_assignment_paused"),
    ]

    operations = [
        migrations.AlterField(
            model_name="qrels",
            name="policy",
            field=models.CharField(max_length=250),
        ),
    ]
