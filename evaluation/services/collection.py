"""Is the collection good? The report of all diagnostics, made in the background and kept."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from django.db import transaction
from django.urls import reverse

from campaigns import store
from campaigns.core.qrels import qrels_from_rows
from campaigns.core.tables import QrelsTable
from campaigns.errors import Refused
from campaigns.models import Campaign, Job, User
from campaigns.rules import require
from campaigns.services import jobs, matrices
from evaluation.collection_page import html_text
from evaluation.core.collection.formats import csv_text, json_text
from evaluation.core.collection.laid import Collection, Source, collection_of_matrices
from evaluation.core.collection.reduced import DRAWS
from evaluation.core.collection.report import MEASURES, report_of
from evaluation.core.judged import Floats
from evaluation.core.measures.names import parse_measures
from evaluation.queries.disagreement import USUAL_POLICY
from evaluation.services.scoring import options_of, withheld_topics, without
from judging.models import Qrels
from judging.queries.judgments import provisional_grades, qrels_table

COLLECTION = "evaluation.collection"


def request_report(*, actor: User, campaign: Campaign, qrels: Qrels | None) -> Job:
    """Queue the report by a release, or by the judgments so far; refused if it cannot work."""
    require(actor, "campaigns.manage", campaign)
    if not campaign.runs.accepted().exists():
        raise Refused("no-runs", "There is no accepted run to look at.", "Wait for a run.")
    with transaction.atomic():
        number = None if qrels is None else qrels.pk
        return jobs.enqueue_once(campaign=campaign, kind=COLLECTION, actor=actor, qrels=number)


def report_campaign(job: Job) -> None:
    """The handler of ``evaluation.collection``: keeps the report as one HTML file, JSON and CSV."""
    if job.created_by is None:
        raise Refused("no-actor", "Nobody is known to have asked for this report.")
    campaign = job.campaign
    require(job.created_by, "campaigns.manage", campaign)
    number = job.args["qrels"]
    qrels = None if number is None else campaign.qrels.get(pk=number)
    table = judgments_so_far(campaign) if qrels is None else qrels_table(qrels)
    jobs.progress(job, 0, DRAWS)
    try:
        found = laid_out(campaign, without(table, withheld_topics(campaign)))
        report = report_of(
            found, tuple(parse_measures(MEASURES)), seed=campaign.seed, spread=told(job)
        )
    except ValueError as wrong:
        cure = "Wait for more judgments, or use manage.py collection_report, which takes a depth."
        raise Refused("no-report", f"There is no report: {wrong}.", cure) from wrong
    kept = {
        "html": store.put(html_text(report).encode(), ".html"),
        "json": store.put(json_text(report).encode(), ".json"),
        "csv": store.put(csv_text(report).encode(), ".csv"),
    }
    jobs.finish_once(
        job,
        version=qrels.version if qrels else None,
        judged=report.facts.judged,
        runs=report.facts.runs,
        url=reverse("collection", args=[campaign.slug]),
        **kept,
    )


def told(job: Job) -> Callable[[Callable[[int], Floats], Sequence[int]], Iterator[Floats]]:
    """``map`` over the draws of the reduced judgments, by far the longest part, with progress."""

    def spread(work: Callable[[int], Floats], draws: Sequence[int]) -> Iterator[Floats]:
        for done, draw in enumerate(draws, 1):
            yield work(draw)
            jobs.progress(job, done, len(draws))

    return spread


def judgments_so_far(campaign: Campaign) -> QrelsTable:
    """One grade a pair by the usual policy; pairs that it cannot decide are left out."""
    hidden = withheld_topics(campaign)
    numbers = campaign.topics.values_list("number", flat=True)
    shown = [number for number in numbers if number not in hidden]
    return qrels_from_rows(provisional_grades(campaign, USUAL_POLICY, shown)[0])


def laid_out(campaign: Campaign, table: QrelsTable) -> Collection:
    """The campaign's accepted runs, its newest pool and ``table``."""
    runs = {run.tag: run for run in campaign.runs.accepted().select_related("team")}
    pool = campaign.pools.first()
    pooled = {run["tag"] for run in pool.spec["runs"]} & set(runs) if pool else None
    source = Source(
        level=options_of(campaign).level,
        teams={tag: run.team.name for tag, run in runs.items()},
        pooled=pooled,
        depth=depth_of(pool.spec) if pool else None,
        topics=tuple(campaign.topics.values_list("number", flat=True)),
    )
    return collection_of_matrices(
        {tag: matrices.matrix_of(run) for tag, run in runs.items()},
        matrices.dictionary_of(campaign),
        table,
        source,
    )


def depth_of(spec: dict[str, Any]) -> int | None:
    """The depth to which every pooled run was judged, if the pool's spec says one."""
    if "depth" in spec:
        return int(spec["depth"])
    ends_early = ("documents", "stop")
    steps = [step for step in spec["steps"] if not any(key in step for key in ends_early)]
    depths = [step["k"] for step in steps if step["method"] == "depth"]
    whole = [depth for depth in depths if isinstance(depth, int)]
    return None if spec.get("budget") else max(whole, default=None)
