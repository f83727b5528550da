import django.db.models.deletion
from django.db import migrations, models


def name_kinds(apps, _editor):
    """Score sets of the past: none is an estimate."""
    sets = apps.get_model("evaluation", "ScoreSet").objects.select_related("qrels")
    pools = apps.get_model("pooling", "Pool").objects
    items = apps.get_model("pooling", "PoolItem").objects
    for score_set in sets.order_by("pk"):
        qrels = score_set.qrels
        if (qrels.manifest.get("automatic") or {}).get("pairs"):
            kind = "filled"
        else:
            pool = pools.filter(
                campaign=score_set.campaign_id,
                task=score_set.task_id,
                frozen_at__lte=qrels.frozen_at,
            ).order_by("-version").first()
            is_sample = pool and items.filter(pool=pool, probability__lt=1).exists()
            kind = "sample" if is_sample else "people"
        if kind != "people":
            sets.filter(pk=score_set.pk).update(kind=kind)


class Migration(migrations.Migration):
    dependencies = [
        ("evaluation", "0004_tasks"),
        ("judging", "0005_fewer_indexes"),
        ("pooling", "0002_tasks"),
    ]

    operations = [
        migrations.AddField(
            model_name="scoreset",
            name="kind",
            field=models.CharField(
                choices=[
                    ("people", "people's grades"),
                    ("sample", "judged sample, no estimate"),
                    ("estimate", "estimate from a sample"),
                    ("filled", "filled, no estimate"),
                ],
                default="people",
                max_length=8,
            ),
        ),
        migrations.AddField(
            model_name="runscores",
            name="intervals",
            field=models.JSONField(blank=True, default=dict),
        ),
        migrations.AddField(
            model_name="runscores",
            name="difference_errors",
            field=models.BinaryField(blank=True, default=b""),
        ),
        migrations.CreateModel(
            name="EstimateFrame",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("pairs", models.JSONField()),
                ("packed", models.BinaryField()),
                (
                    "score_set",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="frame",
                        to="evaluation.scoreset",
                    ),
                ),
            ],
            options={"abstract": False},
        ),
        migrations.RunPython(name_kinds, migrations.RunPython.noop),
    ]
