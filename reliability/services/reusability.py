"""Reusability reports: all diagnostics of a collection, created and stored by a job."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from django.db import transaction
from django.urls import reverse

from campaigns.errors import ActionRefused
from campaigns.models import Campaign, Job, User
from campaigns.rules import require_permission
from campaigns.services import jobs
from common.verdicts import Verdict
from evaluation.core.judgments import Floats
from evaluation.core.measures.names import parse_measures
from evaluation.queries.scoring_inputs import drop_topics, withheld_topic_numbers
from judging.models import Qrels
from judging.queries.judgments import qrels_table
from reliability.core.collection.formats import build_reusability_tables
from reliability.core.collection.inputs import PooledCollection
from reliability.core.collection.reduced_judgments import DRAWS
from reliability.core.collection.report import MEASURES, build_reusability_report
from reliability.core.verdicts.collection_figures import measure_collection
from reliability.core.verdicts.reusability import COLLECTION_RULE
from reliability.queries.collection import interim_qrels, load_collection
from reliability.queries.collection_figures import select_collection_measure
from reliability.services.stored_reports import store_report

COLLECTION = "evaluation.collection"


def request_reusability_report(*, actor: User, campaign: Campaign, qrels: Qrels | None) -> Job:
    """Queue the report for a qrels version, or for the current judgments if ``qrels`` is None."""
    require_permission(actor, "campaigns.manage", campaign)
    if not campaign.runs.scored().exists():
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
    table = interim_qrels(campaign) if qrels is None else qrels_table(qrels)
    jobs.report_progress(job, 0, DRAWS)
    try:
        collection = load_collection(campaign, drop_topics(table, withheld_topic_numbers(campaign)))
        report = build_reusability_report(
            collection,
            tuple(parse_measures(MEASURES)),
            seed=campaign.seed,
            draws=DRAWS,
            spread=with_progress(job),
        )
        verdict = judge_loaded_collection(campaign, collection)
    except ValueError as error:
        fix = "Wait for more judgments, or use manage.py collection_report with a pool depth."
        raise ActionRefused("no-report", f"Cannot create the report: {error}.", fix) from error
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
        **store_report(build_reusability_tables(report, verdict)),
    )


def judge_loaded_collection(campaign: Campaign, collection: PooledCollection) -> Verdict | None:
    """By the campaign's thresholds; None without a measure that ranks runs."""
    measure = select_collection_measure(campaign)
    if measure is None:
        return None
    values = {threshold.name: threshold.value for threshold in campaign.thresholds.all()}
    return COLLECTION_RULE.apply(measure_collection(collection, measure), values)


def with_progress(job: Job) -> Callable[[Callable[[int], Floats], Sequence[int]], Iterator[Floats]]:
    """``map`` with progress over the draws of reduced judgments, by far the longest part."""

    def spread(work: Callable[[int], Floats], draws: Sequence[int]) -> Iterator[Floats]:
        for done, draw in enumerate(draws, 1):
            yield work(draw)
            jobs.report_progress(job, done, len(draws))

    return spread
