"""GLAD: a worker's ability and a pair's difficulty."""

from functools import partial

import numpy as np

from poolbench.cards import Card
from poolbench.judging.aggregation.base import (
    AggregationModel,
    AggregationOptions,
    Floats,
    LabelMatrix,
    ModelFit,
    compute_posterior,
    describe_end,
    run_until_rest,
)

MOST_ITERATIONS = 100
STEPS = 25
"""Of conjugate gradients in one iteration."""
GRADIENT = 1e-2
"""They end when no component of the gradient is larger."""


def fit_glad(matrix: LabelMatrix, options: AggregationOptions) -> ModelFit:
    """Expectation-maximisation; each maximisation by conjugate gradients from the last point."""
    from scipy.optimize import minimize

    def step(state: tuple[Floats, Floats]) -> tuple[tuple[Floats, Floats], float]:
        point, posterior = state
        chance = posterior[matrix.item_codes, matrix.label_codes]
        cost = partial(compute_glad_gain, matrix, chance)
        limits = {"maxiter": STEPS, "gtol": GRADIENT}
        point = minimize(cost, point, method="CG", jac=True, options=limits).x
        posterior, likelihood = compute_glad_posterior(matrix, point)
        return (point, posterior), likelihood

    point = np.ones(len(matrix.workers) + len(matrix.items))
    posterior, likelihood = compute_glad_posterior(matrix, point)
    start = (point, posterior), likelihood
    (point, posterior), end = run_until_rest(step, start, matrix, options, MOST_ITERATIONS)
    return ModelFit(posterior, point[: len(matrix.workers)], *end)


def compute_glad_posterior(matrix: LabelMatrix, point: Floats) -> tuple[Floats, float]:
    """The posterior at ``point`` (abilities, then logarithms of 1 / difficulty), and the
    log-likelihood of the labels.
    """
    grades = len(matrix.scale)
    strength = compute_strength(matrix, point)
    wrong = -np.logaddexp(0.0, strength) - np.log(grades - 1)
    logs = np.repeat(wrong[:, None], grades, axis=1)
    logs[np.arange(len(matrix)), matrix.label_codes] = -np.logaddexp(0.0, -strength)
    return compute_posterior(matrix.sum_by_item(logs) - np.log(grades))


def compute_strength(matrix: LabelMatrix, point: Floats) -> Floats:
    """Ability over difficulty, by label."""
    ability, ease = point[: len(matrix.workers)], point[len(matrix.workers) :]
    strength: Floats = ability[matrix.worker_codes] * np.exp(ease[matrix.item_codes])
    return strength


def compute_glad_gain(matrix: LabelMatrix, chance: Floats, point: Floats) -> tuple[float, Floats]:
    """Minus the expected log-posterior of ``point``, and its gradient. ``chance``: the probability
    of each label's grade.
    """
    workers = len(matrix.workers)
    strength = compute_strength(matrix, point)
    right, wrong = -np.logaddexp(0.0, -strength), -np.logaddexp(0.0, strength)
    value = (chance * right + (1 - chance) * (wrong - np.log(len(matrix.scale) - 1))).sum()
    distance = point - 1.0
    slope = chance - np.exp(right)
    by_worker = matrix.sum_by_worker(slope * np.exp(point[workers:][matrix.item_codes]))
    by_item = matrix.sum_by_item(slope * strength)
    gradient = np.concatenate([by_worker, by_item]) - distance
    return float(0.5 * (distance**2).sum() - value), -gradient


GLAD = AggregationModel(
    Card(
        name="glad",
        title="GLAD",
        formula="P(label = grade) = 1 / (1 + exp(−α_j e^b_i)), each other grade equally likely; "
        "α_j ability of worker j, e^b_i = 1 / difficulty of pair i, both with prior Normal(1, 1) "
        "(on α and b); grades with prior 1/K; EM, maximisation by conjugate gradients",
        reading="Workers differ in ability and pairs in difficulty: an error on a hard pair costs "
        "a worker little.",
        source="Whitehill, Ruvolo, Wu, Bergsma and Movellan, Whose vote should count more, NIPS "
        "2009; its extension to K grades.",
        edge_cases=(
            "Starts from ability 1 and b = 1 for all.",
            f"Each maximisation takes at most {STEPS} steps.",
            describe_end(MOST_ITERATIONS),
            "One parameter for each pair: with one label the difficulty is the prior's.",
            "Slower than the others by far.",
        ),
        example="Two grades, three workers of ability 1, b = 0: σ = 1 / (1 + e^−1) = .7311. "
        "Labels 1, 1, 0 give P(1) = .7311² × .2689 / (.7311² × .2689 + .2689² × .7311) = .7311.",
    ),
    fit_glad,
    quality="ability",
    iterations=MOST_ITERATIONS,
    slow=True,
)
