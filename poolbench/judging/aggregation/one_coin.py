"""Dawid and Skene's model with one parameter for each worker."""

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
)

MOST_ITERATIONS = 200


def fit_one_coin(matrix: LabelMatrix, options: AggregationOptions) -> ModelFit:
    """Expectation-maximisation from the vote shares."""
    posterior, before = compute_vote_shares(matrix), -np.inf
    skills = np.ones(len(matrix.workers))
    most = options.iterations or MOST_ITERATIONS
    iteration, converged, after = 0, False, before
    while iteration < most and not converged:
        iteration += 1
        skills = estimate_skills(matrix, posterior)
        prior = np.maximum(posterior.mean(axis=0), SMALLEST)
        logs = np.log(prior) + sum_log_odds(matrix, skills)
        posterior, after = compute_posterior(logs)
        converged = has_converged(before, after, len(matrix), options.tolerance)
        before = after
    return ModelFit(posterior, skills, iteration, converged, after)


def estimate_skills(matrix: LabelMatrix, posterior: Floats) -> Floats:
    """The mean probability of the grades that each worker gave."""
    chance = posterior[matrix.item_codes, matrix.label_codes]
    return matrix.sum_by_worker(chance) / np.maximum(matrix.labels_per_worker, 1)


def sum_log_odds(matrix: LabelMatrix, skills: Floats) -> Floats:
    """The logarithm of P(labels of a pair | grade), items × grades."""
    grades = len(matrix.scale)
    right = np.log(np.clip(skills, SMALLEST, 1 - SMALLEST))
    wrong = np.log(np.clip((1 - skills) / (grades - 1), SMALLEST, 1 - SMALLEST))
    logs = np.repeat(wrong[matrix.worker_codes, None], grades, axis=1)
    logs[np.arange(len(matrix)), matrix.label_codes] = right[matrix.worker_codes]
    return matrix.sum_by_item(logs)


ONE_COIN = AggregationModel(
    Card(
        name="dawid-skene-one-coin",
        title="Dawid–Skene, one coin",
        formula="P(grade c of pair i) ∝ p_c × product over labels l by workers j of (s_j if l = c, "
        "else (1 − s_j) / (K − 1)); p_c = mean of P(c) over pairs, s_j = mean probability of the "
        "grades that j gave; K grades; in turn until the likelihood rests",
        reading="Each worker has one accuracy, the same for all grades; needs far fewer labels per "
        "worker than `dawid-skene`.",
        source="Zhang, Chen, Zhou and Jordan, Spectral methods meet EM, JMLR 17, 2016, section 5.",
        edge_cases=(
            "Starts from the vote shares; probabilities are kept within 1e-10 of 0 and 1.",
            describe_end(MOST_ITERATIONS),
        ),
        example="Pair a: x 1, y 1, z 1; b: x 1, y 1, z 0; c: x 0, y 0, z 0. From the vote shares "
        "s_x = s_y = (1 + 2/3 + 1) / 3 = 8/9, s_z = 7/9, p_1 = 5/9. After one iteration b has "
        "P(1) = 5×8×8×2 / (5×8×8×2 + 4×1×1×7) = 640/668 = .9581.",
    ),
    fit_one_coin,
    quality="skill",
    iterations=MOST_ITERATIONS,
)
