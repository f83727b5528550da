import django.db.models.deletion
import django.utils.timezone
import uuid
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    # Apart from 0001: slots and judgments name units of crowd, and these name plans.
    replaces = [
        ("judging", "0014_crowd"),
        ("judging", "0015_crowd_kernel"),
        ("judging", "0016_today"),
    ]

    dependencies = [
        ('campaigns', '0001_squashed'),
        ('crowd', '0001_squashed'),
        ('judging', '0001_squashed'),
        ('pooling', '0001_squashed'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='Slot',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('k', models.PositiveSmallIntegerField()),
                ('position', models.PositiveIntegerField()),
                ('state', models.CharField(choices=[('open', 'open'), ('leased', 'leased'), ('judged', 'judged'), ('skipped', 'skipped')], default='open', max_length=8)),
                ('token', models.UUIDField(default=uuid.uuid4)),
                ('leased_at', models.DateTimeField(blank=True, null=True)),
                ('expires_at', models.DateTimeField(blank=True, null=True)),
                ('purpose', models.CharField(choices=[('judge', 'judgment'), ('repeat', 'blind repeat'), ('adjudicate', 'adjudication'), ('training', 'training'), ('automatic', 'automatic'), ('gold', 'gold')], default='judge', max_length=10)),
                ('value', models.FloatField(blank=True, null=True)),
                ('guideline_version', models.PositiveIntegerField(blank=True, null=True)),
                ('unit_position', models.PositiveSmallIntegerField(blank=True, null=True)),
                ('assessor', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='%(class)ss', to=settings.AUTH_USER_MODEL)),
                ('gold', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='slots', to='crowd.goldpair')),
                ('item', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='slots', to='pooling.poolitem')),
                ('plan', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='slots', to='judging.plan')),
                ('reserved_for', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='reserved_%(class)ss', to=settings.AUTH_USER_MODEL)),
                ('topic', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='campaigns.topic')),
                ('unit', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='slots', to='crowd.workunit')),
            ],
            options={
                'ordering': ['position', 'k'],
                'abstract': False,
            },
        ),
        migrations.CreateModel(
            name='Judgment',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('docno', models.CharField(max_length=500)),
                ('purpose', models.CharField(choices=[('judge', 'judgment'), ('repeat', 'blind repeat'), ('adjudicate', 'adjudication'), ('training', 'training'), ('automatic', 'automatic'), ('gold', 'gold')], default='judge', max_length=10)),
                ('revision', models.PositiveIntegerField()),
                ('kind', models.CharField(choices=[('grade', 'judged'), ('skip', 'skipped'), ('withdrawn', 'withdrawn')], max_length=9)),
                ('grade', models.SmallIntegerField(blank=True, null=True)),
                ('reason', models.CharField(blank=True, max_length=200)),
                ('comment', models.TextField(blank=True)),
                ('flags', models.JSONField(blank=True, default=list)),
                ('duplicate_of', models.CharField(blank=True, max_length=500)),
                ('passages', models.JSONField(blank=True, default=list)),
                ('source', models.CharField(choices=[('screen', 'judging screen'), ('api', 'API'), ('import', 'imported'), ('crowd', 'crowd page')], max_length=6)),
                ('client_uuid', models.UUIDField(default=uuid.uuid4, unique=True)),
                ('lease', models.UUIDField(blank=True, null=True)),
                ('order', models.CharField(blank=True, max_length=8)),
                ('guideline_version', models.PositiveIntegerField(default=0)),
                ('rank_shown', models.PositiveIntegerField(blank=True, null=True)),
                ('served_at', models.DateTimeField(blank=True, null=True)),
                ('active_seconds', models.FloatField(blank=True, null=True)),
                ('document_sha256', models.CharField(blank=True, max_length=64)),
                ('third', models.BooleanField(default=False)),
                ('judged_at', models.DateTimeField(auto_now_add=True)),
                ('assessor', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='judgments', to=settings.AUTH_USER_MODEL)),
                ('campaign', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='judgments', to='campaigns.campaign')),
                ('topic', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='judgments', to='campaigns.topic')),
                ('slot', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='judgments', to='judging.slot')),
                ('unit', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='judgments', to='crowd.workunit')),
            ],
            options={
                'ordering': ['pk'],
            },
        ),
        migrations.CreateModel(
            name='Exclusion',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('reason', models.CharField(max_length=500)),
                ('set_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ('actor', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('campaign', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='exclusions', to='campaigns.campaign')),
                ('undoes', models.OneToOneField(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='undone_by', to='judging.exclusion')),
                ('worker', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='exclusions', to='crowd.crowdworker')),
                ('unit', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='exclusions', to='crowd.workunit')),
            ],
            options={
                'ordering': ['pk'],
            },
        ),
        migrations.AddIndex(
            model_name='slot',
            index=models.Index(fields=['topic', 'purpose', 'state', 'position'], name='slot_next'),
        ),
        migrations.AddIndex(
            model_name='slot',
            index=models.Index(fields=['plan', 'purpose', 'state', 'position'], name='slot_next_of_plan'),
        ),
        migrations.AddIndex(
            model_name='slot',
            index=models.Index(fields=['assessor', 'state'], name='slot_of_assessor'),
        ),
        migrations.AddIndex(
            model_name='slot',
            index=models.Index(fields=['plan', 'purpose', 'topic', 'state', 'assessor', 'item'], name='slot_tally'),
        ),
        migrations.AddConstraint(
            model_name='slot',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('expires_at__isnull', False), ('state', 'leased')), models.Q(models.Q(('state', 'leased'), _negated=True), ('expires_at__isnull', True)), _connector='OR'), name='slot_expires_iff_leased'),
        ),
        migrations.AddConstraint(
            model_name='slot',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('assessor__isnull', True), ('state', 'open')), models.Q(models.Q(('state', 'open'), _negated=True), ('assessor__isnull', False)), _connector='OR'), name='slot_assessor_iff_taken'),
        ),
        migrations.AddConstraint(
            model_name='slot',
            constraint=models.UniqueConstraint(models.F('item'), models.F('purpose'), models.F('k'), name='slot_once'),
        ),
        migrations.AddConstraint(
            model_name='slot',
            constraint=models.UniqueConstraint(models.F('item'), models.F('purpose'), models.F('assessor'), name='slot_of_assessor_once'),
        ),
        migrations.AddConstraint(
            model_name='slot',
            constraint=models.UniqueConstraint(models.F('gold'), models.F('assessor'), name='gold_slot_of_assessor_once'),
        ),
        migrations.AddConstraint(
            model_name='slot',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('gold__isnull', False), ('item__isnull', True), ('purpose', 'gold')), models.Q(models.Q(('purpose', 'gold'), _negated=True), ('gold__isnull', True), ('item__isnull', False)), _connector='OR'), name='slot_of_gold_or_item'),
        ),
        migrations.AddIndex(
            model_name='judgment',
            index=models.Index(fields=['campaign', 'assessor', '-judged_at'], name='judging_jud_campaig_1480d0_idx'),
        ),
        migrations.AddIndex(
            model_name='judgment',
            index=models.Index(fields=['assessor', 'topic', 'docno'], name='judgment_of_assessor'),
        ),
        migrations.AddConstraint(
            model_name='judgment',
            constraint=models.UniqueConstraint(models.F('campaign'), models.F('topic'), models.F('docno'), models.F('assessor'), models.F('purpose'), models.F('revision'), name='judgment_revision_once'),
        ),
        migrations.AddConstraint(
            model_name='judgment',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('grade__isnull', False), ('kind', 'grade')), models.Q(models.Q(('kind', 'grade'), _negated=True), ('grade__isnull', True)), _connector='OR'), name='judgment_grade_iff_judged'),
        ),
    ]
