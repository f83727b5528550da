"""Reusability reports: all diagnostics of a collection, created and stored by a job."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from django.db import transaction
from django.urls import reverse

from campaigns.errors import ActionRefused
from campaigns.models import Campaign, Job, User
from campaigns.queries.tasks import list_current_runs
from campaigns.rules import require_permission
from campaigns.services import jobs
from judging.models import Qrels
from poolbench.evaluation.judgments import Floats
from poolbench.evaluation.measures.names import parse_measures
from poolbench.plain_data import to_plain
from poolbench.reliability.collection.formats import build_reusability_tables
from poolbench.reliability.collection.reduced_judgments import DRAWS
from poolbench.reliability.collection.report import MEASURES, build_reusability_report
from poolbench.reliability.verdicts.reusability import compute_collection, judge_collection
from poolbench.reports.late_runs import mark_late_runs
from reliability.queries.collection import (
    load_collection,
    load_qrels_or_interim,
    select_collection_measure,
)
from reliability.services.stored_reports import store_report

COLLECTION = "evaluation.collection"


def request_reusability_report(*, actor: User, campaign: Campaign, qrels: Qrels | None) -> Job:
    """Queue the report for a qrels version, or for the current judgments if ``qrels`` is None."""
    require_permission(actor, "campaigns.manage", campaign)
    if not list_current_runs(campaign).exists():
        raise ActionRefused("no-runs", "No accepted runs.", "Wait for a run to be accepted.")
    with transaction.atomic():
        number = None if qrels is None else qrels.pk
        return jobs.enqueue_once(campaign=campaign, kind=COLLECTION, actor=actor, qrels=number)


def build_reusability_job(job: Job) -> None:
    """The handler of ``evaluation.collection``: stores the report as data."""
    if job.created_by is None:
        raise ActionRefused("no-actor", "The job has no requesting user.")
    campaign = job.campaign
    require_permission(job.created_by, "campaigns.manage", campaign)
    number = job.args["qrels"]
    qrels = None if number is None else campaign.qrels.get(pk=number)
    jobs.report_progress(job, 0, DRAWS)
    try:
        collection = load_collection(campaign, load_qrels_or_interim(campaign, qrels))
        report = build_reusability_report(
            collection,
            tuple(parse_measures(MEASURES)),
            seed=campaign.seed,
            draws=DRAWS,
            spread=with_progress(job),
        )
        measure = select_collection_measure(campaign)
        figures = None if measure is None else compute_collection(collection, measure)
    except ValueError as error:
        fix = "Wait for more judgments, or use poolbench report with a pool depth."
        raise ActionRefused("no-report", f"Cannot create the report: {error}.", fix) from error
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


def with_progress(job: Job) -> Callable[[Callable[[int], Floats], Sequence[int]], Iterator[Floats]]:
    """``map`` with progress over the draws of reduced judgments, by far the longest part."""

    def spread(work: Callable[[int], Floats], draws: Sequence[int]) -> Iterator[Floats]:
        for done, draw in enumerate(draws, 1):
            yield work(draw)
            jobs.report_progress(job, done, len(draws))

    return spread
