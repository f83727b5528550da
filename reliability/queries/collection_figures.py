"""The figures of the verdict on a campaign's collection."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from campaigns.core.tables import QrelsTable
from campaigns.errors import ActionRefused
from campaigns.models import Campaign
from evaluation.core.measures.names import parse_measure
from evaluation.core.measures.titles import format_measure_title
from evaluation.queries.scoring_inputs import drop_topics, withheld_topic_numbers
from judging.queries.judgments import qrels_table
from reliability.core.collection.leave_one_group_out import score_without_group
from reliability.core.collection.report import can_rank_by
from reliability.core.verdicts.reusability import (
    CollectionFigures,
    LeftOutMove,
    measure_left_out_moves,
)
from reliability.queries.collection import interim_qrels, load_collection
from reliability.queries.disagreement_studies import measures_to_rank_by
from reliability.queries.verdict_figures import measure_cut

NOTHING = CollectionFigures("–", 10, 0, 0)


def load_collection_figures(campaign: Campaign) -> CollectionFigures:
    """By the latest qrels version, or the current judgments without one."""
    measures = [m for m in measures_to_rank_by(campaign) if can_rank_by(m)]
    if not measures:
        return replace(NOTHING, reason="no measure of the campaign ranks runs, higher being better")
    if not campaign.runs.scored().exists():
        return replace(NOTHING, reason="no run is accepted")
    try:
        collection = load_collection(campaign, _load_qrels(campaign))
        measure = measures[0]
        cut = measure_cut(measure)
        (trust,) = parse_measure(f"judged_{cut}")
        groups = collection.by_team
        scores = collection.score([measure])
        without = score_without_group(collection, [measure], scores, groups)[:, 0]
        shares = collection.score([trust])[collection.is_pooled, 0]
    except (ActionRefused, ValueError) as error:
        return replace(NOTHING, reason=str(error).rstrip("."))
    contributing = sorted(set(groups[collection.pool.runs].tolist()))
    moves = measure_left_out_moves(
        collection.tags,
        collection.teams,
        collection.by_topic(measure),
        scores[:, 0],
        without,
    )
    names = {collection.names[at] for at in contributing}
    return CollectionFigures(
        measure=format_measure_title(measure.name, over_topics=True),
        cut=cut,
        runs=len(collection.tags),
        teams=len(contributing),
        moves=[move for move in moves if move.team in names],
        judged=[None if np.isnan(share) else float(share) for share in shares],
    )


def _load_qrels(campaign: Campaign) -> QrelsTable:
    latest = campaign.qrels.order_by("-version").first()
    table = interim_qrels(campaign) if latest is None else qrels_table(latest)
    return drop_topics(table, withheld_topic_numbers(campaign))


def restore_collection_figures(data: Any) -> CollectionFigures:
    return CollectionFigures(**{**data, "moves": [LeftOutMove(**each) for each in data["moves"]]})
