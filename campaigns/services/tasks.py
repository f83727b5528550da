"""Create, change and delete the tasks and rounds of a campaign."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from django.db import transaction
from django.utils import timezone
from django.utils.text import slugify

from campaigns.errors import ActionRefused, format_utc
from campaigns.models import Campaign, CampaignTask, Topic, User
from campaigns.models.event_phrases import describe_value
from campaigns.queries.lists import has_released_scores
from campaigns.rules import require_permission
from campaigns.services import events
from campaigns.services.campaigns import check_fields

FIXED = ("judged_before", "topics")
"""What pools and scores of a task depend on."""


def create_task(
    *,
    actor: User,
    campaign: Campaign,
    name: str,
    slug: str = "",
    topics: Sequence[str] = (),
    **settings: Any,
) -> CampaignTask:
    """Add a task with the topics of these numbers, none for all of the campaign; a round if
    ``judged_before``, a qrels version, is among the ``settings``.
    """
    require_permission(actor, "campaigns.manage", campaign)
    rows = find_topics(campaign, topics)
    with transaction.atomic():
        # Locked, so that the second of two tasks comes after the first.
        Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)
        last = campaign.tasks.last()
        task = CampaignTask(
            campaign=campaign,
            name=name.strip(),
            slug=slug or slugify(name)[:40] or "task",
            position=last.position + 1 if last else 1,
            **settings,
        )
        check_task(task)
        task.save()
        task.topics.set(rows)
        events.log_event(campaign, actor, "task.created", task.name, task=task.pk)
    return task


def update_task(
    *, actor: User, task: CampaignTask, topics: Sequence[str] | None = None, **changes: Any
) -> CampaignTask:
    """Change fields and topics of ``task``; with its first pool or scores, topics and the earlier
    judgments are fixed.
    """
    campaign = task.campaign
    require_permission(actor, "campaigns.manage", campaign)
    with transaction.atomic():
        Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)
        stored = CampaignTask.objects.get(pk=task.pk)
        changed = [name for name, value in changes.items() if getattr(stored, name) != value]
        values = {name: describe_value(changes[name])[:200] for name in changed}
        if topics is not None and has_other_topics(stored, topics):
            changed.append("topics")
            values["topics"] = str(len(topics))
        check_not_fixed(stored, changed)
        check_not_opened_again(stored, changes)
        for name, value in changes.items():
            setattr(task, name, value)
        check_task(task)
        if changed:
            task.save()
            if topics is not None:
                task.topics.set(find_topics(campaign, topics))
            events.log_event(campaign, actor, "task.updated", task.name, task=task.pk, **values)
    return task


def delete_task(*, actor: User, task: CampaignTask) -> None:
    """Only a task that nothing names."""
    campaign = task.campaign
    require_permission(actor, "campaigns.manage", campaign)
    with transaction.atomic():
        Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)
        if task.runs.exists() or is_fixed(task):
            message = f"{task} has runs, pools or scores, which stay."
            raise ActionRefused("task-in-use", message, "Set its deadline to end submission.")
        events.log_event(campaign, actor, "task.deleted", task.name)
        task.delete()


def store_task_topics(task: CampaignTask | None) -> None:
    """Fix the topics of a task without a list of its own: later ones are of other tasks. Call it
    in the transaction of a pool or score set.
    """
    if task is not None and not task.topics.exists():
        task.topics.set(task.campaign.topics.filter(withheld=False))


def is_fixed(task: CampaignTask) -> bool:
    """Pools and scores belong to upper apps; only the reverse relations are known here."""
    return bool(task.pools.exists() or task.score_sets.exists())


def has_other_topics(task: CampaignTask, topics: Collection[str]) -> bool:
    return set(task.topics.values_list("number", flat=True)) != set(topics)


def find_topics(campaign: Campaign, numbers: Sequence[str]) -> list[Topic]:
    rows = {topic.number: topic for topic in campaign.topics.filter(number__in=numbers)}
    if unknown := [number for number in numbers if number not in rows]:
        message = f"Not among the topics of the campaign: {', '.join(unknown[:10])}."
        raise ActionRefused("unknown-topics", message, "Import the topics first.")
    return list(rows.values())


def check_not_fixed(task: CampaignTask, changed: Collection[str]) -> None:
    if is_fixed(task) and not set(FIXED).isdisjoint(changed):
        message = f"Topics and earlier judgments of {task} are fixed: it has a pool or scores."
        raise ActionRefused("task-fixed", message, "Create another task or round.")


def check_not_opened_again(task: CampaignTask, changes: Mapping[str, Any]) -> None:
    """``task`` as stored: teams that know its scores submit no more runs to it."""
    until = changes.get("runs_deadline", task.runs_deadline)
    still_over = until is not None and until <= timezone.now()
    if task.is_over and not still_over and has_released_scores(task.campaign, task):
        message = f"Scores of {task} are released: its submission stays closed."
        fix = "Organizers can submit for a team; such runs are marked “after release”."
        raise ActionRefused("reopens-task", message, fix)


def check_task(task: CampaignTask) -> None:
    check_fields(task)
    campaign = task.campaign
    before = task.judged_before
    # Versions belong to an upper app; only the reverse relation is known here.
    if before is not None and not campaign.qrels.filter(version=before).exists():
        fix = "Freeze the qrels of the earlier rounds first."
        raise ActionRefused("no-qrels", f"There is no qrels version {before}.", fix)
    ends = campaign.runs_deadline
    if ends is not None and task.runs_deadline is not None and task.runs_deadline > ends:
        message = f"The run deadline of the campaign comes first: {format_utc(ends)}."
        raise ActionRefused("after-campaign", message, "Choose an earlier date, or extend that.")
