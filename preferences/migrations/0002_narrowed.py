from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [('preferences', '0001_squashed')]

    operations = [
        migrations.AddField(
            'comparisonplan', 'narrowed', models.JSONField(blank=True, default=dict)
        ),
    ]
