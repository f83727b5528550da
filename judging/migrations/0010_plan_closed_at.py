"""Plans can be closed; labels in the field's words."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [("judging", "0009_frozen_qrels")]

    operations = [
        migrations.AddField("plan", "closed_at", models.DateTimeField(blank=True, null=True)),
        migrations.AlterField(
            "judgment",
            "kind",
            models.CharField(
                choices=[("grade", "judged"), ("skip", "skipped"), ("withdrawn", "withdrawn")],
                max_length=9,
            ),
        ),
        migrations.AlterField(
            "plan",
            "order",
            models.CharField(
                choices=[
                    ("random", "random within a topic"),
                    ("docno", "by docno"),
                    ("pool", "best pool rank first"),
                    ("value", "highest rank-swap value first"),
                ],
                default="random",
                max_length=8,
            ),
        ),
        migrations.AlterField(
            "plan",
            "rationale",
            models.CharField(
                choices=[
                    ("no", "off"),
                    ("may", "optional"),
                    ("relevant", "required for relevant documents"),
                ],
                default="no",
                max_length=8,
            ),
        ),
        migrations.AlterField(
            "plan",
            "repeat_share",
            models.FloatField(
                default=0.0,
                help_text="Share of an assessor's documents repeated without notice.",
            ),
        ),
        migrations.AlterField(
            "plan",
            "third_from",
            models.PositiveSmallIntegerField(
                default=0,
                help_text="Grade difference that triggers a third judgment; 0 = never.",
            ),
        ),
    ]
