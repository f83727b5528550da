"""The figures of the verdict on a campaign's collection."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from campaigns.core.tables import QrelsTable
from campaigns.errors import ActionRefused
from campaigns.models import Campaign
from evaluation.core.measures.family import Measure
from evaluation.queries.scoring_inputs import drop_topics, withheld_topic_numbers
from judging.queries.judgments import qrels_table
from reliability.core.collection.report import can_rank_by
from reliability.core.verdicts.collection_figures import measure_collection
from reliability.core.verdicts.reusability import CollectionFigures, LeftOutMove
from reliability.queries.collection import interim_qrels, load_collection
from reliability.queries.disagreement_studies import measures_to_rank_by

NOTHING = CollectionFigures("–", 10, 0, 0)
NO_MEASURE = "no measure of the campaign ranks runs, higher being better"


def load_collection_figures(campaign: Campaign) -> CollectionFigures:
    """By the latest qrels version, or the current judgments without one."""
    try:
        measure = select_collection_measure(campaign)
        if measure is None:
            return replace(NOTHING, reason=NO_MEASURE)
        if not campaign.runs.scored().exists():
            return replace(NOTHING, reason="no run is accepted")
        return measure_collection(load_collection(campaign, _load_qrels(campaign)), measure)
    except (ActionRefused, ValueError) as error:
        return replace(NOTHING, reason=str(error).rstrip("."))


def select_collection_measure(campaign: Campaign) -> Measure | None:
    return next((m for m in measures_to_rank_by(campaign) if can_rank_by(m)), None)


def _load_qrels(campaign: Campaign) -> QrelsTable:
    latest = campaign.qrels.order_by("-version").first()
    table = interim_qrels(campaign) if latest is None else qrels_table(latest)
    return drop_topics(table, withheld_topic_numbers(campaign))


def restore_collection_figures(data: Any) -> CollectionFigures:
    return CollectionFigures(**{**data, "moves": [LeftOutMove(**each) for each in data["moves"]]})
