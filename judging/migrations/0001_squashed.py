import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    # A database in which all of these ran has these tables; one in which only some ran is refused.
    replaces = [
        ("judging", "0001_initial"),
        ("judging", "0002_purposes"),
        ("judging", "0003_assignment_paused"),
        ("judging", "0004_qrels_policy"),
        ("judging", "0005_slot_order"),
        ("judging", "0006_judgment_index"),
        ("judging", "0007_assignment_left"),
        ("judging", "0008_stopping_rules"),
        ("judging", "0009_frozen_qrels"),
        ("judging", "0010_plan_closed_at"),
        ("judging", "0011_plan_state"),
        ("judging", "0012_slot_guideline_version"),
        ("judging", "0013_judgment_third"),
        # Not in 0002: a database without it is refused before anything is created.
        ("judging", "0017_slot_tally"),
    ]

    dependencies = [
        ('campaigns', '0001_squashed'),
        ('pooling', '0001_squashed'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='AlarmDismissal',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=40)),
                ('subject', models.CharField(blank=True, max_length=500)),
                ('severity', models.FloatField()),
                ('sentence', models.TextField()),
                ('reason', models.CharField(blank=True, max_length=500)),
                ('aside', models.BooleanField(default=True)),
                ('at', models.DateTimeField(auto_now_add=True)),
                ('actor', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('campaign', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='alarm_dismissals', to='campaigns.campaign')),
            ],
            options={
                'ordering': ['pk'],
            },
        ),
        migrations.CreateModel(
            name='Plan',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(choices=[('judge', 'judging'), ('adjudicate', 'adjudication')], default='judge', max_length=10)),
                ('design', models.CharField(default='overlap', max_length=20)),
                ('parameters', models.JSONField(blank=True, default=dict)),
                ('overlap', models.PositiveSmallIntegerField(default=1)),
                ('max_overlap', models.PositiveSmallIntegerField(blank=True, null=True)),
                ('audience', models.CharField(choices=[('members', 'assessors'), ('crowd', 'crowd workers')], default='members', max_length=7)),
                ('order', models.CharField(choices=[('random', 'random within a topic'), ('docno', 'by docno'), ('pool', 'best pool rank first'), ('value', 'highest rank-swap value first')], default='random', max_length=8)),
                ('third_from', models.PositiveSmallIntegerField(default=0, help_text='Grade difference that triggers a third judgment; 0 = never.')),
                ('repeat_share', models.FloatField(default=0.0, help_text="Share of an assessor's documents repeated without notice.")),
                ('rationale', models.CharField(choices=[('no', 'off'), ('may', 'optional'), ('relevant', 'required for relevant documents')], default='no', max_length=8)),
                ('blind', models.BooleanField(default=True, help_text='Adjudicators do not see the judgments.')),
                ('state', models.CharField(choices=[('open', 'open'), ('paused', 'paused'), ('closed', 'closed')], default='open', max_length=6)),
                ('closed_at', models.DateTimeField(blank=True, null=True)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('campaign', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='plans', to='campaigns.campaign')),
                ('created_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('pool', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='plans', to='pooling.pool')),
            ],
            options={
                'ordering': ['-created_at', '-pk'],
            },
        ),
        migrations.CreateModel(
            name='Assignment',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('paused', models.BooleanField(default=False)),
                ('left', models.BooleanField(default=False)),
                ('assessor', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='assignments', to=settings.AUTH_USER_MODEL)),
                ('topic', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='campaigns.topic')),
                ('plan', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='assignments', to='judging.plan')),
            ],
            options={
                'ordering': ['topic__position', 'topic__number', 'assessor__username'],
            },
        ),
        migrations.CreateModel(
            name='Qrels',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('version', models.PositiveIntegerField()),
                ('policy', models.CharField(max_length=250)),
                ('as_of', models.DateTimeField()),
                ('path', models.CharField(max_length=200)),
                ('sha256', models.CharField(max_length=64)),
                ('pairs', models.PositiveIntegerField()),
                ('manifest', models.JSONField()),
                ('note', models.CharField(blank=True, max_length=200)),
                ('frozen_at', models.DateTimeField(auto_now_add=True)),
                ('campaign', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='qrels', to='campaigns.campaign')),
                ('frozen_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'verbose_name_plural': 'qrels',
                'ordering': ['-version'],
            },
        ),
        migrations.CreateModel(
            name='ReviewRequest',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('message', models.TextField(blank=True)),
                ('documents', models.JSONField(blank=True, default=list)),
                ('requested_at', models.DateTimeField(auto_now_add=True)),
                ('done_at', models.DateTimeField(blank=True, null=True)),
                ('assessor', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='review_requests', to=settings.AUTH_USER_MODEL)),
                ('campaign', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='review_requests', to='campaigns.campaign')),
                ('requested_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['-pk'],
            },
        ),
        migrations.CreateModel(
            name='StoppedTopic',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('at', models.DateTimeField(auto_now_add=True)),
                ('topic', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='stopped', to='campaigns.topic')),
            ],
        ),
        migrations.CreateModel(
            name='StoppingRule',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('documents', models.PositiveIntegerField(blank=True, null=True)),
                ('relevant', models.PositiveIntegerField(blank=True, null=True)),
                ('no_relevant_in', models.PositiveIntegerField(blank=True, null=True)),
                ('set_at', models.DateTimeField(auto_now_add=True)),
                ('campaign', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='stopping_rules', to='campaigns.campaign')),
                ('set_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['-pk'],
            },
        ),
        migrations.CreateModel(
            name='TrainingPair',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('audience', models.CharField(choices=[('members', 'assessors'), ('crowd', 'crowd workers')], default='members', max_length=7)),
                ('docno', models.CharField(max_length=500)),
                ('grade', models.SmallIntegerField()),
                ('explanation', models.TextField(blank=True)),
                ('position', models.PositiveIntegerField()),
                ('campaign', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='training', to='campaigns.campaign')),
                ('topic', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='campaigns.topic')),
            ],
            options={
                'ordering': ['position', 'pk'],
            },
        ),
        migrations.CreateModel(
            name='AutomaticAssessor',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.SlugField(max_length=60)),
                ('description', models.TextField(blank=True)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('campaign', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='automatic_assessors', to='campaigns.campaign')),
                ('created_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('user', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='automatic', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['name'],
                'constraints': [models.UniqueConstraint(models.F('campaign'), models.F('name'), name='automatic_name_once')],
            },
        ),
        migrations.AddConstraint(
            model_name='plan',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('closed_at__isnull', False), ('state', 'closed')), models.Q(models.Q(('state', 'closed'), _negated=True), ('closed_at__isnull', True)), _connector='OR'), name='plan_closed_at_iff_closed'),
        ),
        migrations.AddConstraint(
            model_name='assignment',
            constraint=models.UniqueConstraint(models.F('plan'), models.F('topic'), models.F('assessor'), name='assignment_once'),
        ),
        migrations.AddConstraint(
            model_name='qrels',
            constraint=models.UniqueConstraint(models.F('campaign'), models.F('version'), name='qrels_version_once'),
        ),
        migrations.AddConstraint(
            model_name='trainingpair',
            constraint=models.UniqueConstraint(models.F('campaign'), models.F('audience'), models.F('topic'), models.F('docno'), name='training_pair_once'),
        ),
    ]
