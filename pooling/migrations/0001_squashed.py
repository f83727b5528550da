import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    # A database in which all of these ran has these tables; one in which only some ran is refused.
    replaces = [
        ("pooling", "0001_initial"),
        ("pooling", "0002_spec_steps"),
        ("pooling", "0003_growing"),
    ]

    dependencies = [
        ('campaigns', '0001_squashed'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='Pool',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('version', models.PositiveIntegerField()),
                ('spec', models.JSONField()),
                ('inputs_hash', models.CharField(max_length=64)),
                ('size', models.PositiveIntegerField()),
                ('frozen_at', models.DateTimeField(auto_now_add=True)),
                ('campaign', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='pools', to='campaigns.campaign')),
                ('frozen_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['-version'],
            },
        ),
        migrations.CreateModel(
            name='PoolEvent',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveIntegerField()),
                ('docno', models.CharField(max_length=500)),
                ('relevant', models.BooleanField(null=True)),
                ('pool', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='events', to='pooling.pool')),
                ('topic', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='campaigns.topic')),
            ],
            options={
                'ordering': ['topic', 'number'],
            },
        ),
        migrations.CreateModel(
            name='PoolItem',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('docno', models.CharField(max_length=500)),
                ('min_rank', models.PositiveIntegerField()),
                ('contributors', models.BinaryField()),
                ('position', models.PositiveIntegerField()),
                ('priority', models.PositiveIntegerField(null=True)),
                ('stratum', models.PositiveIntegerField(default=0)),
                ('probability', models.FloatField(default=1.0)),
                ('pool', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='items', to='pooling.pool')),
                ('topic', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='campaigns.topic')),
            ],
            options={
                'ordering': ['topic__position', 'topic__number', 'docno'],
            },
        ),
        migrations.CreateModel(
            name='PoolTopic',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('budget', models.PositiveIntegerField()),
                ('ended', models.BooleanField(default=False)),
                ('pool', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='growing', to='pooling.pool')),
                ('topic', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='campaigns.topic')),
            ],
            options={
                'ordering': ['topic__position', 'topic__number'],
            },
        ),
        migrations.AddConstraint(
            model_name='pool',
            constraint=models.UniqueConstraint(models.F('campaign'), models.F('version'), name='pool_version_once'),
        ),
        migrations.AddConstraint(
            model_name='poolevent',
            constraint=models.UniqueConstraint(models.F('pool'), models.F('topic'), models.F('number'), name='pool_event_number_once'),
        ),
        migrations.AddConstraint(
            model_name='poolevent',
            constraint=models.UniqueConstraint(condition=models.Q(('relevant__isnull', True)), fields=('pool', 'topic', 'docno'), name='pool_gives_once'),
        ),
        migrations.AddConstraint(
            model_name='poolevent',
            constraint=models.UniqueConstraint(condition=models.Q(('relevant__isnull', False)), fields=('pool', 'topic', 'docno'), name='pool_notes_once'),
        ),
        migrations.AddConstraint(
            model_name='poolitem',
            constraint=models.UniqueConstraint(models.F('pool'), models.F('topic'), models.F('docno'), name='pool_pair_once'),
        ),
        migrations.AddConstraint(
            model_name='poolitem',
            constraint=models.UniqueConstraint(models.F('pool'), models.F('topic'), models.F('position'), name='pool_position_once'),
        ),
        migrations.AddConstraint(
            model_name='pooltopic',
            constraint=models.UniqueConstraint(models.F('pool'), models.F('topic'), name='pool_topic_once'),
        ),
    ]
