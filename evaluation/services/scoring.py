"""Evaluate the runs of a campaign under one qrels version: the accepted ones, and those that were
withdrawn after their scores were released.
"""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from django.db import transaction

from campaigns.errors import ActionRefused
from campaigns.models import Campaign, CampaignTask, Job, Run, User
from campaigns.queries.tasks import describe_task, list_scored_runs
from campaigns.rules import require_permission
from campaigns.services import events, jobs
from campaigns.services.job_parts import Share, ShareResult, share_work
from campaigns.services.tasks import store_task_topics
from evaluation.models import RunScores, ScoreSet
from evaluation.queries.kinds import decide_kind
from evaluation.queries.scoring_inputs import measures_to_score
from evaluation.services.score_shares import (
    KIND,
    ScoringInputs,
    compute_run_scores,
    load_scoring_inputs,
    split_runs,
)
from judging.models import Qrels
from poolbench.evaluation.judgments import Floats

Progress = Callable[[int, int], None]
SINGLE_RUN_KEYS = ("topics_not_retrieved", "judged_10")


@dataclass(frozen=True)
class ScoreSheet:
    """All scores, computed but not yet stored. ``means[i]`` and ``values[i]``, topics × measures,
    belong to ``runs[i]``. ``kind``: empty where the qrels decide it; ``more``: of estimates, the
    other fields of each row.
    """

    runs: Sequence[Run]
    means: Sequence[Sequence[float | None]]
    values: Floats
    topics: Sequence[str]
    measures: Sequence[str]
    conditions: dict[str, Any]
    task: CampaignTask | None = None
    kind: str = ""
    more: Sequence[Mapping[str, Any]] = ()


def request_evaluation(
    *,
    actor: User,
    campaign: Campaign,
    qrels: Qrels,
    measures: Sequence[str] = (),
    task: CampaignTask | None = None,
) -> Job:
    """Queue the evaluation of the accepted runs of ``task``, after the checks that it can succeed.

    The same evaluation, asked for again while it waits or runs, is the same job.
    """
    require_permission(actor, "campaigns.manage", campaign)
    check_can_evaluate(campaign, qrels, task)
    requested = measures or (task.measures if task else ())
    args: dict[str, Any] = {"qrels": qrels.pk}
    args["measures"] = [measure.name for measure in measures_to_score(campaign, requested)]
    if task is not None:
        args["task"] = task.pk
    with transaction.atomic():
        return jobs.enqueue_once(campaign=campaign, kind=KIND, actor=actor, **args)


def evaluate_campaign(job: Job) -> None:
    """The handler of ``evaluation.evaluate``: a job delivered twice creates one score set."""
    actor = job.created_by
    if actor is None:
        raise ActionRefused("no-actor", "The job has no requesting user.")
    require_permission(actor, "campaigns.manage", job.campaign)
    qrels = job.campaign.qrels.get(pk=job.args["qrels"])
    task = job.campaign.tasks.filter(pk=job.args.get("task")).first()
    inputs = load_scoring_inputs(job.campaign, qrels, job.args["measures"], task)

    def split() -> list[Share]:
        check_can_evaluate(job.campaign, qrels, task)
        return split_runs(list(list_scored_runs(job.campaign, task)), inputs.digest)

    results = share_work(job, split)
    if results is None:
        return
    numbers = [pk for result in results for pk in result.args["runs"]]
    runs = job.campaign.runs.in_bulk(numbers)
    sheet = combine_scores(inputs, [runs[pk] for pk in numbers], results)
    with transaction.atomic():
        # Locked, so that a worker presumed dead cannot write alongside its successor.
        if Job.objects.select_for_update().get(pk=job.pk).state == Job.State.DONE:
            return
        score_set = save_score_set(actor, job.campaign, qrels, sheet)
        url = score_set.get_absolute_url()
        jobs.finish_job(job, score_set=score_set.pk, runs=len(sheet.runs), url=url)


def score_campaign(
    *,
    actor: User,
    campaign: Campaign,
    qrels: Qrels,
    measures: Sequence[str] = (),
    progress: Progress | None = None,
    task: CampaignTask | None = None,
) -> ScoreSet:
    """Evaluate the accepted runs of ``task`` now; ``progress(done, total)`` counts runs."""
    require_permission(actor, "campaigns.manage", campaign)
    requested = measures or (task.measures if task else ())
    check_can_evaluate(campaign, qrels, task)
    inputs = load_scoring_inputs(campaign, qrels, requested, task)
    runs = list(list_scored_runs(campaign, task))

    def report(done: int) -> None:
        if progress is not None:
            progress(done, len(runs))

    head, columns = compute_run_scores(inputs, runs, report)
    sheet = combine_scores(inputs, runs, [ShareResult({}, head, columns)])
    with transaction.atomic():
        return save_score_set(actor, campaign, qrels, sheet)


def check_can_evaluate(campaign: Campaign, qrels: Qrels, task: CampaignTask | None) -> None:
    if qrels.campaign_id != campaign.pk:
        raise ActionRefused("other-campaign", "These qrels belong to another campaign.")
    if task is not None and task.campaign_id != campaign.pk:
        raise ActionRefused("other-campaign", "This task belongs to another campaign.")
    if task is not None and qrels.version <= (task.judged_before or 0):
        message = (
            f"Qrels {task.judged_before} leave {task}: nothing of qrels {qrels.version} stays."
        )
        raise ActionRefused(
            "before-round", message, "Freeze a version with judgments of the round."
        )
    if not list_scored_runs(campaign, task).exists():
        fix = "Wait for a run to be accepted."
        if task is None and campaign.tasks.exists():
            fix = "Name the task whose runs to evaluate."
        raise ActionRefused("no-runs", "No accepted runs.", fix)


def combine_scores(
    inputs: ScoringInputs, runs: Sequence[Run], results: Sequence[ShareResult]
) -> ScoreSheet:
    """The sheet of all ``runs`` from the scores of their shares, which are in the same order."""
    if without := [tag for result in results for tag in result.head["without"]]:
        raise ActionRefused(
            "no-common-topic",
            f"Runs without any of the judged topics: {', '.join(without)}.",
            "Judge a topic of each run, or withdraw these runs.",
        )
    last = results[-1].head
    provenance = build_provenance(inputs.qrels, runs, last["conditions"])
    provenance |= describe_task(inputs.task)
    if removed := provenance.get("removed"):
        submitted = sum(run.report["found"]["documents"] for run in runs)
        removed["documents"] = submitted - sum(result.head["ranked"] for result in results)
    provenance["remarks"] = last["remarks"]
    values = np.concatenate([result.columns["values"] for result in results])
    return ScoreSheet(
        runs=runs,
        means=[means for result in results for means in result.head["means"]],
        values=values.reshape(len(runs), len(last["topics"]), len(inputs.measures)),
        topics=last["topics"],
        measures=[measure.name for measure in inputs.measures],
        conditions=provenance,
        task=inputs.task,
    )


def build_provenance(
    qrels: Qrels, runs: Sequence[Run], conditions: Mapping[str, Any]
) -> dict[str, Any]:
    """Everything that the scores depend on. Participants read it, so it names no run.

    ``comparison``: the significance test preregistered by the campaign.
    """
    campaign = qrels.campaign
    hashes = sorted(run.normalised_hash or run.sha256 for run in runs)
    shared = {k: v for k, v in conditions.items() if k not in SINGLE_RUN_KEYS}
    return shared | {
        "highest_grade_from": "the campaign's scale",
        "qrels_version": qrels.version,
        "comparison": {
            "test": campaign.test,
            "correction": campaign.correction,
            "level": campaign.alpha,
        },
        "runs": len(runs),
        "runs_sha256": hashlib.sha256("\n".join(hashes).encode()).hexdigest(),
    }


def save_score_set(actor: User, campaign: Campaign, qrels: Qrels, sheet: ScoreSheet) -> ScoreSet:
    """Store the score set and its rows; call it in a transaction."""
    score_set = ScoreSet.objects.create(
        campaign=campaign,
        kind=sheet.kind or decide_kind(qrels, sheet.task),
        task=sheet.task,
        qrels=qrels,
        topics=list(sheet.topics),
        measures=list(sheet.measures),
        conditions=sheet.conditions,
        created_by=actor,
    )
    store_task_topics(sheet.task)
    RunScores.objects.bulk_create(
        RunScores(
            score_set=score_set,
            run=run,
            means=dict(zip(sheet.measures, means, strict=True)),
            packed=np.ascontiguousarray(values, dtype="<f8").tobytes(),
            **more,
        )
        for run, means, values, more in zip(
            sheet.runs, sheet.means, sheet.values, sheet.more or [{}] * len(sheet.runs), strict=True
        )
    )
    of_task = f" of {sheet.task}" if sheet.task else ""
    subject = f"{len(sheet.runs)} runs{of_task}, qrels {qrels.version}"
    events.log_event(campaign, actor, "scores.evaluated", subject, score_set=score_set.pk)
    return score_set
