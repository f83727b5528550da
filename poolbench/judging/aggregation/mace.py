"""MACE: a worker knows the grade, or guesses by a habit of their own."""

import numpy as np

from poolbench.cards import Card
from poolbench.judging.aggregation.base import (
    AggregationModel,
    AggregationOptions,
    Floats,
    Ints,
    LabelMatrix,
    ModelFit,
    compute_posterior,
    describe_end,
    run_until_rest,
    sum_values_by_code,
)

MOST_ITERATIONS = 50
COMPETENCE_PRIOR = 0.5
"""Both parameters of the Beta prior."""
HABIT_PRIOR = 10.0
"""Every parameter of the Dirichlet prior."""
WORTH = 1e-3
"""Nats per label by which a random start must fit better than the even one. Fits of the same
solution that have not quite converged differ by less, other solutions by more."""
SPREAD = 1.5
"""Parameters start from draws between 1 and 1 + this, normalised."""
MaceState = tuple[Floats, Floats, Floats]
"""The posterior; (guessing, competence) and habits of each worker."""


def fit_mace(matrix: LabelMatrix, options: AggregationOptions) -> ModelFit:
    """From a start that is the same for all workers and grades, so that nothing but the labels
    decides, unless one of several random starts fits better by ``WORTH`` per label.
    """
    workers, grades = len(matrix.workers), len(matrix.scale)
    even = np.full((workers, 2), 0.5), np.full((workers, grades), 1 / grades)
    order = order_workers_by_labels(matrix)
    drawn = []
    for seed in range(options.seed, options.seed + options.restarts):
        knows, habits = draw_start(seed, workers, 2), draw_start(seed, workers, grades)
        drawn.append((knows[order], habits[order]))
    fits = [fit_from_start(matrix, options, *start) for start in (even, *drawn)]
    best = max(fits, key=lambda fit: round(fit.log_likelihood or 0.0, 6))
    gain = (best.log_likelihood or 0.0) - (fits[0].log_likelihood or 0.0)
    return best if gain > WORTH * len(matrix) else fits[0]


def order_workers_by_labels(matrix: LabelMatrix) -> Ints:
    """The place of each worker when they are sorted by what they labeled, whatever their names."""
    labels: list[list[tuple[int, int]]] = [[] for _ in matrix.workers]
    columns = (matrix.item_codes, matrix.worker_codes, matrix.label_codes)
    for item, worker, label in zip(*(column.tolist() for column in columns), strict=True):
        labels[worker].append((item, label))
    order = np.empty(len(labels), np.int64)
    order[sorted(range(len(labels)), key=labels.__getitem__)] = np.arange(len(labels))
    return order


def fit_from_start(
    matrix: LabelMatrix, options: AggregationOptions, knows: Floats, habits: Floats
) -> ModelFit:
    """Variational Bayes from (guessing, competence) and habits of each worker."""
    posterior, likelihood = compute_mace_posterior(matrix, knows[:, 1], habits)

    def step(state: MaceState) -> tuple[MaceState, float]:
        knows, habits = update_parameters(matrix, *state)
        posterior, likelihood = compute_mace_posterior(matrix, knows[:, 1], habits, knows[:, 0])
        return (posterior, knows, habits), likelihood

    start = (posterior, knows, habits), likelihood
    (posterior, knows, _), end = run_until_rest(step, start, matrix, options, MOST_ITERATIONS)
    return ModelFit(posterior, knows[:, 1] / knows.sum(axis=1), *end)


def draw_start(seed: int, rows: int, columns: int) -> Floats:
    """Random rows that sum to 1, from a generator whose stream is fixed for all versions."""
    draws = 1 + SPREAD * np.random.RandomState(seed).uniform(size=(rows, columns))
    start: Floats = draws / draws.sum(axis=1, keepdims=True)
    return start


def compute_mace_posterior(
    matrix: LabelMatrix, competence: Floats, habits: Floats, guessing: Floats | None = None
) -> tuple[Floats, float]:
    """The posterior and the log-likelihood; ``guessing`` is 1 − ``competence`` by default."""
    guessing = 1 - competence if guessing is None else guessing
    guess, know = compute_label_parts(matrix, competence, habits, guessing)
    grades = len(matrix.scale)
    logs = np.repeat(np.log(guess)[:, None], grades, axis=1)
    logs[np.arange(len(matrix)), matrix.label_codes] = np.log(guess + know)
    return compute_posterior(matrix.sum_by_item(logs) - np.log(grades))


def compute_label_parts(
    matrix: LabelMatrix, competence: Floats, habits: Floats, guessing: Floats
) -> tuple[Floats, Floats]:
    """For each label, the probability of a guess of that grade, and that of knowing."""
    guess: Floats = (guessing[:, None] * habits)[matrix.worker_codes, matrix.label_codes]
    know: Floats = competence[matrix.worker_codes]
    return guess, know


def update_parameters(
    matrix: LabelMatrix, posterior: Floats, knows: Floats, habits: Floats
) -> tuple[Floats, Floats]:
    """(guessing, competence) and habits from the expected numbers of labels known and guessed."""
    guess, know = compute_label_parts(matrix, knows[:, 1], habits, knows[:, 0])
    chance = posterior[matrix.item_codes, matrix.label_codes]
    by_knowledge = chance * know / (guess + know)
    by_guess = chance * guess / (guess + know) + (1 - chance)
    grades, workers = len(matrix.scale), len(matrix.workers)
    rows = matrix.worker_codes * grades + matrix.label_codes
    guessed = sum_values_by_code(rows, by_guess, workers * grades).reshape(workers, grades)
    counts = np.stack([matrix.sum_by_worker(v) for v in (by_guess, by_knowledge)], axis=1)
    return (
        normalize_variationally(counts, COMPETENCE_PRIOR),
        normalize_variationally(guessed, HABIT_PRIOR),
    )


def normalize_variationally(counts: Floats, prior: float) -> Floats:
    """exp(digamma(count + prior) − digamma(their sum)) by row; rows sum to less than 1."""
    from scipy.special import digamma

    whole = counts + prior
    shares: Floats = np.exp(digamma(whole) - digamma(whole.sum(axis=1, keepdims=True)))
    return shares


MACE = AggregationModel(
    Card(
        name="mace",
        title="MACE",
        formula="P(label l of worker j | grade c) = θ_j [l = c] + (1 − θ_j) ξ_j(l); grades with "
        "prior 1/K, θ_j with prior Beta(1/2, 1/2), ξ_j with Dirichlet(10); variational Bayes",
        reading="A worker either knows the grade (competence θ) or answers by a habit ξ of their "
        "own: made for spammers who always give the same grade.",
        source="Hovy, Berg-Kirkpatrick, Vaswani and Hovy, Learning whom to trust with MACE, "
        "NAACL-HLT 2013.",
        edge_cases=(
            (
                "An even start, the same for all workers and grades; of ten random starts of "
                "fixed seeds the best counts instead if it fits better by more than .001 nats "
                "per label. Nothing but the labels of a worker matters: two who always differ "
                "give ties."
            ),
            describe_end(MOST_ITERATIONS),
        ),
        example="Two grades, habits of one half each, competence .8, .8 and .5: labels 1, 1, 0 "
        "have probability .9 × .9 × .25 = .2025 if the grade is 1 and .1 × .1 × .75 = .0075 if it "
        "is 0: P(1) = .9643.",
    ),
    fit_mace,
    quality="competence",
    iterations=MOST_ITERATIONS,
    draws=True,
    slow=True,
)
