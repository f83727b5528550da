"""Score sets of estimates: from frozen qrels whose pool is a sample, with intervals."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from django.db import transaction
from numpy.typing import ArrayLike

from campaigns.errors import ActionRefused
from campaigns.models import Campaign, CampaignTask, Job, Run, User
from campaigns.queries.tasks import describe_task, list_scored_runs
from campaigns.rules import require_permission
from campaigns.services import jobs
from evaluation.models import EstimateFrame, RunScores, ScoreSet
from evaluation.queries.estimate_inputs import NOW, AsOf, EstimateInputs, load_estimate_inputs
from evaluation.queries.estimate_manifest import build_frame_table, describe_drawn_sample
from evaluation.queries.estimate_texts import check_has_texts
from evaluation.queries.kinds import find_pool
from evaluation.queries.scoring_inputs import scoring_options, withheld_topic_numbers
from evaluation.services.scoring import (
    ScoreSheet,
    build_provenance,
    check_can_evaluate,
    request_evaluation,
    save_score_set,
)
from judging.models import Qrels
from poolbench.estimation.report import TEXT, ScoreEstimates
from poolbench.evaluation.comparison.registry import SAMPLE_INTERVALS
from poolbench.evaluation.evaluate import product_version
from poolbench.evaluation.judgments import Floats
from poolbench.plain_data import to_plain
from pooling.models import Pool
from pooling.queries.frozen_pools import is_drawn_by_influence
from pooling.queries.machine_grades import list_log

KIND = "evaluation.estimate"


def request_estimate(
    *,
    actor: User,
    campaign: Campaign,
    qrels: Qrels,
    machines: Sequence[str] = (),
    task: CampaignTask | None = None,
) -> Job:
    """Queue estimates from the sample that ``qrels`` judge, after the checks that they can succeed.

    ``machines``: names of automatic assessors that sharpen them.
    """
    require_permission(actor, "campaigns.manage", campaign)
    check_can_estimate(campaign, qrels, task, machines)
    args: dict[str, Any] = {"qrels": qrels.pk, "machines": list(machines)}
    if task is not None:
        args["task"] = task.pk
    with transaction.atomic():
        return jobs.enqueue_once(campaign=campaign, kind=KIND, actor=actor, **args)


def request_scores(
    *,
    estimate: bool = False,
    machines: Sequence[str] = (),
    measures: Sequence[str] = (),
    **conditions: Any,
) -> Job:
    """Queue plain scores, or estimates, of which the measures are the campaign's."""
    if estimate:
        return request_estimate(machines=machines, **conditions)
    return request_evaluation(measures=measures, **conditions)


def perform_estimate(job: Job) -> None:
    """The handler of ``evaluation.estimate``: a job delivered twice creates one score set."""
    if job.created_by is None:
        raise ActionRefused("no-actor", "The job has no requesting user.")
    qrels = job.campaign.qrels.get(pk=job.args["qrels"])
    task = job.campaign.tasks.filter(pk=job.args.get("task")).first()
    inputs, estimates = compute_set(job.campaign, qrels, job.args["machines"], task)
    with transaction.atomic():
        if Job.objects.select_for_update().get(pk=job.pk).state == Job.State.DONE:
            return
        score_set = save_estimates(job.created_by, qrels, task, inputs, estimates)
        url = score_set.get_absolute_url()
        runs = len(inputs.sample.frame.runs)
        jobs.finish_job(job, score_set=score_set.pk, runs=runs, url=url)


def estimate_campaign(
    *,
    actor: User,
    campaign: Campaign,
    qrels: Qrels,
    machines: Sequence[str] = (),
    task: CampaignTask | None = None,
) -> ScoreSet:
    """The same now."""
    require_permission(actor, "campaigns.manage", campaign)
    inputs, estimates = compute_set(campaign, qrels, machines, task)
    with transaction.atomic():
        return save_estimates(actor, qrels, task, inputs, estimates)


def compute_set(
    campaign: Campaign,
    qrels: Qrels,
    machines: Sequence[str],
    task: CampaignTask | None,
    as_of: AsOf = NOW,
) -> tuple[EstimateInputs, ScoreEstimates]:
    """By the judgments that the qrels were frozen with, and no later ones; machines may have graded
    afterwards.
    """
    pool = check_can_estimate(campaign, qrels, task, machines)
    rows = as_of.rows or {
        name: list_log(campaign, name).count() for name in machines if name != TEXT
    }
    as_of = as_of._replace(last=qrels.manifest["last_judgment"], rows=rows)
    inputs = load_estimate_inputs(pool, qrels.policy, machines=machines, as_of=as_of)
    if not len(inputs.sample.judged) or not inputs.measures:
        message = "Nothing can be estimated: the sample has no judged pair in the order of drawing."
        if not inputs.measures:
            message = "No measure of the campaign has an estimate."
        raise ActionRefused("nothing-estimated", message)
    return inputs, inputs.compute()


def check_can_estimate(
    campaign: Campaign, qrels: Qrels, task: CampaignTask | None, machines: Sequence[str]
) -> Pool:
    """The pool that the qrels judge, or ``ActionRefused``."""
    check_can_evaluate(campaign, qrels, task)
    if qrels.label:
        fix = "Freeze a version by a policy of people's grades; machines only sharpen an estimate."
        raise ActionRefused("not-people", f"{str(qrels).capitalize()}: not people's grades.", fix)
    pool = find_pool(qrels, task)
    if pool is None or not is_drawn_by_influence(pool):
        fix = "Freeze a pool with the step influence, and have it judged."
        raise ActionRefused("no-sample", f"{str(qrels).capitalize()} judge no such sample.", fix)
    if task is not None and task.judged_before:
        fix = "Evaluate the runs of this round by its qrels."
        raise ActionRefused("residual", "Estimates leave out no earlier judgments.", fix)
    withheld = withheld_topic_numbers(campaign, task)
    if pool.items.filter(topic__number__in=withheld).exists():
        fix = "Estimate when the topics are no longer withheld."
        raise ActionRefused("withheld", "The sample is of withheld topics too.", fix)
    known = {TEXT, *campaign.automatic_assessors.values_list("name", flat=True)}
    if unknown := [name for name in machines if name not in known]:
        raise ActionRefused("no-assessor", f"No automatic assessor: {', '.join(unknown)}.")
    if TEXT in machines:
        check_has_texts(pool)
    return pool


def save_estimates(
    actor: User,
    qrels: Qrels,
    task: CampaignTask | None,
    inputs: EstimateInputs,
    estimates: ScoreEstimates,
) -> ScoreSet:
    """Store the score set, its rows and its frame; call it in a transaction."""
    frame = inputs.sample.frame
    by_tag = {run.tag: run for run in list_scored_runs(qrels.campaign, task)}
    runs = [by_tag[tag] for tag in frame.runs]
    values = np.stack([each.topics for each in estimates.measures.values()], axis=2)
    sheet = ScoreSheet(
        runs=runs,
        means=[
            [float(each.means[at]) for each in estimates.measures.values()]
            for at in range(len(runs))
        ],
        values=values,
        topics=frame.topics,
        measures=list(estimates.measures),
        conditions=describe_estimation(qrels, runs, task, inputs, estimates),
        task=task,
        kind=ScoreSet.Kind.ESTIMATE,
        more=list(iter_intervals(runs, estimates)),
    )
    score_set = save_score_set(actor, qrels.campaign, qrels, sheet)
    docnos = [
        [topic, [str(docno) for docno in frame.docnos.take(np.arange(first, end))]]
        for topic, first, end in zip(
            frame.topics, frame.starts[:-1].tolist(), frame.starts[1:].tolist(), strict=True
        )
    ]
    packed = np.ascontiguousarray(build_frame_table(inputs, estimates), dtype="<f8").tobytes()
    EstimateFrame.objects.create(score_set=score_set, pairs=docnos, packed=packed)
    return score_set


def iter_intervals(runs: Sequence[Run], estimates: ScoreEstimates) -> Iterator[dict[str, Any]]:
    """By run: its row of ``RunScores`` beyond the scores."""
    rows = {
        each.measure: {row.run: to_plain(replace(row, run="")) for row in each.runs}
        for each in estimates.report.measures
    }
    # Columns are in the order in which the rows of a set are read.
    order = np.argsort([run.pk for run in runs], kind="stable")
    for at, run in enumerate(runs):
        errors = [each.difference_errors[at, order] for each in estimates.measures.values()]
        yield {
            "intervals": {name: by_tag[run.tag] for name, by_tag in rows.items()},
            "difference_errors": np.ascontiguousarray(errors, dtype="<f8").tobytes(),
        }


def describe_estimation(
    qrels: Qrels,
    runs: Sequence[Run],
    task: CampaignTask | None,
    inputs: EstimateInputs,
    estimates: ScoreEstimates,
) -> dict[str, Any]:
    """The manifest. Teams read it, so it names no run."""
    conditions = {"product": product_version(), **scoring_options(qrels.campaign).as_dict()}
    conditions |= {"qrels_sha256": qrels.sha256, "topics_averaged": len(inputs.sample.frame.topics)}
    manifest = describe_drawn_sample(qrels, inputs, estimates)
    provenance = build_provenance(qrels, runs, conditions) | describe_task(task)
    comparison = provenance["comparison"] | {"test": SAMPLE_INTERVALS.name}
    return provenance | {"comparison": comparison, "remarks": [], "estimate": manifest}


def verify_estimates(score_set: ScoreSet) -> bool:
    """Whether computing it again from the log, pool and runs gives the same numbers: values by
    topic, means, intervals, places, and the errors of differences, which hold the covariance.
    """
    manifest = score_set.conditions["estimate"]
    names = [each["name"] for each in manifest["machines"]]
    rows = {each["name"]: each["rows"] for each in manifest["machines"] if "rows" in each}
    machines = [*names, TEXT] if manifest.get("texts") else names
    by_grades = bool(manifest.get("ended_by_grades"))
    as_of = AsOf(rows=rows, ended=manifest.get("ended"), by_grades=by_grades)
    inputs, again = compute_set(
        score_set.campaign, score_set.qrels, machines, score_set.task, as_of
    )
    if "order" not in manifest:  # made before teams counted
        inputs = replace(inputs, teams={})
        again = inputs.compute()
    stored = {row.run.tag: row for row in score_set.runs.select_related("run", "score_set")}
    tags = inputs.sample.frame.runs
    if set(stored) != set(tags) or list(again.measures) != score_set.measures:
        return False
    if not is_same_number(build_frame_table(inputs, again), score_set.frame.table):
        return False
    values = np.stack([each.topics for each in again.measures.values()], axis=2)
    intervals = iter_intervals([stored[tag].run for tag in tags], again)
    return all(
        is_same_row(stored[tag], values[at], own, again)
        for at, (tag, own) in enumerate(zip(tags, intervals, strict=True))
    )


def is_same_row(
    row: RunScores, values: Floats, intervals: dict[str, Any], again: ScoreEstimates
) -> bool:
    errors = (np.frombuffer(bytes(own), "<f8") for own in
              (row.difference_errors, intervals["difference_errors"]))  # fmt: skip
    means = [row.means[name] for name in again.measures]
    ends = (list_interval_numbers(own) for own in (row.intervals, intervals["intervals"]))
    return (
        is_same_number(row.table, values)
        and is_same_number(means, values.mean(axis=0))
        and is_same_number(*errors)
        and is_same_number(*ends)
    )


def list_interval_numbers(intervals: dict[str, Any]) -> list[float]:
    """Both intervals, place and drawn-in value by measure; NaN where there is none."""
    ends = [
        end
        for _, own in sorted(intervals.items())
        for end in (
            *(own[kind].get(name) for kind in ("estimate", "over_topics")
              for name in ("value", "low", "high")),
            own["place"], own.get("drawn_in"),
        )
    ]  # fmt: skip
    return [np.nan if end is None else float(end) for end in ends]


def is_same_number(before: ArrayLike, after: ArrayLike) -> bool:
    one, other = np.asarray(before, float), np.asarray(after, float)
    is_close = np.allclose(one, other, rtol=1e-9, atol=1e-12, equal_nan=True)
    return one.shape == other.shape and is_close
