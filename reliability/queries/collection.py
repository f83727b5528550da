"""The runs, pool and judgments of a campaign as a collection, for reports on it."""

from __future__ import annotations

from typing import Any

from campaigns.core.qrels import qrels_from_rows
from campaigns.core.tables import QrelsTable
from campaigns.models import Campaign
from campaigns.services import matrices
from evaluation.queries.scoring_inputs import scoring_options, withheld_topic_numbers
from judging.core.policies import DEFAULT_POLICY
from judging.queries.judgments import provisional_grades
from reliability.core.collection.inputs import (
    CollectionSource,
    PooledCollection,
    build_collection_from_matrices,
)


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
