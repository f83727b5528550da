"""A model for ordered grades: errors are rarer the further they are from the grade."""

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
SHARPEST = 20.0
HALVINGS = 50


def fit_ordinal(matrix: LabelMatrix, options: AggregationOptions) -> ModelFit:
    """Expectation-maximisation from the vote shares."""
    posterior, before = compute_vote_shares(matrix), -np.inf
    precision = np.ones(len(matrix.workers))
    most = options.iterations or MOST_ITERATIONS
    iteration, converged, after = 0, False, before
    while iteration < most and not converged:
        iteration += 1
        precision = estimate_precision(matrix, posterior)
        prior = np.maximum(posterior.mean(axis=0), SMALLEST)
        posterior, after = compute_ordinal_posterior(matrix, precision, prior)
        converged = has_converged(before, after, len(matrix), options.tolerance)
        before = after
    return ModelFit(posterior, precision, iteration, converged, after)


def compute_ordinal_posterior(
    matrix: LabelMatrix, precision: Floats, prior: Floats
) -> tuple[Floats, float]:
    """The posterior and the log-likelihood."""
    distances = compute_distances(len(matrix.scale))
    sharp = -precision[:, None, None] * distances
    # workers × labels × grades
    logs = sharp - np.log(np.exp(sharp).sum(axis=1, keepdims=True))
    by_label = logs[matrix.worker_codes, matrix.label_codes]
    return compute_posterior(np.log(prior) + matrix.sum_by_item(by_label))


def estimate_precision(matrix: LabelMatrix, posterior: Floats) -> Floats:
    """The precision of each worker that maximises the expected log-posterior, by halving."""
    grades, workers = len(matrix.scale), len(matrix.workers)
    distances = compute_distances(grades)
    beliefs = posterior[matrix.item_codes]
    observed = matrix.sum_by_worker((beliefs * distances[matrix.label_codes]).sum(axis=1))
    pairs = sum_values_by_code(matrix.worker_codes, beliefs, workers)
    low, high = np.zeros(workers), np.full(workers, SHARPEST)
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        weights = np.exp(-middle[:, None, None] * distances)
        expected = (weights * distances).sum(axis=1) / weights.sum(axis=1)
        slope = (pairs * expected).sum(axis=1) - observed - (middle - 1.0)
        low, high = np.where(slope > 0, middle, low), np.where(slope > 0, high, middle)
    precision: Floats = (low + high) / 2
    return precision


def compute_distances(grades: int) -> Floats:
    """The number of steps between two grades of the scale."""
    steps = np.arange(grades, dtype=np.float64)
    return np.abs(steps[:, None] - steps)


ORDINAL = AggregationModel(
    Card(
        name="ordinal",
        title="Ordered grades",
        formula="P(label l of worker j | grade c) = exp(−λ_j |l − c|) / sum over l' of "
        "exp(−λ_j |l' − c|), |l − c| in steps of the scale; λ_j ≥ 0 with prior Normal(1, 1), "
        "p_c = mean of P(c) over pairs; EM",
        reading="Each worker has a precision λ: 0 guesses, and the higher it is, the rarer are "
        "errors, far ones most of all. Uses the order of the grades, which the other models "
        "ignore.",
        source="Poolbench: a discrete Laplace distribution within the EM algorithm of Dawid and "
        "Skene, 1979.",
        edge_cases=(
            "With two grades: `dawid-skene-one-coin` with a prior, for workers above chance.",
            "Starts from the vote shares.",
            describe_end(MOST_ITERATIONS),
            "Steps of the scale count, not differences of the grades' numbers.",
        ),
        example="Grades 0, 1, 2, equally frequent, two workers with λ = 1: sums Z_0 = Z_2 = 1 + "
        "e^−1 + e^−2 = 1.5032, Z_1 = 1 + 2 e^−1 = 1.7358. Labels 0 and 1 give P(0), P(1), P(2) ∝ "
        "e^−1 / Z_0², e^−1 / Z_1², e^−3 / Z_2²: .531, .398, .072.",
    ),
    fit_ordinal,
    quality="precision",
    iterations=MOST_ITERATIONS,
)
