"""Reusability reports: all diagnostics of a collection, created and stored by a job."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from django.db import transaction
from django.urls import reverse

from campaigns.errors import ActionRefused
from campaigns.models import Campaign, Job, User
from campaigns.queries.tasks import list_current_runs
from campaigns.rules import require_permission
from campaigns.services import jobs
from campaigns.services.job_parts import Report, Share, ShareResult, register_work, share_work
from judging.models import Qrels
from poolbench.evaluation.judgments import Floats
from poolbench.evaluation.measures.names import parse_measures
from poolbench.plain_data import to_plain
from poolbench.reliability.collection.formats import build_reusability_tables
from poolbench.reliability.collection.reduced_judgments import DRAWS, LEVELS, score_draw
from poolbench.reliability.collection.report import MEASURES, build_reusability_report
from poolbench.reliability.verdicts.reusability import compute_collection, judge_collection
from poolbench.reports.late_runs import mark_late_runs
from poolbench.runs.columnar import Columns
from reliability.queries.collection import load_collection, select_collection_measure
from reliability.services.shared_inputs import load_shared_inputs, name_inputs, refuse_value_errors
from reliability.services.stored_reports import store_report

COLLECTION = "evaluation.collection"
DRAWS_A_SHARE = 5
LINES_IN_ONE = 200_000
"""Lines of all runs, up to which the draws take some seconds and are not shared."""
CANNOT = "Cannot create the report"
FIX = "Wait for more judgments, or use poolbench report with a pool depth."


def request_reusability_report(*, actor: User, campaign: Campaign, qrels: Qrels | None) -> Job:
    """Queue the report for a qrels version, or for the current judgments if ``qrels`` is None."""
    require_permission(actor, "campaigns.manage", campaign)
    if not list_current_runs(campaign).exists():
        raise ActionRefused("no-runs", "No accepted runs.", "Wait for a run to be accepted.")
    with transaction.atomic():
        number = None if qrels is None else qrels.pk
        return jobs.enqueue_once(campaign=campaign, kind=COLLECTION, actor=actor, qrels=number)


def split_draws(job: Job, qrels: Qrels | None) -> list[Share]:
    """The draws of reduced judgments, by far the longest part of the report."""
    named = name_inputs(job.campaign, qrels)
    runs = job.campaign.runs.filter(pk__in=named["runs"])
    lines = sum(runs.values_list("lines", flat=True))
    size = DRAWS if lines <= LINES_IN_ONE else DRAWS_A_SHARE
    shares = [range(at, min(at + size, DRAWS)) for at in range(0, DRAWS, size)]
    return [Share(named | {"draws": [its.start, its.stop]}, len(its)) for its in shares]


def score_draws(
    job: Job, args: Mapping[str, Any], report: Report
) -> tuple[Mapping[str, Any], Columns]:
    """The scores of the draws of a share: levels × runs × measures of each, one after the other."""
    inputs = load_shared_inputs(job.campaign, find_qrels(job), args)
    with refuse_value_errors(CANNOT, FIX):
        collection = load_collection(job.campaign, inputs.table, inputs.runs)
        scores = []
        for done, draw in enumerate(range(*args["draws"])):
            report(done)
            measures = tuple(parse_measures(MEASURES))
            scores.append(score_draw(collection, measures, job.campaign.seed, LEVELS, draw))
    shape = scores[0].shape
    flat = np.concatenate([each.ravel() for each in scores])
    return {"inputs": inputs.digest, "shape": shape}, {"scores": flat}


register_work(COLLECTION, score_draws)


def build_reusability_job(job: Job) -> None:
    """The handler of ``evaluation.collection``: stores the report as data."""
    if job.created_by is None:
        raise ActionRefused("no-actor", "The job has no requesting user.")
    campaign = job.campaign
    require_permission(job.created_by, "campaigns.manage", campaign)
    qrels = find_qrels(job)
    results = share_work(job, lambda: split_draws(job, qrels))
    if results is None:
        return
    inputs = load_shared_inputs(campaign, qrels, results[0].args)
    inputs.check_same(results)
    with refuse_value_errors(CANNOT, FIX):
        collection = load_collection(campaign, inputs.table, inputs.runs)
        report = build_reusability_report(
            collection,
            tuple(parse_measures(MEASURES)),
            seed=campaign.seed,
            draws=DRAWS,
            spread=lambda _work, _draws: iter_draws(results),
        )
        measure = select_collection_measure(campaign)
        figures = None if measure is None else compute_collection(collection, measure)
    verdict = None if figures is None else judge_collection(figures)
    label = qrels.label if qrels else ""
    report = replace(report, facts=replace(report.facts, label=label))
    jobs.finish_job_once(
        job,
        version=qrels.version if qrels else None,
        label=label,
        judged=report.facts.judged,
        runs=report.facts.runs,
        url=reverse("reusability", args=[campaign.slug]),
        state=verdict.state.value if verdict else "",
        figures=to_plain(figures),
        **store_report(
            mark_late_runs(build_reusability_tables(report, verdict), campaign.late_tags)
        ),
    )


def find_qrels(job: Job) -> Qrels | None:
    """The qrels version of the job; None: the current judgments."""
    number = job.args["qrels"]
    return None if number is None else job.campaign.qrels.get(pk=number)


def iter_draws(results: Sequence[ShareResult]) -> Iterator[Floats]:
    """The scores of all draws, in order."""
    for result in results:
        begin, end = result.args["draws"]
        yield from result.columns["scores"].reshape(end - begin, *result.head["shape"])
