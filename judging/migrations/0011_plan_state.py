"""A plan is open, paused or closed: one field instead of a flag and a date."""

from typing import Any

from django.db import migrations, models
from django.db.models import Case, Q, Value, When


def set_state(apps: Any, schema_editor: Any) -> None:  # noqa: ARG001 (Django's)
    plans = apps.get_model("judging", "Plan").objects
    plans.filter(closed_at__isnull=False).update(state="closed")
    plans.filter(closed_at=None, paused=True).update(state="paused")


def set_paused(apps: Any, schema_editor: Any) -> None:  # noqa: ARG001 (Django's)
    plans = apps.get_model("judging", "Plan").objects
    plans.update(paused=Case(When(state="open", then=Value(False)), default=Value(True)))


class Migration(migrations.Migration):

    dependencies = [("judging", "0010_plan_closed_at")]

    operations = [
        migrations.AddField(
            "plan",
            "state",
            models.CharField(
                choices=[("open", "open"), ("paused", "paused"), ("closed", "closed")],
                default="open",
                max_length=6,
            ),
        ),
        migrations.RunPython(set_state, set_paused, elidable=False),
        migrations.RemoveField("plan", "paused"),
        migrations.AddConstraint(
            "plan",
            models.CheckConstraint(
                condition=Q(state="closed", closed_at__isnull=False)
                | (~Q(state="closed") & Q(closed_at__isnull=True)),
                name="plan_closed_at_iff_closed",
            ),
        ),
    ]
