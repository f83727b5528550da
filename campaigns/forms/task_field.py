"""The task of a run in its form."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from campaigns.models import Campaign, Run
from campaigns.queries.tasks import list_open_tasks


def add_task_field(form: forms.Form, campaign: Campaign, *, every: bool) -> None:
    """The open tasks, or ``every`` one, before the run tag; nothing in a campaign without tasks.
    The run to be replaced, or the only task, decides what is chosen at first.
    """
    tasks = campaign.tasks.all()
    if not tasks.exists():
        return
    if not every:
        tasks = tasks.filter(pk__in=[task.pk for task in list_open_tasks(campaign)])
    replaced: Any = form.initial.get("replaces") or 0
    former = Run.objects.filter(campaign=campaign, pk=replaced).first()
    only = tasks[0] if len(tasks) == 1 else None
    form.fields["task"] = forms.ModelChoiceField(
        tasks, label=_("Task"), empty_label=_("Choose a task"),
        initial=former.task if former else only,
    )  # fmt: skip
    form.order_fields(["file", "team", "task"])
