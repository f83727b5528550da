"""Is the collection good? The report of all diagnostics, made in the background and kept."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from django.db import transaction
from django.urls import reverse

from campaigns import store
from campaigns.core.qrels import qrels_from_rows
from campaigns.core.tables import QrelsTable
from campaigns.errors import ActionRefused
from campaigns.models import Campaign, Job, User
from campaigns.rules import require_permission
from campaigns.services import jobs, matrices
from evaluation.core.collection.formats import reusability_to_csv, reusability_to_json
from evaluation.core.collection.inputs import (
    CollectionSource,
    PooledCollection,
    build_collection_from_matrices,
)
from evaluation.core.collection.reduced_judgments import DRAWS
from evaluation.core.collection.report import MEASURES, build_reusability_report
from evaluation.core.judgments import Floats
from evaluation.core.measures.names import parse_measures
from evaluation.queries.disagreement import USUAL_POLICY
from evaluation.reusability_html import reusability_to_html
from evaluation.services.scoring import drop_topics, scoring_options, withheld_topic_numbers
from judging.models import Qrels
from judging.queries.judgments import provisional_grades, qrels_table

COLLECTION = "evaluation.collection"


def request_reusability_report(*, actor: User, campaign: Campaign, qrels: Qrels | None) -> Job:
    """Queue the report by a release, or by the judgments so far; refused if it cannot work."""
    require_permission(actor, "campaigns.manage", campaign)
    if not campaign.runs.accepted().exists():
        raise ActionRefused("no-runs", "There is no accepted run to look at.", "Wait for a run.")
    with transaction.atomic():
        number = None if qrels is None else qrels.pk
        return jobs.enqueue_once(campaign=campaign, kind=COLLECTION, actor=actor, qrels=number)


def build_reusability_job(job: Job) -> None:
    """The handler of ``evaluation.collection``: keeps the report as one HTML file, JSON and CSV."""
    if job.created_by is None:
        raise ActionRefused("no-actor", "Nobody is known to have asked for this report.")
    campaign = job.campaign
    require_permission(job.created_by, "campaigns.manage", campaign)
    number = job.args["qrels"]
    qrels = None if number is None else campaign.qrels.get(pk=number)
    table = interim_qrels(campaign) if qrels is None else qrels_table(qrels)
    jobs.report_progress(job, 0, DRAWS)
    try:
        found = load_collection(campaign, drop_topics(table, withheld_topic_numbers(campaign)))
        report = build_reusability_report(
            found, tuple(parse_measures(MEASURES)), seed=campaign.seed, spread=with_progress(job)
        )
    except ValueError as wrong:
        fix = "Wait for more judgments, or use manage.py collection_report, which takes a depth."
        raise ActionRefused("no-report", f"There is no report: {wrong}.", fix) from wrong
    kept = {
        "html": store.put_blob(reusability_to_html(report).encode(), ".html"),
        "json": store.put_blob(reusability_to_json(report).encode(), ".json"),
        "csv": store.put_blob(reusability_to_csv(report).encode(), ".csv"),
    }
    jobs.finish_job_once(
        job,
        version=qrels.version if qrels else None,
        judged=report.facts.judged,
        runs=report.facts.runs,
        url=reverse("reusability", args=[campaign.slug]),
        **kept,
    )


def with_progress(job: Job) -> Callable[[Callable[[int], Floats], Sequence[int]], Iterator[Floats]]:
    """``map`` over the draws of the reduced judgments, by far the longest part, with progress."""

    def spread(work: Callable[[int], Floats], draws: Sequence[int]) -> Iterator[Floats]:
        for done, draw in enumerate(draws, 1):
            yield work(draw)
            jobs.report_progress(job, done, len(draws))

    return spread


def interim_qrels(campaign: Campaign) -> QrelsTable:
    """One grade a pair by the usual policy; pairs that it cannot decide are left out."""
    hidden = withheld_topic_numbers(campaign)
    numbers = campaign.topics.values_list("number", flat=True)
    shown = [number for number in numbers if number not in hidden]
    return qrels_from_rows(provisional_grades(campaign, USUAL_POLICY, shown)[0])


def load_collection(campaign: Campaign, table: QrelsTable) -> PooledCollection:
    """The campaign's accepted runs, its newest pool and ``table``."""
    runs = {run.tag: run for run in campaign.runs.accepted().select_related("team")}
    pool = campaign.pools.first()
    pooled = {run["tag"] for run in pool.spec["runs"]} & set(runs) if pool else None
    source = CollectionSource(
        level=scoring_options(campaign).level,
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
    """The depth to which every pooled run was judged, if the pool's spec says one."""
    if "depth" in spec:
        return int(spec["depth"])
    ends_early = ("documents", "stop")
    steps = [step for step in spec["steps"] if not any(key in step for key in ends_early)]
    depths = [step["k"] for step in steps if step["method"] == "depth"]
    whole = [depth for depth in depths if isinstance(depth, int)]
    return None if spec.get("budget") else max(whole, default=None)
