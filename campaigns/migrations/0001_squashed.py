import campaigns.models.campaign
import django.contrib.auth.models
import django.contrib.auth.validators
import django.core.validators
import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    # A database in which all of these ran has these tables; one in which only some ran is refused.
    replaces = [
        ("campaigns", "0001_initial"),
        ("campaigns", "0002_test_fixed_in_advance"),
        ("campaigns", "0003_documents_and_guidelines"),
        ("campaigns", "0004_field_words"),
        ("campaigns", "0005_wording"),
        ("campaigns", "0006_process_heartbeat"),
        ("campaigns", "0007_markdown_length"),
        ("campaigns", "0008_tokens_and_removed_files"),
        ("campaigns", "0009_run_withdrawn_at"),
        ("campaigns", "0010_pages"),
        ("campaigns", "0011_natural_topic_order"),
    ]

    dependencies = [
        ('auth', '0012_alter_user_first_name_max_length'),
    ]

    operations = [
        migrations.CreateModel(
            name='ProcessHeartbeat',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('process', models.CharField(choices=[('tick', 'Tick'), ('worker', 'Worker')], max_length=10, unique=True)),
                ('at', models.DateTimeField()),
            ],
        ),
        migrations.CreateModel(
            name='User',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('password', models.CharField(max_length=128, verbose_name='password')),
                ('last_login', models.DateTimeField(blank=True, null=True, verbose_name='last login')),
                ('is_superuser', models.BooleanField(default=False, help_text='Designates that this user has all permissions without explicitly assigning them.', verbose_name='superuser status')),
                ('username', models.CharField(error_messages={'unique': 'A user with that username already exists.'}, help_text='Required. 150 characters or fewer. Letters, digits and @/./+/-/_ only.', max_length=150, unique=True, validators=[django.contrib.auth.validators.UnicodeUsernameValidator()], verbose_name='username')),
                ('first_name', models.CharField(blank=True, max_length=150, verbose_name='first name')),
                ('last_name', models.CharField(blank=True, max_length=150, verbose_name='last name')),
                ('email', models.EmailField(blank=True, max_length=254, verbose_name='email address')),
                ('is_staff', models.BooleanField(default=False, help_text='Designates whether the user can log into this admin site.', verbose_name='staff status')),
                ('is_active', models.BooleanField(default=True, help_text='Designates whether this user should be treated as active. Unselect this instead of deleting accounts.', verbose_name='active')),
                ('date_joined', models.DateTimeField(default=django.utils.timezone.now, verbose_name='date joined')),
                ('can_create_campaigns', models.BooleanField(default=False)),
                ('groups', models.ManyToManyField(blank=True, help_text='The groups this user belongs to. A user will get all permissions granted to each of their groups.', related_name='user_set', related_query_name='user', to='auth.group', verbose_name='groups')),
                ('user_permissions', models.ManyToManyField(blank=True, help_text='Specific permissions for this user.', related_name='user_set', related_query_name='user', to='auth.permission', verbose_name='user permissions')),
            ],
            options={
                'verbose_name': 'user',
                'verbose_name_plural': 'users',
                'abstract': False,
            },
            managers=[
                ('objects', django.contrib.auth.models.UserManager()),
            ],
        ),
        migrations.CreateModel(
            name='ApiToken',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('digest', models.CharField(max_length=64, unique=True)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('expires_at', models.DateTimeField()),
                ('last_used_at', models.DateTimeField(blank=True, null=True)),
                ('user', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='api_token', to=settings.AUTH_USER_MODEL)),
            ],
        ),
        migrations.CreateModel(
            name='Campaign',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('slug', models.SlugField(max_length=60, unique=True)),
                ('title', models.CharField(max_length=200)),
                ('description', models.TextField(blank=True, help_text='Markdown. Visible to members.', validators=[django.core.validators.MaxLengthValidator(50000)])),
                ('guidelines', models.TextField(blank=True, help_text='Markdown. Shown to assessors next to every document.', validators=[django.core.validators.MaxLengthValidator(50000)])),
                ('guideline_version', models.PositiveIntegerField(default=0, editable=False, help_text='Guideline version; 0 if none exist.')),
                ('relevance_level', models.SmallIntegerField(default=1, help_text='Lowest grade counted as relevant in binary measures.')),
                ('text_layout', models.CharField(choices=[('automatic', 'As each document needs'), ('written', 'As written, in fixed width'), ('wrapped', 'Wrapped, as prose')], default='automatic', help_text='On the judging screen; each assessor can change it.', max_length=9, verbose_name='layout of plain text')),
                ('max_runs_per_team', models.PositiveIntegerField(blank=True, default=5, help_text='Maximum number of accepted runs. Leave empty for no limit.', null=True)),
                ('max_docs_per_topic', models.PositiveIntegerField(default=1000, help_text='Per run.', validators=[django.core.validators.MinValueValidator(1)])),
                ('require_all_topics', models.BooleanField(default=False, help_text='Reject runs that omit a topic.')),
                ('runs_deadline', models.DateTimeField(blank=True, help_text='UTC.', null=True)),
                ('judging_deadline', models.DateTimeField(blank=True, help_text='UTC.', null=True)),
                ('board', models.CharField(choices=[('own', 'Own scores with best, median and worst'), ('pseudonyms', 'Full leaderboard, other teams under pseudonyms'), ('names', 'Full leaderboard with team names')], default='own', max_length=12, verbose_name='visible to participants after release')),
                ('measures', models.JSONField(blank=True, default=list)),
                ('test', models.CharField(choices=[('t', 'Paired t test'), ('wilcoxon', 'Wilcoxon signed-rank test'), ('sign', 'Sign test'), ('randomisation', 'Randomization test'), ('bootstrap', 'Bootstrap test'), ('tukey-hsd', "Tukey's HSD, all runs at once"), ('randomised-tukey-hsd', 'Randomized Tukey HSD, all runs at once')], default='t', help_text='Set in advance; cannot be changed once scores have been computed.', max_length=20, verbose_name='significance test')),
                ('correction', models.CharField(choices=[('none', 'None'), ('bonferroni', 'Bonferroni'), ('holm', 'Holm'), ('bh', 'Benjamini–Hochberg')], default='holm', help_text="Applied to the p values of all run pairs. Not needed for Tukey's tests.", max_length=10, verbose_name='multiple-comparison correction')),
                ('alpha', models.FloatField(default=0.05, help_text='Differences with p at or below this level are significant.', validators=[django.core.validators.MinValueValidator(0.0001), django.core.validators.MaxValueValidator(0.5)], verbose_name='significance level')),
                ('seed', models.PositiveIntegerField(default=campaigns.models.campaign.random_seed, editable=False)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('created_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['-created_at', 'slug'],
            },
        ),
        migrations.CreateModel(
            name='Team',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=60)),
                ('campaign', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='teams', to='campaigns.campaign')),
            ],
            options={
                'ordering': ['name'],
            },
        ),
        migrations.CreateModel(
            name='Run',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('tag', models.CharField(max_length=60)),
                ('description', models.TextField(blank=True)),
                ('kind', models.CharField(choices=[('automatic', 'automatic'), ('manual', 'manual')], default='automatic', max_length=10)),
                ('priority', models.PositiveSmallIntegerField(default=1, help_text='Judging precedence; 1 is first.')),
                ('state', models.CharField(choices=[('received', 'checking'), ('accepted', 'accepted'), ('rejected', 'rejected'), ('replaced', 'replaced'), ('withdrawn', 'withdrawn')], default='received', max_length=10)),
                ('file', models.CharField(blank=True, max_length=200)),
                ('file_removed_at', models.DateTimeField(blank=True, null=True)),
                ('file_name', models.CharField(max_length=200)),
                ('size', models.PositiveBigIntegerField()),
                ('sha256', models.CharField(max_length=64)),
                ('normalised_hash', models.CharField(blank=True, max_length=64)),
                ('lines', models.PositiveIntegerField(default=0)),
                ('report', models.JSONField(default=dict)),
                ('matrix', models.CharField(blank=True, max_length=200)),
                ('submitted_at', models.DateTimeField(auto_now_add=True)),
                ('checked_at', models.DateTimeField(blank=True, null=True)),
                ('withdrawn_at', models.DateTimeField(blank=True, null=True)),
                ('campaign', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='runs', to='campaigns.campaign')),
                ('replaces', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='campaigns.run')),
                ('submitted_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('team', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='runs', to='campaigns.team')),
            ],
            options={
                'ordering': ['team__name', 'priority', 'tag', 'pk'],
            },
        ),
        migrations.CreateModel(
            name='Member',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('role', models.CharField(choices=[('organizer', 'Organizer'), ('assessor', 'Assessor'), ('adjudicator', 'Adjudicator'), ('participant', 'Participant'), ('viewer', 'Viewer')], max_length=12)),
                ('joined_at', models.DateTimeField(auto_now_add=True)),
                ('campaign', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='members', to='campaigns.campaign')),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='memberships', to=settings.AUTH_USER_MODEL)),
                ('team', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='members', to='campaigns.team')),
            ],
            options={
                'ordering': ['role', 'user__username'],
            },
        ),
        migrations.CreateModel(
            name='Invitation',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('role', models.CharField(choices=[('organizer', 'Organizer'), ('assessor', 'Assessor'), ('adjudicator', 'Adjudicator'), ('participant', 'Participant'), ('viewer', 'Viewer')], max_length=12)),
                ('uses_left', models.PositiveIntegerField(default=1)),
                ('expires_at', models.DateTimeField()),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('campaign', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='invitations', to='campaigns.campaign')),
                ('created_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('team', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, to='campaigns.team')),
            ],
            options={
                'ordering': ['-created_at'],
            },
        ),
        migrations.CreateModel(
            name='Topic',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.CharField(max_length=100)),
                ('title', models.TextField()),
                ('description', models.TextField(blank=True)),
                ('narrative', models.TextField(blank=True)),
                ('withheld', models.BooleanField(default=False, help_text='Reserved for training: excluded from runs and scores.')),
                ('position', models.PositiveIntegerField(default=0)),
                ('campaign', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='topics', to='campaigns.campaign')),
            ],
            options={
                'ordering': ['position', 'number'],
            },
        ),
        migrations.CreateModel(
            name='CampaignThreshold',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=60)),
                ('value', models.FloatField()),
                ('campaign', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='thresholds', to='campaigns.campaign')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('campaign', 'name'), name='threshold_of_campaign')],
            },
        ),
        migrations.CreateModel(
            name='Document',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('docno', models.CharField(max_length=500)),
                ('title', models.TextField(blank=True)),
                ('body', models.TextField(blank=True)),
                ('url', models.TextField(blank=True)),
                ('date', models.CharField(blank=True, max_length=60)),
                ('format', models.CharField(choices=[('text', 'text'), ('html', 'HTML'), ('pdf', 'PDF'), ('image', 'image')], default='text', max_length=5)),
                ('file', models.CharField(blank=True, max_length=200)),
                ('media_type', models.CharField(blank=True, max_length=60)),
                ('size', models.PositiveBigIntegerField(default=0, help_text='File size in bytes.')),
                ('sha256', models.CharField(max_length=64)),
                ('source_sha256', models.CharField(blank=True, max_length=64)),
                ('campaign', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='documents', to='campaigns.campaign')),
            ],
            options={
                'ordering': ['docno'],
                'constraints': [models.UniqueConstraint(models.F('campaign'), models.F('docno'), name='docno_once'), models.CheckConstraint(condition=models.Q(('format__in', ('pdf', 'image')), ('file', ''), _connector='XOR'), name='file_iff_not_text')],
            },
        ),
        migrations.CreateModel(
            name='Event',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('code', models.CharField(max_length=60)),
                ('subject', models.CharField(blank=True, max_length=200)),
                ('data', models.JSONField(default=dict)),
                ('at', models.DateTimeField(auto_now_add=True)),
                ('actor', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('campaign', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='events', to='campaigns.campaign')),
            ],
            options={
                'ordering': ['-at', '-pk'],
                'indexes': [models.Index(fields=['campaign', '-at'], name='campaigns_e_campaig_244aa3_idx')],
            },
        ),
        migrations.CreateModel(
            name='Grade',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('value', models.SmallIntegerField()),
                ('label', models.CharField(max_length=60)),
                ('key', models.CharField(max_length=1)),
                ('gain', models.FloatField(default=0.0, validators=[django.core.validators.MinValueValidator(0.0)])),
                ('meaning', models.CharField(blank=True, max_length=200)),
                ('campaign', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='grades', to='campaigns.campaign')),
            ],
            options={
                'ordering': ['value'],
                'constraints': [models.UniqueConstraint(models.F('campaign'), models.F('value'), name='grade_value_once'), models.UniqueConstraint(models.F('campaign'), models.F('key'), name='grade_key_once')],
            },
        ),
        migrations.CreateModel(
            name='Guideline',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('version', models.PositiveIntegerField()),
                ('text', models.TextField(blank=True)),
                ('sha256', models.CharField(max_length=64)),
                ('at', models.DateTimeField(default=django.utils.timezone.now)),
                ('by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('campaign', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='guideline_versions', to='campaigns.campaign')),
            ],
            options={
                'ordering': ['-version'],
                'constraints': [models.UniqueConstraint(models.F('campaign'), models.F('version'), name='guideline_version_once')],
            },
        ),
        migrations.CreateModel(
            name='Job',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(max_length=60)),
                ('args', models.JSONField(default=dict)),
                ('state', models.CharField(choices=[('queued', 'waiting'), ('running', 'running'), ('done', 'done'), ('failed', 'failed')], default='queued', max_length=8)),
                ('done', models.PositiveIntegerField(default=0)),
                ('of', models.PositiveIntegerField(default=0)),
                ('error', models.TextField(blank=True)),
                ('result', models.JSONField(default=dict)),
                ('attempts', models.PositiveSmallIntegerField(default=0)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('heartbeat', models.DateTimeField(blank=True, null=True)),
                ('finished_at', models.DateTimeField(blank=True, null=True)),
                ('campaign', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='jobs', to='campaigns.campaign')),
                ('created_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['-created_at', '-pk'],
                'constraints': [models.CheckConstraint(condition=models.Q(('of', 0), ('done__lte', models.F('of')), _connector='OR'), name='job_done_le_of')],
            },
        ),
        migrations.CreateModel(
            name='PairChunk',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('start', models.PositiveIntegerField()),
                ('count', models.PositiveIntegerField()),
                ('path', models.CharField(max_length=200)),
                ('campaign', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='pair_chunks', to='campaigns.campaign')),
            ],
            options={
                'ordering': ['start'],
                'constraints': [models.UniqueConstraint(models.F('campaign'), models.F('start'), name='pair_chunk_start_once')],
            },
        ),
        migrations.CreateModel(
            name='Snapshot',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=60)),
                ('inputs', models.CharField(max_length=64)),
                ('data', models.JSONField()),
                ('computed_at', models.DateTimeField()),
                ('campaign', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='snapshots', to='campaigns.campaign')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('campaign', 'name'), name='snapshot_of_campaign')],
            },
        ),
        migrations.AddConstraint(
            model_name='team',
            constraint=models.UniqueConstraint(models.F('campaign'), models.F('name'), name='team_name_once'),
        ),
        migrations.AddConstraint(
            model_name='run',
            constraint=models.UniqueConstraint(models.F('campaign'), models.F('tag'), condition=models.Q(('state', 'accepted')), name='tag_of_one_accepted_run'),
        ),
        migrations.AddConstraint(
            model_name='member',
            constraint=models.UniqueConstraint(models.F('campaign'), models.F('user'), models.F('role'), name='member_role_once'),
        ),
        migrations.AddConstraint(
            model_name='member',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('role', 'participant'), ('team__isnull', False)), models.Q(models.Q(('role', 'participant'), _negated=True), ('team__isnull', True)), _connector='OR'), name='team_iff_participant'),
        ),
        migrations.AddConstraint(
            model_name='invitation',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('role', 'participant'), ('team__isnull', False)), models.Q(models.Q(('role', 'participant'), _negated=True), ('team__isnull', True)), _connector='OR'), name='invitation_team_iff_participant'),
        ),
        migrations.AddConstraint(
            model_name='topic',
            constraint=models.UniqueConstraint(models.F('campaign'), models.F('number'), name='topic_number_once'),
        ),
    ]
