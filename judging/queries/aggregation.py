"""The judgments of a campaign as labels for the models of aggregation."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime

from campaigns.models import Campaign
from judging.core.aggregation.base import (
    AggregatedLabels,
    AggregationOptions,
    LabelMatrix,
    aggregate_labels,
    build_label_matrix,
)
from judging.core.aggregation.registry import MODELS
from judging.queries.gold_answers import count_gold_answers
from judging.queries.judgments import list_pair_ballots


def load_label_matrix(
    campaign: Campaign, as_of: datetime | None = None, topics: Collection[str] | None = None
) -> LabelMatrix:
    """The current human judgments that count for a policy, of ``topics`` only if not None."""
    return build_label_matrix(
        (ballot.pair, name, grade)
        for ballot in list_pair_ballots(campaign, as_of, topics=topics)
        for name, grade in ballot.people.items()
        if grade >= 0
    )


def load_aggregated_labels(
    campaign: Campaign, model: str, as_of: datetime | None = None
) -> AggregatedLabels:
    """Grade, posterior and entropy of each pair, and the accuracy of each worker, by ``model``.

    Raises ``MissingGoldError`` if the model needs gold and no worker has answered any.
    """
    gold = count_gold_answers(campaign, as_of) if MODELS[model].needs_gold else {}
    matrix = load_label_matrix(campaign, as_of)
    return aggregate_labels(MODELS[model], matrix, AggregationOptions(gold=gold))
