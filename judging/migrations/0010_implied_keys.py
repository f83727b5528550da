import django.db.models.deletion
from django.db import migrations, models

from campaigns.migrations._operations import AlterKey


class Migration(migrations.Migration):

    dependencies = [
        ('campaigns', '0017_looks_at_estimates'),
        ('judging', '0009_notebook'),
    ]

    operations = [
        AlterKey(
            model_name='judgment',
            name='campaign',
            field=models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='judgments', to='campaigns.campaign'),
        ),
        AlterKey(
            model_name='slot',
            name='topic',
            field=models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='campaigns.topic'),
        ),
    ]
