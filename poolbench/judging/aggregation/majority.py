"""Majority vote."""

from __future__ import annotations

from poolbench.cards import Card
from poolbench.judging.aggregation.base import (
    AggregationModel,
    AggregationOptions,
    LabelMatrix,
    ModelFit,
    compute_vote_shares,
)


def fit_majority(matrix: LabelMatrix, _: AggregationOptions) -> ModelFit:
    """The posterior of a grade is its share of the labels."""
    return ModelFit(compute_vote_shares(matrix))


MAJORITY = AggregationModel(
    Card(
        name="majority",
        title="Majority vote",
        formula="P(grade c of pair i) = labels of i that are c / labels of i",
        reading="Every worker counts the same; the probability of a grade is its share of the "
        "labels.",
        source="Standard; as a baseline in Sheng, Provost and Ipeirotis, KDD 2008.",
        edge_cases=(
            "One label: its grade has probability 1, which says nothing of the worker.",
            "Equal shares: the tie rule (lowest, highest or undecided) decides.",
        ),
        example="Labels 1, 1, 0 give P(1) = 2/3 = .6667, entropy .9183 bits; labels 0, 1 are a "
        "tie.",
    ),
    fit_majority,
)
