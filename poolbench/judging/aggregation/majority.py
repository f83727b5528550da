"""Majority vote, plain and weighted by each worker's accuracy on gold."""

import numpy as np

from poolbench.cards import Card
from poolbench.judging.aggregation.base import (
    AggregationModel,
    AggregationOptions,
    Floats,
    GoldCounts,
    LabelMatrix,
    ModelFit,
    compute_posterior,
)


def fit_majority(matrix: LabelMatrix, _: AggregationOptions) -> ModelFit:
    """The posterior of a grade is its share of the labels."""
    return ModelFit(matrix.vote_shares)


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


def fit_weighted_majority(matrix: LabelMatrix, options: AggregationOptions) -> ModelFit:
    """Each label adds its worker's log-odds to its grade."""
    accuracy = estimate_gold_accuracy(matrix.workers, options.gold)
    grades = len(matrix.scale)
    weights = np.log(accuracy * (grades - 1) / (1 - accuracy))
    scores = np.zeros((len(matrix), grades))
    scores[np.arange(len(matrix)), matrix.label_codes] = weights[matrix.worker_codes]
    posterior, _ = compute_posterior(matrix.sum_by_item(scores))
    return ModelFit(posterior, quality=accuracy)


def estimate_gold_accuracy(workers: tuple[str, ...], gold: GoldCounts) -> Floats:
    """(correct + 1) / (answered + 2) by worker; of all gold together for workers without any."""
    right, answered = (float(sum(counts[at] for counts in gold.values())) for at in (0, 1))
    pooled = (right + 1) / (answered + 2)
    own = [gold.get(worker, (0, 0)) for worker in workers]
    return np.array([(r + 1) / (n + 2) if n else pooled for r, n in own], np.float64)


WEIGHTED_MAJORITY = AggregationModel(
    Card(
        name="weighted-majority",
        title="Majority vote weighted by gold",
        formula="P(grade c of pair i) ∝ exp(sum of w_j over workers j who gave c to i); "
        "w_j = ln(a_j (K − 1) / (1 − a_j)), a_j = (correct + 1) / (answered + 2) on gold, K grades",
        reading="Workers count by the log-odds of their accuracy on gold; the optimal weights if "
        "workers err independently and all wrong grades are equally likely.",
        source="Nitzan and Paroush, Optimal decision rules in uncertain dichotomous choice "
        "situations, International Economic Review 23, 1982 (two grades). The smoothing, "
        "Laplace's, and K > 2 are Poolbench's.",
        edge_cases=(
            "A worker without gold gets the accuracy of all gold answers together.",
            "A worker below chance has a negative weight: the vote counts against its grade.",
        ),
        undefined="no worker has answered any gold.",
        example="Two grades; x had 8 of 8 gold pairs right, a = .9, weight ln 9; y and z 1 of 2, "
        "a = .5, weight 0. Labels x 0, y 1, z 1 give P(0) = 9 / (9 + 1) = .9.",
    ),
    fit_weighted_majority,
    quality="accuracy on gold",
    needs_gold=True,
)
