"""Evaluate the runs of a campaign under one qrels version: the accepted ones, and those that were
withdrawn after their scores were released.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from django.db import transaction

from campaigns.errors import ActionRefused
from campaigns.models import Campaign, CampaignTask, Job, Run, User
from campaigns.queries.tasks import describe_task, list_scored_runs
from campaigns.rules import require_permission
from campaigns.services import events, jobs, matrices
from campaigns.services.tasks import store_task_topics
from evaluation.models import RunScores, ScoreSet
from evaluation.queries.scoring_inputs import measures_to_score, scoring_options, select_qrels
from judging.models import Qrels
from judging.queries.judgments import qrels_table
from poolbench.evaluation.bpref_advice import list_bpref_warnings
from poolbench.evaluation.evaluate import ScoredRun, score_batch
from poolbench.evaluation.in_memory import build_run_batch
from poolbench.evaluation.judgments import JudgmentTable
from poolbench.evaluation.measures.family import Measure
from poolbench.evaluation.stated_scale import list_scale_remarks

KIND = "evaluation.evaluate"
Progress = Callable[[int, int], None]
SINGLE_RUN_KEYS = ("topics_not_retrieved", "judged_10")


@dataclass(frozen=True)
class ScoreSheet:
    """All scores, computed but not yet stored. ``scored[i]`` belongs to ``runs[i]``."""

    runs: Sequence[Run]
    scored: Sequence[ScoredRun]
    topics: tuple[str, ...]
    measures: tuple[Measure, ...]
    conditions: dict[str, Any]
    task: CampaignTask | None = None


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

    def progress(done: int, total: int) -> None:
        jobs.report_progress(job, done, total)

    sheet = score_accepted_runs(job.campaign, qrels, job.args["measures"], progress, task)
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
    sheet = score_accepted_runs(campaign, qrels, requested, progress, task)
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


def score_accepted_runs(
    campaign: Campaign,
    qrels: Qrels,
    names: Sequence[str],
    progress: Progress | None,
    task: CampaignTask | None = None,
) -> ScoreSheet:
    """Score every accepted run of ``task``, without storing anything."""
    check_can_evaluate(campaign, qrels, task)
    measures, options = measures_to_score(campaign, names), scoring_options(campaign)
    runs = list(list_scored_runs(campaign, task))
    table = select_qrels(qrels_table(qrels), campaign, task)
    if not table.topics:
        raise ActionRefused(
            "no-topics",
            "The qrels contain no judged topics.",
            "Judge a topic that is not withheld.",
        )
    judged = JudgmentTable.from_arrays(table.topics, table.starts, table.grades, qrels.sha256)
    places = matrices.get_pair_dictionary(campaign).places(table)
    scored, without, ranked = list[ScoredRun](), list[str](), 0
    for done, run in enumerate(runs):
        if progress is not None and done % 10 == 0:
            progress(done, len(runs))
        matrix = matrices.load_run_matrix(run)
        ranked += len(matrix.pairs)
        if set(matrix.topics).isdisjoint(judged.topics):
            without.append(run.tag)
        batch = build_run_batch(matrix, judged, places, options)
        scored.append(score_batch(batch, measures, run.tag))
    if without:
        raise ActionRefused(
            "no-common-topic",
            f"Runs without any of the judged topics: {', '.join(without)}.",
            "Judge a topic of each run, or withdraw these runs.",
        )
    provenance = build_provenance(qrels, runs, scored[-1])
    provenance |= describe_task(task)
    if removed := provenance.get("removed"):
        submitted = sum(run.report["found"]["documents"] for run in runs)
        removed["documents"] = submitted - ranked
    provenance["remarks"] = [
        *list_bpref_warnings(measures, judged, options.level),
        *list_scale_remarks(measures, options, judged.grades),
    ]
    return ScoreSheet(runs, scored, judged.topics, measures, provenance, task)


def build_provenance(qrels: Qrels, runs: Sequence[Run], scored: ScoredRun) -> dict[str, Any]:
    """Everything that the scores depend on. Participants read it, so it names no run.

    ``comparison``: the significance test preregistered by the campaign.
    """
    campaign = qrels.campaign
    hashes = sorted(run.normalised_hash or run.sha256 for run in runs)
    shared = {k: v for k, v in scored.conditions.items() if k not in SINGLE_RUN_KEYS}
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
    names = [measure.name for measure in sheet.measures]
    score_set = ScoreSet.objects.create(
        campaign=campaign,
        task=sheet.task,
        qrels=qrels,
        topics=list(sheet.topics),
        measures=names,
        conditions=sheet.conditions,
        created_by=actor,
    )
    store_task_topics(sheet.task)
    RunScores.objects.bulk_create(
        RunScores(
            score_set=score_set,
            run=run,
            means=dict(zip(names, scored.overall, strict=True)),
            packed=np.ascontiguousarray(scored.values, dtype="<f8").tobytes(),
        )
        for run, scored in zip(sheet.runs, sheet.scored, strict=True)
    )
    of_task = f" of {sheet.task}" if sheet.task else ""
    subject = f"{len(sheet.runs)} runs{of_task}, qrels {qrels.version}"
    events.log_event(campaign, actor, "scores.evaluated", subject, score_set=score_set.pk)
    return score_set
