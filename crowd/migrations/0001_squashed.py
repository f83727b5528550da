import django.db.models.deletion
import uuid
from decimal import Decimal
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    # A database in which all of these ran has these tables; one in which only some ran is refused.
    replaces = [
        ("crowd", "0001_initial"),
        ("crowd", "0002_bonus"),
    ]

    dependencies = [
        ('campaigns', '0001_squashed'),
        ('judging', '0001_squashed'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='CrowdWorker',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('provider', models.SlugField(max_length=20)),
                ('external_hash', models.CharField(max_length=64)),
                ('external_id', models.TextField(blank=True)),
                ('state', models.CharField(choices=[('active', 'active'), ('screened', 'screened out'), ('excluded', 'excluded')], default='active', max_length=8)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('campaign', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='crowd_workers', to='campaigns.campaign')),
                ('user', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='crowd_worker', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'db_table': 'judging_crowdworker',
                'ordering': ['pk'],
            },
        ),
        migrations.CreateModel(
            name='GoldPair',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('docno', models.CharField(max_length=500)),
                ('grade', models.SmallIntegerField()),
                ('explanation', models.TextField(blank=True)),
                ('retired', models.BooleanField(default=False)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('campaign', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='gold_pairs', to='campaigns.campaign')),
                ('created_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('topic', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='campaigns.topic')),
            ],
            options={
                'db_table': 'judging_goldpair',
                'ordering': ['topic__position', 'topic__number', 'docno'],
            },
        ),
        migrations.CreateModel(
            name='WorkUnit',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('public_id', models.UUIDField(default=uuid.uuid4, unique=True)),
                ('external_hash', models.CharField(max_length=64)),
                ('external_id', models.TextField(blank=True)),
                ('trial', models.BooleanField(default=False)),
                ('state', models.CharField(choices=[('offered', 'offered'), ('started', 'started'), ('complete', 'complete'), ('abandoned', 'abandoned'), ('screened', 'screened out'), ('refused', 'refused')], default='offered', max_length=9)),
                ('size', models.PositiveSmallIntegerField(default=0)),
                ('consent_version', models.PositiveIntegerField(blank=True, null=True)),
                ('consented_at', models.DateTimeField(blank=True, null=True)),
                ('offered_at', models.DateTimeField(auto_now_add=True)),
                ('started_at', models.DateTimeField(blank=True, null=True)),
                ('closes_at', models.DateTimeField(blank=True, null=True)),
                ('ended_at', models.DateTimeField(blank=True, null=True)),
                ('server_seconds', models.FloatField(default=0.0)),
                ('receipt', models.CharField(blank=True, max_length=64)),
                ('reason', models.CharField(blank=True, max_length=200)),
                ('plan', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='units', to='judging.plan')),
                ('worker', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='units', to='crowd.crowdworker')),
            ],
            options={
                'db_table': 'judging_workunit',
                'ordering': ['pk'],
            },
        ),
        migrations.AddConstraint(
            model_name='crowdworker',
            constraint=models.UniqueConstraint(models.F('campaign'), models.F('provider'), models.F('external_hash'), name='crowd_worker_once'),
        ),
        migrations.AddConstraint(
            model_name='goldpair',
            constraint=models.UniqueConstraint(models.F('campaign'), models.F('topic'), models.F('docno'), name='gold_pair_once'),
        ),
        migrations.AddConstraint(
            model_name='workunit',
            constraint=models.UniqueConstraint(models.F('plan'), models.F('external_hash'), name='work_unit_once'),
        ),
        migrations.AddConstraint(
            model_name='workunit',
            constraint=models.UniqueConstraint(models.F('plan'), models.F('worker'), condition=models.Q(('state__in', ('offered', 'started'))), name='work_unit_at_a_time'),
        ),
        migrations.AddConstraint(
            model_name='workunit',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('ended_at__isnull', True), ('state__in', ('offered', 'started'))), models.Q(models.Q(('state__in', ('offered', 'started')), _negated=True), ('ended_at__isnull', False)), _connector='OR'), name='work_unit_ended_iff_over'),
        ),
        migrations.CreateModel(
            name='Study',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('title', models.CharField(max_length=120)),
                ('state', models.CharField(choices=[('draft', 'draft'), ('running', 'running'), ('paused', 'paused'), ('stopped', 'stopped')], default='draft', max_length=7)),
                ('provider', models.CharField(max_length=20)),
                ('provider_settings', models.JSONField(blank=True, default=dict)),
                ('summary', models.TextField(blank=True)),
                ('instructions', models.TextField(blank=True)),
                ('contact', models.CharField(blank=True, max_length=200)),
                ('unit_size', models.PositiveSmallIntegerField(default=20)),
                ('one_topic', models.BooleanField(default=False)),
                ('unit_minutes', models.PositiveSmallIntegerField(default=60)),
                ('units_per_worker', models.PositiveSmallIntegerField(default=5)),
                ('max_units', models.PositiveIntegerField(blank=True, null=True)),
                ('gold_per_unit', models.PositiveSmallIntegerField(default=4)),
                ('repeats_per_unit', models.PositiveSmallIntegerField(default=0)),
                ('practice_pass', models.PositiveSmallIntegerField(default=0)),
                ('stop_after', models.PositiveSmallIntegerField(default=8)),
                ('stop_below', models.FloatField(default=0.6)),
                ('floor_seconds', models.FloatField(default=2.0)),
                ('floor_per_1000', models.FloatField(default=1.0)),
                ('extra_budget', models.PositiveIntegerField(default=0)),
                ('aggregation', models.CharField(default='dawid-skene-one-coin', max_length=40)),
                ('currency', models.CharField(default='EUR', max_length=3)),
                ('pay_per_unit', models.DecimalField(decimal_places=2, default=Decimal('0'), max_digits=8)),
                ('screen_out_pay', models.DecimalField(decimal_places=2, default=Decimal('0'), max_digits=8)),
                ('hourly_minimum', models.DecimalField(decimal_places=2, default=Decimal('0'), max_digits=8)),
                ('retention_until', models.DateField(blank=True, null=True)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('started_at', models.DateTimeField(blank=True, null=True)),
                ('stopped_at', models.DateTimeField(blank=True, null=True)),
                ('campaign', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='studies', to='campaigns.campaign')),
                ('created_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('plan', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='study', to='judging.plan')),
            ],
            options={
                'verbose_name_plural': 'studies',
                'ordering': ['-pk'],
            },
        ),
        migrations.CreateModel(
            name='Payment',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('judged', models.PositiveSmallIntegerField()),
                ('gold_shown', models.PositiveSmallIntegerField(default=0)),
                ('gold_right', models.PositiveSmallIntegerField(default=0)),
                ('seconds', models.FloatField(default=0.0)),
                ('amount', models.DecimalField(decimal_places=2, max_digits=8)),
                ('bonus', models.DecimalField(decimal_places=2, default=0, max_digits=8)),
                ('currency', models.CharField(max_length=3)),
                ('reason', models.CharField(blank=True, max_length=200)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('unit', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='payment', to='crowd.workunit')),
                ('study', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='payments', to='crowd.study')),
            ],
            options={
                'ordering': ['pk'],
            },
        ),
        migrations.CreateModel(
            name='CrowdKey',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('secret', models.CharField(blank=True, max_length=100)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('destroyed_at', models.DateTimeField(blank=True, null=True)),
                ('campaign', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='crowd_keys', to='campaigns.campaign')),
            ],
            options={
                'ordering': ['pk'],
                'constraints': [models.UniqueConstraint(models.F('campaign'), condition=models.Q(('destroyed_at', None)), name='crowd_key_in_use')],
            },
        ),
        migrations.CreateModel(
            name='Bonus',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('amount', models.DecimalField(decimal_places=2, max_digits=8)),
                ('reason', models.CharField(max_length=200)),
                ('client_uuid', models.UUIDField(unique=True)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('granted_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('payment', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='bonuses', to='crowd.payment')),
            ],
            options={
                'verbose_name_plural': 'bonuses',
                'ordering': ['pk'],
                'constraints': [models.CheckConstraint(condition=models.Q(('amount__gt', 0)), name='bonus_above_zero')],
            },
        ),
        migrations.CreateModel(
            name='ProviderEvent',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('event_id', models.CharField(max_length=200)),
                ('kind', models.CharField(max_length=100)),
                ('body', models.JSONField(default=dict)),
                ('received_at', models.DateTimeField(auto_now_add=True)),
                ('study', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='provider_events', to='crowd.study')),
            ],
            options={
                'ordering': ['pk'],
                'constraints': [models.UniqueConstraint(models.F('study'), models.F('event_id'), name='provider_event_once')],
            },
        ),
        migrations.CreateModel(
            name='LinkKey',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kid', models.CharField(max_length=12)),
                ('secret', models.CharField(max_length=100)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('retired_at', models.DateTimeField(blank=True, null=True)),
                ('created_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('study', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='link_keys', to='crowd.study')),
            ],
            options={
                'ordering': ['-pk'],
                'constraints': [models.UniqueConstraint(models.F('study'), models.F('kid'), name='link_key_once')],
            },
        ),
        migrations.CreateModel(
            name='ConsentText',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('version', models.PositiveIntegerField()),
                ('text', models.TextField()),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('created_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('study', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='consent_texts', to='crowd.study')),
            ],
            options={
                'ordering': ['-version'],
                'constraints': [models.UniqueConstraint(models.F('study'), models.F('version'), name='consent_version_once')],
            },
        ),
    ]
