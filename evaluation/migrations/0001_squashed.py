import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    # A database in which all of these ran has these tables; one in which only some ran is refused.
    replaces = [
        ("evaluation", "0001_initial"),
    ]

    dependencies = [
        ('campaigns', '0001_squashed'),
        ('judging', '0001_squashed'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='ScoreSet',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('topics', models.JSONField()),
                ('measures', models.JSONField()),
                ('conditions', models.JSONField()),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('released_at', models.DateTimeField(blank=True, null=True)),
                ('campaign', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='score_sets', to='campaigns.campaign')),
                ('created_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('qrels', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='score_sets', to='judging.qrels')),
                ('released_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['-created_at', '-pk'],
            },
        ),
        migrations.CreateModel(
            name='RunScores',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('means', models.JSONField()),
                ('packed', models.BinaryField()),
                ('run', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='scores', to='campaigns.run')),
                ('score_set', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='runs', to='evaluation.scoreset')),
            ],
            options={
                'constraints': [models.UniqueConstraint(models.F('score_set'), models.F('run'), name='scores_of_run_once')],
            },
        ),
    ]
