"""Reusability reports: all diagnostics of a collection, created and stored by a job."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from django.db import transaction
from django.urls import reverse

from campaigns.core.qrels import qrels_from_rows
from campaigns.core.tables import QrelsTable
from campaigns.errors import ActionRefused
from campaigns.models import Campaign, Job, User
from campaigns.rules import require_permission
from campaigns.services import jobs, matrices
from evaluation.core.judgments import Floats
from evaluation.core.measures.names import parse_measures
from evaluation.services.scoring import drop_topics, scoring_options, withheld_topic_numbers
from judging.core.policies import DEFAULT_POLICY
from judging.models import Qrels
from judging.queries.judgments import provisional_grades, qrels_table
from reliability.core.collection.formats import build_reusability_tables
from reliability.core.collection.inputs import (
    CollectionSource,
    PooledCollection,
    build_collection_from_matrices,
)
from reliability.core.collection.reduced_judgments import DRAWS
from reliability.core.collection.report import MEASURES, build_reusability_report
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
        **store_report(build_reusability_tables(report)),
    )


def with_progress(job: Job) -> Callable[[Callable[[int], Floats], Sequence[int]], Iterator[Floats]]:
    """``map`` with progress over the draws of reduced judgments, by far the longest part."""

    def spread(work: Callable[[int], Floats], draws: Sequence[int]) -> Iterator[Floats]:
        for done, draw in enumerate(draws, 1):
            yield work(draw)
            jobs.report_progress(job, done, len(draws))

    return spread


def interim_qrels(campaign: Campaign) -> QrelsTable:
    """One grade per pair by the default policy, without undecided pairs."""
    withheld = withheld_topic_numbers(campaign)
    numbers = campaign.topics.values_list("number", flat=True)
    visible = [number for number in numbers if number not in withheld]
    return qrels_from_rows(provisional_grades(campaign, DEFAULT_POLICY, visible)[0])


def load_collection(campaign: Campaign, table: QrelsTable) -> PooledCollection:
    """The campaign's accepted runs, its latest pool and ``table``."""
    runs = {run.tag: run for run in campaign.runs.scored().select_related("team")}
    pool = campaign.pools.first()
    pooled = {run["tag"] for run in pool.spec["runs"]} & set(runs) if pool else None
    options = scoring_options(campaign)
    source = CollectionSource(
        level=options.level,
        gains=options.gains,
        teams={tag: run.team.name for tag, run in runs.items()},
        pooled=pooled,
        depth=pooled_depth(pool.spec) if pool else None,
        topics=tuple(campaign.topics.values_list("number", flat=True)),
    )
    return build_collection_from_matrices(
        {tag: matrices.load_run_matrix(run) for tag, run in runs.items()},
        matrices.get_pair_dictionary(campaign),
        table,
        source,
    )


def pooled_depth(spec: dict[str, Any]) -> int | None:
    """The depth to which every contributing run was pooled, if the spec has one."""
    if "depth" in spec:
        return int(spec["depth"])
    ends_early = ("documents", "stop")
    steps = [step for step in spec["steps"] if not any(key in step for key in ends_early)]
    depths = [step["k"] for step in steps if step["method"] == "depth"]
    whole = [depth for depth in depths if isinstance(depth, int)]
    return None if spec.get("budget") else max(whole, default=None)
