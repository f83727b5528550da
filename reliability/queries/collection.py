"""The runs, pool and judgments of a campaign as a collection, for reports on it."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from campaigns.errors import ActionRefused
from campaigns.models import Campaign, Run
from campaigns.queries.tasks import get_current_task, list_current_runs
from campaigns.services import matrices
from evaluation.queries.scoring_inputs import scoring_options, select_qrels, withheld_topic_numbers
from judging.models import Qrels
from judging.queries.judgments import load_log_reader, qrels_table
from poolbench.evaluation.measures.family import Measure
from poolbench.judging.policies import DEFAULT_POLICY
from poolbench.reliability.collection.inputs import (
    CollectionSource,
    PooledCollection,
    build_collection_from_matrices,
)
from poolbench.reliability.collection.report import can_rank_by
from poolbench.reliability.verdicts.reusability import CollectionReport, compute_collection
from poolbench.runs.qrels import qrels_from_rows
from poolbench.runs.tables import QrelsTable
from reliability.queries.disagreement_studies import measures_to_rank_by

NOTHING = CollectionReport("–", 10, 0, 0)
NO_MEASURE = "no measure of the campaign ranks runs, higher being better"


def load_qrels_or_interim(
    campaign: Campaign, qrels: Qrels | None, last: int | None = None
) -> QrelsTable:
    """``qrels``, or without them one grade per pair by the default policy as of row ``last`` of the
    log, undecided pairs left out; without withheld topics, and as they score the current task.
    """
    task = get_current_task(campaign)
    withheld = withheld_topic_numbers(campaign, task)
    if qrels is not None:
        return select_qrels(qrels_table(qrels), withheld, task)
    numbers = campaign.topics.values_list("number", flat=True)
    visible = [number for number in numbers if number not in withheld]
    rows, _undecided = load_log_reader(campaign).decide_topics(DEFAULT_POLICY, visible, last)
    return select_qrels(qrels_from_rows(rows), withheld, task)


def load_collection(
    campaign: Campaign, table: QrelsTable, accepted: Iterable[Run] | None = None
) -> PooledCollection:
    """The runs ``accepted`` (None: those of now), the latest pool and ``table``."""
    if accepted is None:
        accepted = list_current_runs(campaign)
    runs = {run.tag: run for run in accepted}
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
        matrices.MatricesByTag(runs), matrices.get_pair_dictionary(campaign), table, source
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


def load_collection_report(campaign: Campaign) -> CollectionReport:
    """By the latest qrels version, or the current judgments without one."""
    try:
        measure = select_collection_measure(campaign)
        if measure is None:
            return replace(NOTHING, reason=NO_MEASURE)
        if not list_current_runs(campaign).exists():
            return replace(NOTHING, reason="no run is accepted")
        table = load_qrels_or_interim(campaign, campaign.qrels.order_by("-version").first())
        report = compute_collection(load_collection(campaign, table), measure)
        untouched = count_untouched_documents(campaign, table)
        return replace(
            report, pooled=report.pooled + untouched, unjudged=report.unjudged + untouched
        )
    except (ActionRefused, ValueError) as error:
        return replace(NOTHING, reason=str(error).rstrip("."))


def count_untouched_documents(campaign: Campaign, table: QrelsTable) -> int:
    """Documents of the latest pool whose topic has no line in ``table``, withheld topics aside."""
    pool = campaign.pools.first()
    known = {*table.topics, *withheld_topic_numbers(campaign, get_current_task(campaign))}
    return pool.items.exclude(topic__number__in=known).count() if pool else 0


def select_collection_measure(campaign: Campaign) -> Measure | None:
    return next((m for m in measures_to_rank_by(campaign) if can_rank_by(m)), None)
