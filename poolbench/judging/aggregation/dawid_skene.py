"""Dawid and Skene's model: a confusion matrix for each worker."""

from __future__ import annotations

import numpy as np

from poolbench.cards import Card
from poolbench.judging.aggregation.base import (
    SMALLEST,
    AggregationModel,
    AggregationOptions,
    Floats,
    LabelMatrix,
    ModelFit,
    compute_posterior,
    compute_vote_shares,
    describe_end,
    has_converged,
    sum_values_by_code,
)

MOST_ITERATIONS = 200


def fit_dawid_skene(matrix: LabelMatrix, options: AggregationOptions) -> ModelFit:
    """Expectation-maximisation from the vote shares."""
    posterior, before = compute_vote_shares(matrix), -np.inf
    most = options.iterations or MOST_ITERATIONS
    iteration, converged, after = 0, False, before
    while iteration < most and not converged:
        iteration += 1
        logs = np.log(estimate_confusion(matrix, posterior))
        prior = np.maximum(posterior.mean(axis=0), SMALLEST)
        rows = matrix.worker_codes * len(matrix.scale) + matrix.label_codes
        posterior, after = compute_posterior(np.log(prior) + matrix.sum_by_item(logs[rows]))
        converged = has_converged(before, after, len(matrix), options.tolerance)
        before = after
    return ModelFit(posterior, None, iteration, converged, after)


def estimate_confusion(matrix: LabelMatrix, posterior: Floats) -> Floats:
    """P(label | grade), (workers · labels) × grades; 1 for labels that a worker never gave."""
    grades = len(matrix.scale)
    rows = matrix.worker_codes * grades + matrix.label_codes
    size = len(matrix.workers) * grades
    counts = sum_values_by_code(rows, posterior[matrix.item_codes], size)
    used = np.bincount(rows, minlength=size) > 0
    counts = np.where(used[:, None], np.maximum(counts, SMALLEST), 0.0)
    by_worker = counts.reshape(-1, grades, grades)
    shares = (by_worker / by_worker.sum(axis=1, keepdims=True)).reshape(size, grades)
    confusion: Floats = np.where(used[:, None], shares, 1.0)
    return confusion


DAWID_SKENE = AggregationModel(
    Card(
        name="dawid-skene",
        title="Dawid–Skene",
        formula="P(grade c of pair i) ∝ p_c × product over labels l by workers j of π_j(l | c); "
        "p_c = mean of P(c) over pairs, π_j(l | c) = sum of P(c) over pairs that j gave l / "
        "sum of P(c) over pairs of j; in turn until the likelihood rests",
        reading="Each worker has a confusion matrix, estimated together with the grades: bias "
        "towards a grade is undone, and spammers count nothing.",
        source="Dawid and Skene, Maximum likelihood estimation of observer error-rates using the "
        "EM algorithm, Applied Statistics 28, 1979.",
        edge_cases=(
            "Starts from the vote shares; no smoothing but that sums below 1e-10 are raised to it.",
            describe_end(MOST_ITERATIONS),
            (
                "With few labels per worker the matrices have more parameters than data: prefer "
                "`dawid-skene-one-coin` or `mace`."
            ),
        ),
        example="Pair a: x 1, y 1, z 1; b: x 1, y 1, z 0; c: x 0, y 0, z 0. Vote shares of 1: "
        "1, 2/3, 0; p_1 = 5/9. x and y: π(1|1) = 1, π(1|0) = (1/3) / (4/3) = .25; z: "
        "π(0|1) = (2/3) / (5/3) = .4, π(0|0) = 1. After one iteration b has P(1) = "
        "(5/9 × .4) / (5/9 × .4 + 4/9 × .25²) = .8889.",
    ),
    fit_dawid_skene,
    iterations=MOST_ITERATIONS,
)
