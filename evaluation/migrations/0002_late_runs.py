from __future__ import annotations

from django.db import migrations
from django.db.models import Min


def mark_late_runs(apps, _editor):
    """Runs of the past that were submitted after the first release of scores."""
    runs = apps.get_model("campaigns", "Run").objects
    released = apps.get_model("evaluation", "ScoreSet").objects.exclude(released_at=None)
    first = released.order_by().values("campaign").annotate(at=Min("released_at"))
    for campaign, at in first.values_list("campaign", "at"):
        runs.filter(campaign=campaign, submitted_at__gt=at).update(after_release=True)


class Migration(migrations.Migration):
    dependencies = [("evaluation", "0001_squashed"), ("campaigns", "0003_errata")]
    operations = [migrations.RunPython(mark_late_runs, migrations.RunPython.noop)]
