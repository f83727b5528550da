"""The tasks and rounds of a campaign: their runs, and what earlier rounds have judged.

None stands for the campaign itself: the runs that name no task, which are all where there is none.
"""

from collections import Counter
from dataclasses import dataclass
from typing import Any

from campaigns import store
from campaigns.models import Campaign, CampaignTask
from campaigns.models.runs import RunQuerySet
from poolbench.cache import Cache
from poolbench.runs.qrels import read_qrels
from poolbench.runs.tables import QrelsTable
from poolbench.shared_reads import read_once

_judged: Cache[str, QrelsTable] = Cache(4)
"""By the hash of the qrels."""


def list_scored_runs(campaign: Campaign, task: CampaignTask | None) -> RunQuerySet:
    """The runs of ``task`` that an evaluation scores, in the order of submission."""
    runs = campaign.runs.scored().filter(task=task)
    return runs.select_related("team", "task__campaign").order_by("pk")


def list_current_runs(campaign: Campaign) -> RunQuerySet:
    """The scored runs of the task that reports on the campaign are about."""
    return list_scored_runs(campaign, get_current_task(campaign))


def get_current_task(campaign: Campaign) -> CampaignTask | None:
    """The task of the latest pool; before the first one, that of the latest run."""
    return read_once(("task", campaign.pk), lambda: _find_current_task(campaign))


def _find_current_task(campaign: Campaign) -> CampaignTask | None:
    if not campaign.tasks.exists():
        return None
    # Pools belong to an upper app; only the reverse relation is known here.
    pool = campaign.pools.select_related("task__campaign").first()
    runs = campaign.runs.scored().select_related("task__campaign").order_by("-pk")
    latest = pool or runs.first()
    return latest.task if latest is not None else None


def list_open_tasks(campaign: Campaign) -> list[CampaignTask]:
    """Those whose own run deadline is ahead, or that have none."""
    return [task for task in campaign.tasks.all() if not task.is_over]


def find_task(campaign: Campaign, slug: str) -> CampaignTask | None:
    return campaign.tasks.filter(slug=slug).first() if slug else None


def get_removed_qrels(task: CampaignTask) -> Any:
    """The qrels version of the earlier rounds; versions belong to an upper app."""
    return task.campaign.qrels.get(version=task.judged_before or 0)


def load_judged_before(task: CampaignTask | None) -> QrelsTable | None:
    """What earlier rounds have judged; None if ``task`` is no round."""
    if task is None or task.judged_before is None:
        return None
    qrels = get_removed_qrels(task)
    return _judged.get_or_compute(qrels.sha256, lambda: read_qrels(store.get_blob(qrels.path)))


def list_judged_before(task: CampaignTask | None) -> frozenset[tuple[str, str]]:
    """The pairs that earlier rounds have judged; empty if ``task`` is no round."""
    before = load_judged_before(task)
    grades = {} if before is None else before.by_pair()
    return frozenset(pair for pair, grade in grades.items() if grade >= 0)


def describe_task(task: CampaignTask | None) -> dict[str, Any]:
    """What pools and scores of ``task`` name: of a round also which judgments leave it. Empty
    without one, so that nothing else changes.
    """
    if task is None:
        return {}
    before, names = load_judged_before(task), {"task": task.slug}
    if before is None:
        return names
    qrels, pairs = get_removed_qrels(task), int((before.grades >= 0).sum())
    removed = {"qrels_version": qrels.version, "sha256": qrels.sha256, "judged_pairs": pairs}
    return names | {"removed": removed}


@dataclass(frozen=True)
class TaskLine:
    """A task in the list of all: ``runs`` are its accepted ones."""

    task: CampaignTask
    topics: int
    runs: int


def list_task_lines(campaign: Campaign) -> list[TaskLine]:
    counts = Counter(campaign.runs.accepted().order_by().values_list("task", flat=True))
    tasks = campaign.tasks.select_related("campaign")
    return [TaskLine(task, len(task.list_topic_numbers()), counts[task.pk]) for task in tasks]
