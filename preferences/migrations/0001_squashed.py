import django.db.models.deletion
import uuid
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    # A database in which all of these ran has these tables; one in which only some ran is refused.
    replaces = [
        ("preferences", "0001_initial"),
        ("preferences", "0002_preference_reason"),
        ("preferences", "0003_click_log_own_lists"),
    ]

    dependencies = [
        ('campaigns', '0001_squashed'),
        ('pooling', '0001_squashed'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='ClickLog',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=120)),
                ('sha256', models.CharField(max_length=64)),
                ('sessions', models.PositiveIntegerField()),
                ('preferences', models.PositiveIntegerField()),
                ('own_lists', models.JSONField(default=dict)),
                ('imported_at', models.DateTimeField(auto_now_add=True)),
                ('campaign', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='click_logs', to='campaigns.campaign')),
                ('imported_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['-pk'],
            },
        ),
        migrations.CreateModel(
            name='ClickPreference',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('better', models.CharField(max_length=500)),
                ('worse', models.CharField(max_length=500)),
                ('times', models.PositiveIntegerField()),
                ('log', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='pairs', to='preferences.clicklog')),
                ('topic', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='campaigns.topic')),
            ],
            options={
                'ordering': ['pk'],
            },
        ),
        migrations.CreateModel(
            name='ComparisonPlan',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(choices=[('documents', 'two documents'), ('rankings', 'two rankings'), ('interleaved', 'interleaved list')], max_length=11)),
                ('title', models.CharField(max_length=120)),
                ('question', models.CharField(blank=True, max_length=300)),
                ('depth', models.PositiveSmallIntegerField(default=10)),
                ('method', models.CharField(blank=True, choices=[('balanced', 'balanced'), ('team-draft', 'team draft')], max_length=10)),
                ('judges', models.PositiveSmallIntegerField(default=1)),
                ('ties', models.BooleanField(default=True)),
                ('seed', models.PositiveIntegerField()),
                ('state', models.CharField(choices=[('open', 'open'), ('paused', 'paused'), ('closed', 'closed')], default='open', max_length=6)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('closed_at', models.DateTimeField(blank=True, null=True)),
                ('campaign', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='comparison_plans', to='campaigns.campaign')),
                ('created_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('pool', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='pooling.pool')),
                ('run_a', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='campaigns.run')),
                ('run_b', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='campaigns.run')),
            ],
            options={
                'ordering': ['-pk'],
            },
        ),
        migrations.CreateModel(
            name='Comparison',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('docno_a', models.CharField(blank=True, max_length=500)),
                ('docno_b', models.CharField(blank=True, max_length=500)),
                ('content', models.JSONField(blank=True, default=dict)),
                ('position', models.PositiveIntegerField()),
                ('topic', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='campaigns.topic')),
                ('plan', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='comparisons', to='preferences.comparisonplan')),
            ],
            options={
                'ordering': ['position', 'pk'],
            },
        ),
        migrations.CreateModel(
            name='ComparisonSlot',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('k', models.PositiveSmallIntegerField()),
                ('position', models.PositiveIntegerField()),
                ('state', models.CharField(choices=[('open', 'open'), ('leased', 'leased'), ('judged', 'judged'), ('skipped', 'skipped')], default='open', max_length=8)),
                ('token', models.UUIDField(default=uuid.uuid4)),
                ('leased_at', models.DateTimeField(blank=True, null=True)),
                ('expires_at', models.DateTimeField(blank=True, null=True)),
                ('swapped', models.BooleanField(default=False)),
                ('assessor', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='%(class)ss', to=settings.AUTH_USER_MODEL)),
                ('comparison', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='slots', to='preferences.comparison')),
                ('reserved_for', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='reserved_%(class)ss', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['position', 'k'],
                'abstract': False,
            },
        ),
        migrations.CreateModel(
            name='Preference',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('revision', models.PositiveIntegerField()),
                ('kind', models.CharField(choices=[('choice', 'judged'), ('skip', 'skipped'), ('withdrawn', 'withdrawn')], max_length=9)),
                ('choice', models.CharField(blank=True, choices=[('a', 'A'), ('b', 'B'), ('tie', 'tie')], max_length=3)),
                ('picks', models.JSONField(blank=True, default=list)),
                ('reason', models.CharField(blank=True, max_length=40)),
                ('comment', models.TextField(blank=True)),
                ('swapped', models.BooleanField(default=False)),
                ('client_uuid', models.UUIDField(default=uuid.uuid4, unique=True)),
                ('lease', models.UUIDField(blank=True, null=True)),
                ('served_at', models.DateTimeField(blank=True, null=True)),
                ('active_seconds', models.FloatField(blank=True, null=True)),
                ('judged_at', models.DateTimeField(auto_now_add=True)),
                ('assessor', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='preferences', to=settings.AUTH_USER_MODEL)),
                ('campaign', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='preferences', to='campaigns.campaign')),
                ('comparison', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='preferences', to='preferences.comparison')),
                ('slot', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='preferences', to='preferences.comparisonslot')),
            ],
            options={
                'ordering': ['pk'],
            },
        ),
        migrations.AddConstraint(
            model_name='clicklog',
            constraint=models.UniqueConstraint(models.F('campaign'), models.F('sha256'), name='click_log_once'),
        ),
        migrations.AddConstraint(
            model_name='clickpreference',
            constraint=models.UniqueConstraint(models.F('log'), models.F('topic'), models.F('better'), models.F('worse'), name='click_pair_once'),
        ),
        migrations.AddConstraint(
            model_name='comparison',
            constraint=models.UniqueConstraint(models.F('plan'), models.F('topic'), models.F('docno_a'), models.F('docno_b'), name='comparison_once'),
        ),
        migrations.AddConstraint(
            model_name='comparisonslot',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('expires_at__isnull', False), ('state', 'leased')), models.Q(models.Q(('state', 'leased'), _negated=True), ('expires_at__isnull', True)), _connector='OR'), name='comparisonslot_expires_iff_leased'),
        ),
        migrations.AddConstraint(
            model_name='comparisonslot',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('assessor__isnull', True), ('state', 'open')), models.Q(models.Q(('state', 'open'), _negated=True), ('assessor__isnull', False)), _connector='OR'), name='comparisonslot_assessor_iff_taken'),
        ),
        migrations.AddConstraint(
            model_name='comparisonslot',
            constraint=models.UniqueConstraint(models.F('comparison'), models.F('k'), name='comparison_slot_once'),
        ),
        migrations.AddConstraint(
            model_name='comparisonslot',
            constraint=models.UniqueConstraint(models.F('comparison'), models.F('assessor'), name='comparison_slot_of_assessor_once'),
        ),
        migrations.AddConstraint(
            model_name='preference',
            constraint=models.UniqueConstraint(models.F('comparison'), models.F('assessor'), models.F('revision'), name='preference_revision_once'),
        ),
        migrations.AddConstraint(
            model_name='preference',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('kind', 'choice'), models.Q(('choice', ''), _negated=True)), models.Q(models.Q(('kind', 'choice'), _negated=True), ('choice', '')), _connector='OR'), name='preference_choice_iff_judged'),
        ),
    ]
