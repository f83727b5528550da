"""Dawid and Skene's model, with a confusion matrix for each worker, and two with one parameter."""

from dataclasses import replace

import numpy as np

from poolbench.cards import Card
from poolbench.judging.aggregation.base import (
    SMALLEST,
    AggregationModel,
    AggregationOptions,
    Floats,
    LabelMatrix,
    ModelFit,
    describe_end,
    fit_by_expectation,
    sum_values_by_code,
)

MOST_ITERATIONS = 200


def fit_dawid_skene(matrix: LabelMatrix, options: AggregationOptions) -> ModelFit:
    fit = fit_by_expectation(matrix, options, MOST_ITERATIONS, estimate_confusion, sum_confusion)
    return replace(fit, quality=None)


def sum_confusion(matrix: LabelMatrix, confusion: Floats) -> Floats:
    """The logarithm of P(labels of a pair | grade), items × grades."""
    rows = matrix.worker_codes * len(matrix.scale) + matrix.label_codes
    return matrix.sum_by_item(np.log(confusion)[rows])


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


def fit_one_coin(matrix: LabelMatrix, options: AggregationOptions) -> ModelFit:
    return fit_by_expectation(matrix, options, MOST_ITERATIONS, estimate_skills, sum_log_odds)


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


SHARPEST = 20.0
HALVINGS = 50


def fit_ordinal(matrix: LabelMatrix, options: AggregationOptions) -> ModelFit:
    return fit_by_expectation(
        matrix, options, MOST_ITERATIONS, estimate_precision, sum_ordinal_logs
    )


def sum_ordinal_logs(matrix: LabelMatrix, precision: Floats) -> Floats:
    """The logarithm of P(labels of a pair | grade), items × grades."""
    distances = compute_distances(len(matrix.scale))
    sharp = -precision[:, None, None] * distances
    # workers × labels × grades
    logs = sharp - np.log(np.exp(sharp).sum(axis=1, keepdims=True))
    return matrix.sum_by_item(logs[matrix.worker_codes, matrix.label_codes])


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
