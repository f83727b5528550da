"""Labels, help texts and names of choices."""

import django.core.validators
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('campaigns', '0004_field_words'),
    ]

    operations = [
        migrations.AlterField(
            model_name='campaign',
            name='alpha',
            field=models.FloatField(default=0.05, help_text='Differences with p at or below this level are significant.', validators=[django.core.validators.MinValueValidator(0.0001), django.core.validators.MaxValueValidator(0.5)], verbose_name='significance level'),
        ),
        migrations.AlterField(
            model_name='campaign',
            name='board',
            field=models.CharField(choices=[('own', 'Own scores with best, median and worst'), ('pseudonyms', 'Full leaderboard, other teams under pseudonyms'), ('names', 'Full leaderboard with team names')], default='own', max_length=12, verbose_name='visible to participants after release'),
        ),
        migrations.AlterField(
            model_name='campaign',
            name='correction',
            field=models.CharField(choices=[('none', 'None'), ('bonferroni', 'Bonferroni'), ('holm', 'Holm'), ('bh', 'Benjamini–Hochberg')], default='holm', help_text="Applied to the p values of all run pairs. Not needed for Tukey's tests.", max_length=10, verbose_name='multiple-comparison correction'),
        ),
        migrations.AlterField(
            model_name='campaign',
            name='description',
            field=models.TextField(blank=True, help_text='Markdown. Visible to members.'),
        ),
        migrations.AlterField(
            model_name='campaign',
            name='guideline_version',
            field=models.PositiveIntegerField(default=0, editable=False, help_text='Guideline version; 0 if none exist.'),
        ),
        migrations.AlterField(
            model_name='campaign',
            name='guidelines',
            field=models.TextField(blank=True, help_text='Markdown. Shown to assessors next to every document.'),
        ),
        migrations.AlterField(
            model_name='campaign',
            name='max_runs_per_team',
            field=models.PositiveIntegerField(blank=True, default=5, help_text='Maximum number of accepted runs. Leave empty for no limit.', null=True),
        ),
        migrations.AlterField(
            model_name='campaign',
            name='relevance_level',
            field=models.SmallIntegerField(default=1, help_text='Lowest grade counted as relevant in binary measures.'),
        ),
        migrations.AlterField(
            model_name='campaign',
            name='require_all_topics',
            field=models.BooleanField(default=False, help_text='Reject runs that omit a topic.'),
        ),
        migrations.AlterField(
            model_name='campaign',
            name='test',
            field=models.CharField(choices=[('t', 'Paired t test'), ('wilcoxon', 'Wilcoxon signed-rank test'), ('sign', 'Sign test'), ('randomisation', 'Randomization test'), ('bootstrap', 'Bootstrap test'), ('tukey-hsd', "Tukey's HSD, all runs at once"), ('randomised-tukey-hsd', 'Randomized Tukey HSD, all runs at once')], default='t', help_text='Set in advance; cannot be changed once scores have been computed.', max_length=20, verbose_name='significance test'),
        ),
        migrations.AlterField(
            model_name='document',
            name='size',
            field=models.PositiveBigIntegerField(default=0, help_text='File size in bytes.'),
        ),
        migrations.AlterField(
            model_name='run',
            name='priority',
            field=models.PositiveSmallIntegerField(default=1, help_text='Judging precedence; 1 is first.'),
        ),
        migrations.AlterField(
            model_name='topic',
            name='withheld',
            field=models.BooleanField(default=False, help_text='Reserved for training: excluded from runs and scores.'),
        ),
    ]
